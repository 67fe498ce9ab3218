// reverse_inline(out):
//
//   alloc t: f32[n]                        for io in 0..n // 8
//   for io in 0..n // 8                      vector for ii in 0..8
//     vector for ii in 0..8                    out[io*8 + ii] = x[io*8 + ii]*2.0 + b[io*8 + ii]
//       t[io*8 + ii] = x[io*8 + ii]*2.0 ->
//   for i in 0..n
//     out[i] = t[i] + b[i]
//
// As inline_into(t), but the nest that stays is that of the producer, with its loops and marks.
// Obligation (may_reverse_inline): the stage is elementwise over the producer, which nothing else
// reads; every element that is read was stored; what the stage reads besides does not change.
// Exact.
#include "schedule/common.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<InlineResult> reverse_inline(const Program& program, const Buffer& stage) {
  // Find and require.
  TENON_ASSIGN_OR_RETURN(const ReverseInline plan, may_reverse_inline(program, stage));

  // Rewrite.
  const Stmt body = rewrite_stmts(program->body, [&](const Stmt& s) {
    if (s.get() == plan.nest.get()) return seq({});
    if (s.get() == plan.write.get()) return plan.replacement;
    if (plan.declaration && s.get() == plan.declaration.get()) return seq({});
    const Alloc* a = s.as<Alloc>();
    if (!a || !(a->buffer == plan.producer)) return s;
    return plan.declaration ? plan.declaration : seq({});
  });
  return InlineResult{simplified(program, body), plan.removed};
}

}  // namespace tenon::primitives
