// reverse_compute_at(out, io):
//
//   for io in 0..n // 8                       for io in 0..n // 8
//     for ii in 0..8                            for ii in 0..8
//       t[io*8 + ii] = x[io*8 + ii] * 2.0         t[io*8 + ii] = x[io*8 + ii] * 2.0
//   for i in 0..n                       ->      for i in 0..8
//     out[i] = t[i] + 1.0                         out[io*8 + i] = t[io*8 + i] + 1.0
//
// A consumer goes to where what it reads is complete: the end of the body of a loop that computes
// it. Each iteration does the part of the stage that it completes: if an element needs the one
// before it, the parts stay behind by one. A loop that repeats instead of moving on (a reduction's)
// does it in its last iteration. The loops of the stage keep their variables.
// Obligation (may_reverse_compute_at): the parts are blocks that make up the stage, and what the
// nest reads is complete in each of them. Exact.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<ComputeAtResult> reverse_compute_at(const Program& program, const Buffer& stage,
                                                   const Var& at) {
  // Find and require.
  TENON_ASSIGN_OR_RETURN(const ReverseComputeAt plan, may_reverse_compute_at(program, stage, at));

  // Rewrite.
  const auto is_old = [&](const Stmt& s) {
    return s.get() == plan.nest.get() ||
           std::any_of(plan.allocs.begin(), plan.allocs.end(),
                       [&](const Stmt& a) { return a.get() == s.get(); });
  };
  std::vector<Stmt> holder = plan.allocs;
  holder.push_back(replace_loop(plan.holds_at, at, [&](const For& l) {
    return make_for(l.var, l.lo, l.hi, l.kind, seq({l.body, plan.moved}));
  }));
  const Stmt body = rewrite_stmts(program->body, [&](const Stmt& s) {
    if (is_old(s)) return seq({});
    return s.get() == plan.holds_at.get() ? seq(holder) : s;
  });
  return ComputeAtResult{simplified(program, body), plan.loops};
}

}  // namespace tenon::primitives
