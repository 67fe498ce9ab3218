// fold_storage(t, 0, 4):
//
//   alloc t: f32[n + 2]                        alloc t: f32[4]
//   for i in 0..n                              for i in 0..n
//     t[i + 2] = x[i + 2]               ->       t[(i + 2) % 4] = x[i + 2]
//     out[i] = t[i] + t[i + 1] + t[i + 2]        out[i] = t[i % 4] + t[(i + 1) % 4] + t[(i + 2) %
//     4]
//
// A circular buffer: elements that are `factor` apart share a place.
// Obligation (may_fold_storage): the stage is a local buffer, and an element is not used any more
// once one that shares its place, and lies further on, was written; or the same for one that lies
// before it. The lanes of a vector loop store to different places, also those that guards turn off.
// Exact.
#include "schedule/common.h"
#include "schedule/move_accesses.h"
#include "schedule/resize.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> fold_storage(const Program& program, const Buffer& stage, int dim,
                                     int64_t factor) {
  // Find.
  TENON_RETURN_IF_ERROR(shape_of_local(program, stage, dim).status());

  // Require.
  TENON_RETURN_IF_ERROR(may_fold_storage(program, stage, dim, factor));

  // Rewrite.
  const auto d = static_cast<size_t>(dim);
  const auto place = [&](std::vector<Expr> indices) {
    indices[d] = indices[d] % Expr(factor);
    return indices;
  };
  const Stmt body = with_moved_accesses(program->body, stage, stage, place);
  return simplified(program, with_extent(body, stage, d, Expr(factor)));
}

}  // namespace tenon::primitives
