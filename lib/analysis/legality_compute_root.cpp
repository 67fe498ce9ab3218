// May a stage that iterations compute for themselves be computed once, in front of them?
#include <algorithm>
#include <map>
#include <set>

#include "analysis/extent.h"
#include "analysis/hoisting.h"
#include "analysis/missing.h"
#include "analysis/positions.h"
#include "analysis/stage_nest.h"
#include "analysis/text.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

std::vector<Var> vars_of(const std::vector<For>& loops) {
  std::vector<Var> vars;
  for (const For& loop : loops) vars.push_back(loop.var);
  return vars;
}

absl::Status is_resizable(const std::vector<For>& loops, const Stage& stage) {
  for (const For& loop : loops) {
    if (loop.kind != ForKind::kUnroll) continue;
    return refuse("loop " + stage.name_of(loop.var) + " of the nest of " + stage.name() +
                  " is unrolled: " + stage.advice() + " before that");
  }
  return absl::OkStatus();
}

// The hull of the positions, first and last.
absl::StatusOr<Region> hull_of(const std::vector<For>& around, const std::vector<For>& loops,
                               const std::vector<Expr>& shifts, const Facts& facts,
                               const Stage& stage) {
  Region region;
  for (size_t d = 0; d < loops.size(); ++d) {
    std::vector<LoopRange> ranges = ranges_of(around);
    ranges.push_back({loops[d].var, loops[d].lo, loops[d].hi});
    const auto bounds = bounds_over(Expr(loops[d].var) + shifts[d], ranges, facts);
    if (!bounds || is_data(bounds->lo, stage.program) || is_data(bounds->hi, stage.program)) {
      return refuse("the places of " + stage.name() + " in dimension " + std::to_string(d) +
                    " have no bounds in front of loop " + stage.name_of(around.front().var) + ": " +
                    text_of(Expr(loops[d].var) + shifts[d], stage.program));
    }
    region.lo.push_back(simplify(bounds->lo, facts));
    region.extent.push_back(as_extent(bounds->hi - bounds->lo + 1, facts));
  }
  return region;
}

// A bound of the loop that the guard gives on one side: loop < result, or result <= loop.
std::optional<Expr> bound_by(const Expr& guard, const For& loop, const std::vector<For>& loops,
                             bool upper) {
  const Binary* b = guard.as<Binary>();
  if (!b || !(b->op == BinaryOp::kLt || b->op == BinaryOp::kLe) || !(b->a.type() == i64)) {
    return std::nullopt;
  }
  const Affine form = to_affine(b->a - b->b);  // < 0 or <= 0
  const int64_t unit = upper ? 1 : -1;
  if (form.coefficient(loop.var) != unit || !form.is_linear_in(loop.var)) return std::nullopt;
  const Expr rest = to_expr(form + -unit * to_affine(Expr(loop.var)));
  for (const For& other : loops) {
    if (uses(rest, other.var)) return std::nullopt;
  }
  const bool strict = b->op == BinaryOp::kLt;
  if (upper) return strict ? Expr(0) - rest : Expr(1) - rest;
  return strict ? rest + 1 : rest;
}

// All readers stay within the bound.
bool keeps_readers(const Expr& bound, size_t d, bool upper, const ComputeRoot& plan,
                   const std::vector<Access>& all, const Stage& stage) {
  return std::all_of(all.begin(), all.end(), [&](const Access& a) {
    if (!stage.holds(a.buffer) || a.kind != Access::Kind::kRead) return true;
    const Expr at = a.indices[d] + plan.shift[d];
    return proved(facts_at(a, plan.outermost.facts), upper ? at < bound : bound <= at);
  });
}

