// slide(t, i):
//
//   alloc t: f32[n + 1]                    alloc t: f32[n + 1]
//   for i in 0..n                          for l_1 in 0..1
//     for l in 0..2                          if 1 <= n
//       t[i + l] = x[i + l] * 2.0              t[l_1] = x[l_1] * 2.0
//     out[i] = t[i] + t[i + 1]       ->    for i in 0..n
//                                            for l in 0..1
//                                              t[i + 1 + l] = x[i + 1 + l] * 2.0
//                                            out[i] = t[i] + t[i + 1]
//
// A sliding window: an iteration computes only what the part that it needs gains over that of the
// iteration before. What the first one needs beyond that gets a nest of its own in front of the
// loop.
// Obligation (may_slide): iterations that need an element would compute the same value, and what
// the nest reads does not change until the last of them. Exact.
#include "schedule/common.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<SlideResult> slide(const Program& program, const Buffer& stage, const Var& loop) {
  // Find and require.
  TENON_ASSIGN_OR_RETURN(const Slide plan, may_slide(program, stage, loop));

  // Rewrite. Without iterations the first window is not needed, and may not be there to be read.
  const For& old = plan.loop.loop;
  const Expr runs = old.lo < old.hi;
  Stmt first = plan.first;
  if (!proved(plan.loop.facts, runs)) first = sink_guard(first, runs, plan.loop.facts);
  const Stmt body = rewrite_stmts(
      old.body, [&](const Stmt& s) { return s.get() == plan.nest.get() ? plan.next : s; });
  const Stmt both = seq({first, make_for(old.var, old.lo, old.hi, old.kind, body)});
  return SlideResult{
      simplified(program, replace_loop(program->body, loop, [&](const For&) { return both; })),
      plan.loops};
}

}  // namespace tenon::primitives
