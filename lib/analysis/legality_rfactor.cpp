// May a reduction be folded through partial results?
#include <algorithm>

#include "analysis/extent.h"
#include "analysis/missing.h"
#include "analysis/place.h"
#include "analysis/text.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/dependence.h"
#include "tenon/analysis/legality_reduction.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/limits.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The loops that stand directly inside each other, and what lies under them.
struct Nest {
  std::vector<For> loops;    // outermost first
  size_t v = 0;              // the position of the loop that was asked about
  std::vector<Expr> guards;  // around the accumulation
  Stmt leaf;
  const Accumulate* accumulate = nullptr;

  std::string target(const Program& within) const {
    return element(accumulate->buffers.front(), accumulate->indices, within);
  }
  bool target_uses(const For& loop) const {
    return std::any_of(accumulate->indices.begin(), accumulate->indices.end(),
                       [&](const Expr& index) { return uses(index, loop.var); });
  }
};

Nest nest_around(const Place& place) {
  Nest nest;
  for (auto around = place.around.rbegin(); around != place.around.rend(); ++around) {
    const For* loop = (*around)->as<For>();
    if (!loop) break;
    nest.loops.insert(nest.loops.begin(), *loop);
  }
  nest.v = nest.loops.size();
  Stmt inside = *place.statement;
  for (const For* loop = inside.as<For>(); loop; loop = inside.as<For>()) {
    nest.loops.push_back(*loop);
    inside = nest.loops.back().body;
  }
  while (const If* guard = inside.as<If>()) {
    nest.guards.push_back(guard->condition);
    inside = Stmt(guard->body);
  }
  nest.leaf = inside;
  nest.accumulate = nest.leaf.as<Accumulate>();
  return nest;
}

// --- The accumulation.

absl::Status is_one_accumulation(const Nest& nest, const Program& within) {
  const For& v = nest.loops[nest.v];
  if (nest.leaf.is<Store>()) {
    return refuse("what lies under loop " + text_of(v.var, within) +
                  " is a store: there is no reduction to fold");
  }
  if (!nest.accumulate) {
    return refuse("what lies under loop " + text_of(v.var, within) +
                  " is not a single accumulation: fission it first");
  }
  for (const Expr& index : nest.accumulate->indices) {
    if (index.type().is_vector()) {
      return refuse("the accumulation into " + nest.target(within) + " has indices of many lanes");
    }
    if (touches_memory(index)) {
      return refuse("which element is accumulated into depends on data: " + nest.target(within));
    }
  }
  if (nest.target_uses(v)) {
    return refuse("the iterations of loop " + text_of(v.var, within) + " accumulate into " +
                  nest.target(within) + ", each into another element: there is nothing to fold");
  }
  return absl::OkStatus();
}

absl::Status reads_no_target(const Nest& nest, const Stmt& root, const Program& within) {
  for (const Access& a : accesses_of(root)) {
    if (a.kind != Access::Kind::kRead || !nest.accumulate->writes(a.buffer)) continue;
    return refuse("the nest of loop " + text_of(nest.loops[nest.v].var, within) + " reads " +
                  text_of(a.buffer, within) + ", which it accumulates into");
  }
  return absl::OkStatus();
}

// --- The partial results.

// The outermost loop that the target does not use.
size_t position_of_root(const Nest& nest) {
  size_t root = 0;
  while (nest.target_uses(nest.loops[root])) ++root;
  return root;
}

absl::Status can_hold_partials(const LoopSite& root) {
  for (const For& loop : root.outer) {
    if (loop.kind != ForKind::kVector) continue;
    return refuse("loop " + text_of(loop.var, root.program) +
                  " is vector code, which cannot hold the partial results");
  }
  return absl::OkStatus();
}

