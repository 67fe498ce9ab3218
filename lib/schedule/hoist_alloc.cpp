// hoist_alloc(t, i):
//
//   for i in 0..n                            alloc t: f32[n + 1]
//     alloc t: f32[2]                        for i in 0..n
//     for l in 0..2                            for l in 0..2
//       t[l] = x[i + l] * 2.0          ->        t[i + l] = x[i + l] * 2.0
//     out[i] = t[0] + t[1]                     out[i] = t[i] + t[i + 1]
//
// The stage is stored for all iterations and still computed by each: element [l] of iteration i
// stands where every iteration that computes the same value has it.
// Obligation (may_hoist_alloc): such a place exists, and the hull of places is known in front of
// the loop. Exact.
#include "schedule/common.h"
#include "schedule/move_accesses.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> hoist_alloc(const Program& program, const Buffer& stage, const Var& loop) {
  // Find and require.
  TENON_ASSIGN_OR_RETURN(const HoistAlloc plan, may_hoist_alloc(program, stage, loop));

  // Rewrite.
  const auto place = [&](const std::vector<Expr>& indices) {
    std::vector<Expr> moved;
    for (size_t d = 0; d < indices.size(); ++d) moved.push_back(indices[d] + plan.offset[d]);
    return moved;
  };
  std::vector<Stmt> parts;
  Stmt body = plan.loop.loop.body;
  for (const Buffer& one : plan.stages) {
    parts.push_back(alloc(one, plan.extent, memory_of(program, one)));
    body = without_alloc(body, one);
  }
  body = with_moved_accesses(body, plan.stages, place);
  const For& old = plan.loop.loop;
  parts.push_back(make_for(old.var, old.lo, old.hi, old.kind, body));
  return simplified(program,
                    replace_loop(program->body, loop, [&](const For&) { return seq(parts); }));
}

}  // namespace tenon::primitives