// Ends the hull where a guard cuts the nest off, if nobody reads beyond.
void trim(ComputeRoot& plan, const Stage& stage) {
  const Facts& facts = plan.outermost.facts;
  std::vector<Access> writes = own_accesses(accesses_of(plan.at_positions), stage);
  std::vector<Access> readers = accesses_of(plan.outermost.statement);
  std::set<const StmtNode*> own;
  walk(plan.nest, [&](const Stmt& s) { own.insert(s.get()); });
  std::erase_if(readers, [&](const Access& a) { return own.count(a.statement) != 0; });
  for (size_t d = 0; d < plan.loops.size(); ++d) {
    for (const bool upper : {true, false}) {
      const Expr end = upper ? plan.region.lo[d] + plan.region.extent[d] : plan.region.lo[d];
      for (const Expr& guard : writes.front().guards) {
        const auto bound = bound_by(guard, plan.loops[d], plan.loops, upper);
        const auto has_it = [&](const Access& a) {
          return std::any_of(a.guards.begin(), a.guards.end(),
                             [&](const Expr& g) { return equal(g, guard); });
        };
        if (!bound || is_data(*bound, stage.program)) continue;
        if (!std::all_of(writes.begin(), writes.end(), has_it)) continue;
        if (!proved(facts, upper ? *bound <= end : end <= *bound)) continue;
        if (!keeps_readers(*bound, d, upper, plan, readers, stage)) continue;
        const Expr last = plan.region.lo[d] + plan.region.extent[d];
        if (!upper) plan.region.lo[d] = simplify(*bound, facts);
        plan.region.extent[d] = as_extent((upper ? *bound : last) - plan.region.lo[d], facts);
        break;
      }
    }
  }
}

// More elements may be computed than before.
absl::Status stays_inside(const ComputeRoot& plan, const Stage& stage) {
  const Stmt nest = rewrite_stmts(plan.at_positions, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    for (size_t d = 0; loop && d < plan.loops.size(); ++d) {
      if (!(loop->var == plan.loops[d].var)) continue;
      return make_for(loop->var, plan.region.lo[d], plan.region.lo[d] + plan.region.extent[d],
                      loop->kind, loop->body);
    }
    return s;
  });
  absl::Status status;
  walk_exprs(nest, [&](const Expr& e) {
    const Binary* check = e.as<Binary>();
    if (!check || check->op != BinaryOp::kCheck || !status.ok()) return;
    status = refuse("the nest of " + stage.name() + " checks an index, " +
                    text_of(simplify(e, plan.outermost.facts), stage.program) +
                    ", and would check it for elements that nobody needs");
  });
  if (!status.ok()) return status;
  std::map<Buffer, std::vector<Expr>> locals;
  walk(nest, [&](const Stmt& s) {
    if (const Alloc* x = s.as<Alloc>()) locals[x->buffer] = x->shape;
  });
  for (const Access& a : accesses_of(nest)) {
    if (stage.holds(a.buffer)) continue;
    const auto local = locals.find(a.buffer);
    const std::vector<Expr> shape =
        local == locals.end() ? *shape_of(stage.program, a.buffer) : local->second;
    const Facts facts = facts_at(a, plan.outermost.facts);
    for (size_t d = 0; d < a.indices.size(); ++d) {
      for (const Expr& inside : {Expr(0) <= a.indices[d], a.indices[d] < shape[d]}) {
        if (proved(facts, inside)) continue;
        return refuse("cannot tell that all of " + stage.name() + " can be computed at once: " +
                          "that reads " + element(a.buffer, a.indices, stage.program),
                      missing_fact(inside, facts, stage.program));
      }
    }
  }
  return absl::OkStatus();
}

// The box uses no name that is bound inside of the loop.
absl::Status known_in_front(const std::vector<Expr>& bounds, const LoopSite& site,
                            const Stage& stage) {
  absl::Status status;
  walk(site.loop.body, [&](const Stmt& s) {
    const Bind* name = s.as<Bind>();
    if (!name || !status.ok()) return;
    if (std::none_of(bounds.begin(), bounds.end(),
                     [&](const Expr& e) { return uses(e, name->var); })) {
      return;
    }
    status = refuse("the extent of " + stage.name() + " uses " + stage.name_of(name->var) +
                    ", which is named inside of loop " + stage.name_of(site.loop.var));
  });
  return status;
}

}  // namespace

