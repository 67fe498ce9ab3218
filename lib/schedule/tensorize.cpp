// tensorize(j, dot2):
//
//   for j in 0..8 {                              instruction dot2 for j in 0..8 {
//     for k in 0..2 {                              for k in 0..2 {
//       acc[j] += cast<i32>(x[k]) *        ->        acc[j] += ...
//                 cast<i32>(w[j, k])               }
//     }                                          }
//   }
//
// Lowering makes the nest one instruction where the target has it and no guard of a tail is left in
// the nest; elsewhere the loops stay. The text and the interpreter keep the loops.
// Obligation (match_instruction): the nest, without guards, is the meaning of the instruction up to
// buffers, places and strides; it stands in no vector loop. Exact, unless the instruction is not.
#include "schedule/common.h"
#include "tenon/analysis/match_instruction.h"
#include "tenon/base/macros.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> tensorize(const Program& program, const Var& loop,
                                  const Instruction& instruction) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "tensorize"));
  for (const For& outer : site.outer) {
    if (outer.kind != ForKind::kVector) continue;
    return refuse("loop " + name_in(program, loop) + " stands inside the vector loop " +
                  name_in(program, outer.var) + "; an instruction has lanes of its own");
  }
  TENON_RETURN_IF_ERROR(match_instruction(program, site.loop, instruction).status());

  // Rewrite.
  return with_kind(program, loop, LoopKind(instruction),
                   Verdict{absl::OkStatus(), !instruction->exact});
}

}  // namespace tenon::primitives
