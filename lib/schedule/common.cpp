#include "schedule/common.h"

#include <algorithm>
#include <vector>

#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/names.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon::primitives {
namespace {

// The conditions of the Ifs that stand directly inside each other.
std::vector<Expr> conditions_of(const Stmt& s) {
  std::vector<Expr> conditions;
  for (const If* guard = s.as<If>(); guard; guard = guard->body.as<If>()) {
    conditions.push_back(guard->condition);
  }
  return conditions;
}

bool implied(const Expr& guard, const std::vector<Expr>& conditions, const Facts& facts) {
  if (conditions.empty() || std::any_of(conditions.begin(), conditions.end(), touches_memory)) {
    return false;
  }
  Facts inside = facts;
  for (const Expr& condition : conditions) inside = inside.given(condition);
  return proved(inside, guard);
}

// e where the guard holds; elsewhere a value that nobody uses. Only where reading would be wrong.
Expr read_under(const Expr& guard, const Expr& e) {
  return touches_memory(e) ? select(guard, e, constant_int(e.type(), 0)) : e;
}

}  // namespace

absl::StatusOr<LoopSite> site_of(const Program& program, const Var& loop) {
  if (!loop) return refuse("the loop handle is empty");
  std::optional<LoopSite> site = find_loop(program, loop);
  if (!site) return refuse("the program has no loop " + loop.name());
  return *std::move(site);
}

absl::Status require_serial(const Program& program, const For& loop, std::string_view action) {
  if (loop.kind == ForKind::kSerial) return absl::OkStatus();
  return refuse("loop " + name_in(program, loop.var) + " is " + with_article(loop.kind) +
                " loop already; " + std::string(action) + " takes a serial one");
}

absl::Status require_parallel_loops(const Program& result, const std::vector<For>& loops) {
  for (const For& loop : loops) {
    if (loop.kind != ForKind::kParallel) continue;
    const Verdict verdict = may_parallelize(*find_loop(result, loop.var));
    if (verdict.ok()) continue;
    return refuse("loop " + name_in(result, loop.var) + " would not stay parallel: " +
                  diagnostic_of(verdict.status).value_or(Diagnostic{}).reason);
  }
  return absl::OkStatus();
}

absl::Status require_known(const Program& program, const LoopSite& site, const Expr& e,
                           const std::string& what) {
  if (!e || e.is<Invalid>()) return refuse(what + " is not a valid expression");
  if (e.type() != i64 || touches_memory(e)) {
    return refuse(what + " must be an i64 expression over sizes and outer loops, and it is " +
                  print(e, program));
  }
  for (const Var& var : free_vars(e)) {
    if (std::find(program->sizes.begin(), program->sizes.end(), var) != program->sizes.end()) {
      continue;
    }
    const auto outer = std::find_if(site.outer.begin(), site.outer.end(),
                                    [&](const For& loop) { return loop.var == var; });
    const std::string name = name_in(program, var);
    if (outer == site.outer.end()) {
      return refuse(what + " uses " + name + ", which is neither a size nor a loop around " +
                    name_in(program, site.loop.var));
    }
    if (outer->kind == ForKind::kVector) {
      return refuse(what + " uses the vector loop " + name + ": the bounds of loop " +
                    name_in(program, site.loop.var) + " would differ between its lanes");
    }
  }
  return absl::OkStatus();
}

Expr extent_of(const For& loop, const Facts& facts) { return simplify(loop.hi - loop.lo, facts); }

std::optional<int64_t> constant_extent(const For& loop, const Facts& facts) {
  const std::optional<int64_t> extent = as_int(extent_of(loop, facts));
  return extent ? std::optional(std::max<int64_t>(*extent, 0)) : std::nullopt;
}

Stmt sink_guard(const Stmt& s, const Expr& guard, const Facts& facts) {
  if (const For* loop = s.as<For>()) {
    return make_for(loop->var, read_under(guard, loop->lo), read_under(guard, loop->hi), loop->kind,
                    sink_guard(loop->body, guard, facts.inside(*loop)));
  }
  if (const Seq* list = s.as<Seq>()) {
    std::vector<Stmt> stmts;
    stmts.reserve(list->stmts.size());
    for (const Stmt& part : list->stmts) stmts.push_back(sink_guard(part, guard, facts));
    return seq(std::move(stmts));
  }
  if (const Bind* name = s.as<Bind>()) return bind(name->var, read_under(guard, name->value));
  if (s.is<Alloc>() || implied(guard, conditions_of(s), facts)) return s;
  return make_if(guard, s);
}

Program with_body(const Program& program, Stmt body, const Verdict& verdict) {
  ProgramData data = *program;
  data.body = std::move(body);
  data.reassociated = data.reassociated || verdict.reassociates;
  return Program(std::move(data));
}

Program simplified(const Program& program, Stmt body, const Verdict& verdict) {
  return simplify(with_body(program, std::move(body), verdict), KeepLoops::kYes, program);
}

Program with_kind(const Program& program, const Var& loop, const LoopKind& kind,
                  const Verdict& verdict) {
  Stmt body = replace_loop(program->body, loop,
                           [&](const For& l) { return make_for(l.var, l.lo, l.hi, kind, l.body); });
  return with_body(program, std::move(body), verdict);
}

std::string name_in(const Program& program, const Var& var) { return print(Expr(var), program); }

std::string headline_in(const Program& program, const Stmt& s) {
  Names names(program);
  return headline(s, names);
}

std::string split_first(const Program& program, const Var& loop, int64_t factor,
                        std::string_view step) {
  Names names(program);
  return "split(" + names.of(loop) + ", " + std::to_string(factor) + "), then " +
         std::string(step) + "(" + names.of(Var(loop.name() + "i")) + ")";
}

}  // namespace tenon::primitives