absl::StatusOr<ComputeRoot> may_compute_root(const Program& program, const Buffer& buffer) {
  TENON_ASSIGN_OR_RETURN(Stage stage, local_stage(program, buffer));
  stage.verb = "compute", stage.place = " in front of all loops";
  TENON_ASSIGN_OR_RETURN(const DeclaredNest found, declared_nest(stage));
  if (found.around.empty()) {
    return refuse(stage.name() + " is declared in front of all loops already");
  }
  TENON_RETURN_IF_ERROR(is_resizable(found.loops, stage));
  ComputeRoot plan;
  plan.outermost = *find_loop(program, found.around.front().var);
  plan.stages = stage.all;
  plan.nest = found.nest;
  plan.loops = found.loops;
  TENON_RETURN_IF_ERROR(uses_nothing_declared_in(plan.outermost, found.nest, stage));
  const Positions positions(found.nest, stage.all, found.loops, vars_of(found.around));
  TENON_ASSIGN_OR_RETURN(plan.at_positions, positions.nest(program));
  plan.shift = positions.shifts();
  TENON_RETURN_IF_ERROR(inputs_keep(plan.outermost, found.nest, stage, true));
  TENON_ASSIGN_OR_RETURN(
      plan.region, hull_of(found.around, plan.loops, plan.shift, plan.outermost.facts, stage));
  trim(plan, stage);
  TENON_RETURN_IF_ERROR(known_in_front(plan.region.lo, plan.outermost, stage));
  TENON_RETURN_IF_ERROR(known_in_front(plan.region.extent, plan.outermost, stage));
  TENON_RETURN_IF_ERROR(stays_inside(plan, stage));
  return plan;
}

absl::StatusOr<HoistAlloc> may_hoist_alloc(const Program& program, const Buffer& buffer,
                                           const Var& loop) {
  TENON_ASSIGN_OR_RETURN(Stage stage, local_stage(program, buffer));
  stage.verb = "declare", stage.place = " further out";
  const std::optional<LoopSite> site = find_loop(program, loop);
  if (!site) return refuse("the program has no loop " + loop.name());
  TENON_ASSIGN_OR_RETURN(const DeclaredNest found, declared_nest(stage));
  if (found.around.empty() || !(found.around.back().var == loop)) {
    return refuse(
        stage.name() + " is not declared directly in the body of loop " + stage.name_of(loop), {},
        found.around.empty()
            ? std::vector<std::string>()
            : std::vector<std::string>{"hoist_alloc(" + stage.name() + ", " +
                                       stage.name_of(found.around.back().var) + ")"});
  }
  if (site->loop.kind == ForKind::kParallel) {
    return refuse(
        "iterations of the parallel loop " + stage.name_of(loop) + " would share " + stage.name(),
        {}, {"expand(" + stage.name() + ", " + stage.name_of(loop) + ")"});
  }
  TENON_RETURN_IF_ERROR(uses_nothing_declared_in(*site, found.nest, stage));
  const Positions positions(found.nest, stage.all, found.loops, {loop});
  TENON_RETURN_IF_ERROR(positions.nest(program).status());
  TENON_ASSIGN_OR_RETURN(const Region region, hull_of({found.around.back()}, found.loops,
                                                      positions.shifts(), site->facts, stage));
  HoistAlloc plan{*site, stage.all, {}, region.extent};
  for (size_t d = 0; d < region.lo.size(); ++d) {
    plan.offset.push_back(
        simplify(positions.shifts()[d] - region.lo[d], site->facts.inside(site->loop)));
  }
  TENON_RETURN_IF_ERROR(known_in_front(plan.extent, *site, stage));
  return plan;
}

}  // namespace tenon
