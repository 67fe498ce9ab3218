// Pieces one after the other: one nest for each, into its part.
#include "dsl/emit.h"
#include "dsl/hoist.h"
#include "tenon/analysis/affine.h"
#include "tenon/ir/operators.h"

namespace tenon::dsl {

std::vector<Stmt> emit_concat(const Concat& whole, const Buffer& result, const Emission& emission) {
  std::vector<Stmt> stmts, nests;
  if (!emission.declared.count(result)) {
    std::vector<Expr> shape;
    for (const Expr& extent : whole.shape) shape.push_back(cast(i64, extent));
    stmts.push_back(alloc(result, std::move(shape)));
  }
  for (const Concat::Piece& piece : whole.pieces) {
    const Axes axes = box(piece.vars, piece.shape);
    std::vector<Expr> indices = indices_of(axes);
    indices[whole.dim] = to_expr(to_affine(piece.start + indices[whole.dim]));
    Hoister hoister(result.name(), emission.names);
    hoister.enter(axes);
    const Expr value = hoister.hoist(piece.value);
    for (const Stmt& stage : hoister.take()) stmts.push_back(stage);
    nests.push_back(nest(axes, store(result, indices, value)));
  }
  stmts.insert(stmts.end(), nests.begin(), nests.end());
  return stmts;
}

}  // namespace tenon::dsl
