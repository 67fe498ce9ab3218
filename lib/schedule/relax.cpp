// relax(j):
//
//   for i in 0..m              for i in 0..m
//     for j in i..n      ->      for j in 0..n
//       out[i, j] = 1.0            if i <= j
//                                    out[i, j] = 1.0
//
// The bounds become their hull over all iterations of the loops around that they use, or over those
// of one of them, and the old bounds become a guard, which stands on each leaf. Afterwards the
// loops can be reordered. Obligation: the bounds are not read from memory, and their extremes over
// the loops are expressions in what remains; what is allocated inside has a shape without the loop.
// The iterations that do something and their order stay the same, so the step is exact.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

using tenon::bounds_over;

bool in_bounds(const For& loop, const Var& var) { return uses(loop.lo, var) || uses(loop.hi, var); }

// The loops to eliminate, outermost first: the one that is named, or all from the outermost that
// the bounds use on (the bounds of loops between may use it too).
absl::StatusOr<std::vector<For>> eliminated(const Program& program, const LoopSite& site,
                                            const Var& over) {
  const auto used = std::find_if(site.outer.begin(), site.outer.end(), [&](const For& loop) {
    return (!over || loop.var == over) && in_bounds(site.loop, loop.var);
  });
  if (used != site.outer.end()) {
    return over ? std::vector<For>{*used} : std::vector<For>{used, site.outer.end()};
  }
  return refuse("the bounds of loop " + name_in(program, site.loop.var) + " do not use " +
                (over ? name_in(program, over) : "a loop around it"));
}

absl::Status require_no_memory(const Program& program, const LoopSite& site) {
  for (const Expr& bound : {site.loop.lo, site.loop.hi}) {
    if (!touches_memory(bound)) continue;
    return refuse("the bounds of loop " + name_in(program, site.loop.var) +
                  " are read from memory: " + print(bound, program));
  }
  return absl::OkStatus();
}

// More iterations than before reach an Alloc.
absl::Status require_fixed_shapes(const Program& program, const LoopSite& site) {
  absl::Status status;
  walk(site.loop.body, [&](const Stmt& s) {
    const Alloc* local = s.as<Alloc>();
    if (!local || !std::any_of(local->shape.begin(), local->shape.end(),
                               [&](const Expr& extent) { return uses(extent, site.loop.var); })) {
      return;
    }
    status = refuse("the shape of " + local->buffer.name() + " uses " +
                    name_in(program, site.loop.var) + ", which would leave its bounds");
  });
  return status;
}

struct Hull {
  Expr lo, hi;
};

absl::StatusOr<Hull> hull_of(const Program& program, const LoopSite& site,
                             const std::vector<For>& over) {
  Facts around = facts_of(program);
  for (const For& loop : site.outer) {
    if (loop.var == over.front().var) break;
    around = around.inside(loop);
  }
  const std::vector<LoopRange> ranges = ranges_of(over);
  const auto low = bounds_over(site.loop.lo, ranges, around);
  const auto high = bounds_over(site.loop.hi, ranges, around);
  if (!low || !high || touches_memory(low->lo) || touches_memory(high->hi)) {
    return refuse("the least and the greatest value of " +
                  print(low && !touches_memory(low->lo) ? site.loop.hi : site.loop.lo, program) +
                  " over the loops around cannot be found");
  }
  return Hull{low->lo, high->hi};
}

}  // namespace

absl::StatusOr<Program> relax(const Program& program, const Var& loop, const Var& over) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));
  if (over) TENON_RETURN_IF_ERROR(site_of(program, over).status());

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "relax"));
  TENON_ASSIGN_OR_RETURN(const std::vector<For> loops, eliminated(program, site, over));
  TENON_RETURN_IF_ERROR(require_no_memory(program, site));
  TENON_RETURN_IF_ERROR(require_fixed_shapes(program, site));
  TENON_ASSIGN_OR_RETURN(const Hull hull, hull_of(program, site, loops));

  // Rewrite.
  const Facts inside = site.facts.inside(LoopRange{loop, hull.lo, hull.hi});
  Stmt body = site.loop.body;
  for (const Expr& guard : {Expr(loop) < site.loop.hi, site.loop.lo <= Expr(loop)}) {
    if (!proved(inside, guard)) body = sink_guard(body, guard, inside);
  }
  body = make_for(loop, hull.lo, hull.hi, site.loop.kind, std::move(body));
  return simplified(program, replace_loop(program->body, loop, [&](const For&) { return body; }));
}

}  // namespace tenon::primitives
