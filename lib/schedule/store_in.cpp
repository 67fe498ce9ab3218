// store_in(e, out, [i, d0]):
//
//   for i in 0..m                      for i in 0..m
//     alloc e: f32[n]                    for j in 0..n
//     for j in 0..n                        out[i, j] = exp(x[i, j])
//       e[j] = exp(x[i, j])      ->      for j in 0..n
//     for j in 0..n                        out[i, j] = out[i, j]*s[i]
//       out[i, j] = e[j]*s[i]
//
// The stage lives in the memory of the output that overwrites it, and needs none of its own.
// Obligation (may_store_in): the output is no inout, and nothing else reads it; iterations of the
// loops around the stage use different elements of it; no element is used through the stage after
// the output was stored there; whatever the stage writes is overwritten by the output in the end.
// Exact.
#include "schedule/common.h"
#include "schedule/move_accesses.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> store_in(const Program& program, const Buffer& stage, const Buffer& output,
                                 const std::vector<Var>& vars, const std::vector<Expr>& map) {
  // Find and require.
  TENON_ASSIGN_OR_RETURN(const std::vector<Expr> images,
                         may_store_in(program, stage, output, vars, map));

  // Rewrite.
  const auto place = [&](const std::vector<Expr>& indices) {
    VarMap values;
    for (size_t d = 0; d < vars.size(); ++d) values[vars[d]] = indices[d];
    std::vector<Expr> at;
    for (const Expr& e : images) at.push_back(substitute(e, values));
    return at;
  };
  const Stmt body = with_moved_accesses(without_alloc(program->body, stage), stage, output, place);
  return simplified(program, body);
}

}  // namespace tenon::primitives
