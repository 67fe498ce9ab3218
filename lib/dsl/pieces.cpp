#include "tenon/dsl/pieces.h"

#include "dsl/definition.h"
#include "dsl/dims.h"
#include "tenon/analysis/affine.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

// a - b, and whether two extents are the same, up to the order of their terms.
Expr difference(const Expr& a, const Expr& b) {
  return to_expr(to_affine(cast(i64, a)) - to_affine(cast(i64, b)));
}
bool same_extent(const Expr& a, const Expr& b) {
  return equal(to_affine(cast(i64, a)), to_affine(cast(i64, b)));
}

// What is wrong with the pieces; null when all is well.
Expr mistake(const std::string& name, int dim, const std::vector<Tensor>& pieces) {
  const std::string what = "concat " + name;
  if (pieces.empty()) return invalid(what + " has no pieces");
  for (const Tensor& piece : pieces) {
    if (!piece.buffer()) return invalid(what + ": a piece was never defined");
  }
  const Tensor& first = pieces.front();
  const int d = dsl::settle_dim(dim, first.rank());
  if (d < 0) return dsl::wrong_dim(what, dim, first);
  for (const Tensor& piece : pieces) {
    if (piece.rank() != first.rank()) {
      return invalid(what + ": " + piece.name() + " has " + std::to_string(piece.rank()) +
                     " dimensions and " + first.name() + " has " + std::to_string(first.rank()));
    }
    if (piece.type() != first.type()) {
      return invalid(what + ": " + piece.name() + " is " + to_string(piece.type()) + " and " +
                     first.name() + " is " + to_string(first.type()) + "; cast one of them");
    }
    for (int e = 0; e < piece.rank(); ++e) {
      if (!piece.size(e) || !piece.size(e).type().is_int()) {
        return invalid(what + ": the shape of " + piece.name() + " is not one of integers");
      }
      if (e == d || same_extent(piece.size(e), first.size(e))) continue;
      return invalid(what + ": dimension " + std::to_string(e) + " is " + print(piece.size(e)) +
                     " in " + piece.name() + " and " + print(first.size(e)) + " in " +
                     first.name());
    }
  }
  return Expr();
}

}  // namespace

Tensor slice(const Tensor& t, int dim, const Expr& lo, const Expr& hi, int64_t step) {
  const auto wrong = [&](const Expr& e) {
    return Tensor::view(t, t.shape(), [e](const Index&) { return e; });
  };
  const int d = dsl::settle_dim(dim, t.rank());
  if (d < 0) return wrong(dsl::wrong_dim("slice", dim, t));
  if (step < 1) {
    return wrong(invalid("slice of " + t.name() + ": the step is " + std::to_string(step) +
                         "; it is at least 1"));
  }
  for (const Expr& bound : {lo, hi}) {
    if (!bound) return wrong(invalid("slice of " + t.name() + ": a bound is empty"));
    if (bound.is<Invalid>()) return wrong(bound);
    if (!bound.type().is_int() || bound.type().is_vector()) {
      return wrong(invalid("slice of " + t.name() + ": a bound has type " +
                           to_string(bound.type()) + "; it must be an integer"));
    }
  }
  const Expr length = difference(hi, lo);
  std::vector<Expr> shape = t.shape();
  Expr& extent = shape[static_cast<size_t>(d)];
  extent = step == 1 ? length : to_expr(to_affine(length + (step - 1))) / Expr(step);
  return Tensor::view(t, shape, [t, d, lo = cast(i64, lo), step, extent](const Index& at) {
    const Expr i = dsl::checked_index(at[d], extent);
    return t(at.with(d, to_expr(to_affine(lo + i * Expr(step)))));
  });
}

Tensor concat(std::string name, int dim, const std::vector<Tensor>& pieces) {
  if (const Expr wrong = mistake(name, dim, pieces); wrong.get()) {
    return dsl::make_tensors({std::move(name)}, {}, Index(), {wrong})[0];
  }
  const Tensor& first = pieces.front();
  const int d = dsl::settle_dim(dim, first.rank());
  Concat whole;
  whole.shape = first.shape();
  whole.dim = static_cast<size_t>(d);
  Expr start = constant_int(i64, 0);
  for (const Tensor& piece : pieces) {
    const Index at = dsl::make_indices(piece.shape());
    Concat::Piece part;
    part.shape = piece.shape();
    part.start = start;
    for (const Expr& i : at) part.vars.push_back(i.as<VarRef>()->var);
    part.value = piece(at);
    start = to_expr(to_affine(start + cast(i64, piece.size(d))));
    whole.pieces.push_back(std::move(part));
  }
  whole.shape[whole.dim] = start;
  const std::vector<Expr> shape = whole.shape;
  return dsl::make_tensor(std::move(name), first.type(), shape, Recipe{std::move(whole)});
}

}  // namespace tenon
