// reorder(j, i):
//
//   for i in 0..m              for j in 0..n
//     for j in 0..n      ->      for i in 0..m
//       S                          S
//
// The loops lie in one perfect nest (nothing but loops between the outermost and the innermost of
// them); they come into the given order in the places that they hold, and other loops stay.
// Obligation: no dependence that the old order keeps and the new one turns around; every loop stays
// inside the loops that its bounds use (may_reorder). Exact, except where the
// order of a floating-point accumulation changes: then the Program is marked as reassociated.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

bool contains(const std::vector<Var>& vars, const Var& var) {
  return std::find(vars.begin(), vars.end(), var) != vars.end();
}

absl::Status require_distinct(const Program& program, const std::vector<Var>& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (order[i] == order[k])
        return refuse("loop " + name_in(program, order[i]) + " is named twice");
    }
  }
  return absl::OkStatus();
}

// The site of the loop that stands furthest out.
absl::StatusOr<LoopSite> outermost_site(const Program& program, const std::vector<Var>& order) {
  std::optional<LoopSite> best;
  for (const Var& var : order) {
    TENON_ASSIGN_OR_RETURN(LoopSite site, site_of(program, var));
    if (!best || site.outer.size() < best->outer.size()) best = std::move(site);
  }
  return *std::move(best);
}

// Why the loop `var` cannot be reached from loop `top`, whose perfect nest ends at loop `last`.
absl::Status not_nested(const Program& program, const For& top, const For& last, const Var& var) {
  const std::string first = name_in(program, top.var), second = name_in(program, var);
  const std::vector<Stmt> parts = statements_of(last.body);
  const auto holds = [&](const Stmt& s) { return has_loop(s, var); };
  const auto inside = std::find_if(parts.begin(), parts.end(), holds);
  if (inside == parts.end()) {
    return refuse("loop " + second + " is not inside loop " + first);
  }
  // Something beside the loop, or an `if` around it.
  const auto beside = std::find_if_not(parts.begin(), parts.end(), holds);
  const auto before = static_cast<int>(inside - parts.begin());
  std::vector<std::string> legal;
  if (before > 0 && inside + 1 == parts.end() && fission(program, last.var, before).ok()) {
    legal.push_back("fission(" + name_in(program, last.var) + ", " + std::to_string(before) +
                    "), then reorder");
  }
  return refuse("loops " + first + " and " + second + " are not perfectly nested: `" +
                    headline_in(program, beside == parts.end() ? *inside : *beside) +
                    "` stands between them",
                {}, std::move(legal));
}

// The loops of the perfect nest from `top` down to the last of `order`.
absl::StatusOr<std::vector<For>> perfect_nest(const Program& program, const For& top,
                                              const std::vector<Var>& order) {
  std::vector<For> nest = {top};
  std::vector<Var> missing = order;
  std::erase(missing, top.var);
  while (!missing.empty()) {
    const For* next = nest.back().body.as<For>();
    if (!next) return not_nested(program, top, nest.back(), missing.front());
    std::erase(missing, next->var);
    nest.push_back(*next);
  }
  return nest;
}

}  // namespace

absl::StatusOr<Program> reorder(const Program& program, const std::vector<Var>& order) {
  // Find.
  if (order.empty()) return program;
  TENON_RETURN_IF_ERROR(require_distinct(program, order));
  TENON_ASSIGN_OR_RETURN(const LoopSite site, outermost_site(program, order));
  TENON_ASSIGN_OR_RETURN(const std::vector<For> nest, perfect_nest(program, site.loop, order));

  // Require.
  std::vector<For> reordered = nest;
  size_t next = 0;
  for (For& place : reordered) {
    if (!contains(order, place.var)) continue;
    const Var& wanted = order[next++];
    place = *std::find_if(nest.begin(), nest.end(),
                          [&](const For& loop) { return loop.var == wanted; });
  }
  std::vector<Var> vars;
  for (const For& loop : reordered) vars.push_back(loop.var);
  const Verdict verdict = may_reorder(site, vars);
  TENON_RETURN_IF_ERROR(verdict.status);

  // Rewrite.
  Stmt body = nest.back().body;
  for (size_t i = reordered.size(); i-- > 0;) {
    const For& loop = reordered[i];
    body = make_for(loop.var, loop.lo, loop.hi, loop.kind, std::move(body));
  }
  body = replace_loop(program->body, site.loop.var, [&](const For&) { return body; });
  return with_body(program, std::move(body), verdict);
}

}  // namespace tenon::primitives
