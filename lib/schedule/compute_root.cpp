// compute_root(t):
//
//   for io in 0..4                            alloc t: f32[33]
//     alloc t: f32[9]                         for i in 0..33
//     for i in 0..9                             t[i] = x[i] * 2.0
//       t[i] = x[io*8 + i] * 2.0        ->    for io in 0..4
//     for ii in 0..8                            for ii in 0..8
//       out[io*8 + ii] = t[ii] + t[ii + 1]        out[io*8 + ii] = t[io*8 + ii] + t[io*8 + ii + 1]
//
// The inverse of compute_at. The nest goes in front of the outermost loop around it, over the hull
// of the places that the iterations compute: element [l] of an iteration stands at l + shift. Its
// loops keep their variables.
// Obligation (may_compute_root): the nest depends on the place alone, what it reads is the same
// there, and all places of the hull can be computed. Exact.
#include <algorithm>

#include "schedule/common.h"
#include "schedule/move_nest.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// Without the old nest and declarations.
Stmt without_stage(const Stmt& s, const ComputeRoot& plan) {
  return rewrite_stmts(s, [&](const Stmt& t) {
    const Alloc* a = t.as<Alloc>();
    const bool declares =
        a && std::find(plan.stages.begin(), plan.stages.end(), a->buffer) != plan.stages.end();
    return declares || t.get() == plan.nest.get() ? seq({}) : t;
  });
}

}  // namespace

absl::StatusOr<ComputeAtResult> compute_root(const Program& program, const Buffer& stage) {
  // Find and require.
  TENON_ASSIGN_OR_RETURN(const ComputeRoot plan, may_compute_root(program, stage));

  // Rewrite. Index [e] of a read becomes e + shift - lo.
  std::vector<Expr> offset;
  for (size_t d = 0; d < plan.shift.size(); ++d) {
    offset.push_back(plan.shift[d] - plan.region.lo[d]);
  }
  std::vector<Stmt> parts;
  for (const Buffer& one : plan.stages) {
    parts.push_back(alloc(one, plan.region.extent, memory_of(program, one)));
  }
  parts.push_back(moved_nest(plan.at_positions, plan.stages, plan.loops, plan.region));
  const Stmt& old = plan.outermost.statement;
  parts.push_back(with_offset_reads(without_stage(old, plan), plan.stages, offset));
  const Stmt body =
      replace_loop(program->body, plan.outermost.loop.var, [&](const For&) { return seq(parts); });
  return ComputeAtResult{simplified(program, body), loops_by_depth(plan.nest, plan.loops)};
}

}  // namespace tenon::primitives
