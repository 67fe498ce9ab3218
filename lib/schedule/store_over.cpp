// store_over(e, t):
//
//   alloc t: f32[n]                    alloc t: f32[n]
//   for i in 0..n                      for i in 0..n
//     t[i] = x[i] * 2.0                  t[i] = x[i] * 2.0
//   alloc e: f32[n]              ->    for i in 0..n
//   for i in 0..n                        t[i] = exp(t[i])
//     e[i] = exp(t[i])                 for i in 0..n
//   for i in 0..n                        out[i] = t[i]
//     out[i] = e[i]
//
// The first stage takes over the memory of the second, which keeps its name.
// Obligation (may_store_over): both are declared in the same sequence, with the same type and
// shape; the old stage is complete before the statement in which the new one begins; none of its
// elements is read after the new stage was stored there. Exact.
#include "schedule/move_accesses.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> store_over(const Program& program, const Buffer& stage, const Buffer& old) {
  // Find and require.
  TENON_RETURN_IF_ERROR(may_store_over(program, stage, old));

  // Rewrite.
  return program.with_body(
      substitute(without_alloc(program->body, stage), BufferMap{{stage, old}}));
}

}  // namespace tenon::primitives