// The number of iterations of a loop that indexes the partials.
absl::StatusOr<Expr> extent_at(const LoopSite& root, const For& loop,
                               const std::vector<For>& inside) {
  const Program& within = root.program;
  if (!is_constant(loop.lo, 0) && !proved(root.facts, loop.lo == Expr(0))) {
    return refuse("loop " + text_of(loop.var, within) + " starts at " + text_of(loop.lo, within) +
                  ", and a loop that indexes the partial results starts at 0");
  }
  TENON_ASSIGN_OR_RETURN(Expr extent, extent_in_front(loop, root.facts, within));
  for (const For& other : inside) {
    if (!uses(extent, other.var)) continue;
    return refuse("the number of iterations of loop " + text_of(loop.var, within) +
                  " varies with loop " + text_of(other.var, within) + " of the same nest");
  }
  return extent;
}

// --- The fold.

bool uses_only_partials(const Expr& guard, const Rfactor& plan, const std::vector<For>& inside) {
  return std::none_of(inside.begin(), inside.end(), [&](const For& loop) {
    const bool indexes = std::any_of(plan.loops.begin() + 1, plan.loops.end(),
                                     [&](const For& t) { return t.var == loop.var; });
    return !indexes && uses(guard, loop.var);
  });
}

absl::Status fold_stays_inside(const Nest& nest, const Rfactor& plan) {
  const Program& within = plan.root.program;
  Facts facts = plan.root.facts;
  for (size_t d = 0; d < plan.loops.size(); ++d) {
    facts = facts.inside(LoopRange{plan.loops[d].var, 0, plan.extents[d]});
  }
  for (const Expr& guard : plan.guards) facts = facts.given(guard);
  for (const Buffer& buffer : nest.accumulate->buffers) {
    const std::vector<Expr> shape = *shape_of(within, buffer);
    for (size_t k = 0; k < shape.size(); ++k) {
      const Expr& index = nest.accumulate->indices[k];
      for (const Expr& inside : {Expr(0) <= index, index < shape[k]}) {
        if (proved(facts, inside)) continue;
        return refuse("the fold may touch an element outside of " + text_of(buffer, within) +
                          ", where the nest does not accumulate: " + nest.target(within),
                      missing_fact(inside, facts, within));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Rfactor> may_rfactor(const Program& program, const Var& v) {
  const auto place = find_place(program->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    return loop && loop->var == v;
  });
  if (!place) return refuse("the program has no loop " + v.name());
  const Nest nest = nest_around(*place);
  TENON_RETURN_IF_ERROR(is_one_accumulation(nest, program));

  const size_t root = position_of_root(nest);
  Rfactor plan;
  plan.root = *find_loop(program, nest.loops[root].var);
  plan.accumulate = nest.leaf;
  TENON_RETURN_IF_ERROR(reads_no_target(nest, plan.root.statement, program));
  TENON_RETURN_IF_ERROR(can_hold_partials(plan.root));

  const std::vector<For> inside(nest.loops.begin() + static_cast<std::ptrdiff_t>(root),
                                nest.loops.end());
  plan.loops = {nest.loops[nest.v]};
  std::copy_if(inside.begin(), inside.end(), std::back_inserter(plan.loops),
               [&](const For& loop) { return nest.target_uses(loop); });
  if (plan.loops.size() > kMaxRank) {
    return refuse("the partial results would have " + std::to_string(plan.loops.size()) +
                  " dimensions, and " + std::to_string(kMaxRank) + " are the most");
  }
  for (const For& loop : plan.loops) {
    TENON_ASSIGN_OR_RETURN(Expr extent, extent_at(plan.root, loop, inside));
    plan.extents.push_back(std::move(extent));
  }
  // A guard that reads memory may be there only to be read under another one: it is left out.
  std::copy_if(nest.guards.begin(), nest.guards.end(), std::back_inserter(plan.guards),
               [&](const Expr& guard) {
                 return !touches_memory(guard) && uses_only_partials(guard, plan, inside);
               });
  TENON_RETURN_IF_ERROR(fold_stays_inside(nest, plan));
  const Access target = accesses_of(nest.leaf, nest.accumulate->buffers.front()).back();
  plan.reassociates = !commute(target, target, true);
  return plan;
}

}  // namespace tenon
