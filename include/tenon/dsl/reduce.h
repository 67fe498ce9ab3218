// Reductions over one or several axes.
//
//   Expr dot = sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
//   Expr peak = max_over({kh, kw}, [&](Expr a, Expr b) { return x(2 * i + a, 2 * j + b); });
//   Expr all = sum(x.shape(), [&](Index r) { return x(r); });
//
// The axes run over [0, extent), the last one fastest; extents are integer expressions that may use
// sizes and enclosing indices. The order of a floating-point sum is that of the loops until a
// schedule step says otherwise. An empty reduction gives the identity: -0.0 (which equals 0), 1,
// the lowest (-inf) or the highest (+inf) value. NaN propagates through max_over and min_over. The
// accumulator has the type of the element: cast to a wider type inside when that matters.
#pragma once

#include "tenon/dsl/tensor.h"

namespace tenon {

namespace dsl {

std::vector<ReduceAxis> make_axes(const std::vector<Expr>& extents);
Index indices_of(const std::vector<ReduceAxis>& axes);
// Checks the value's type.
Expr finish_reduce(Reducer op, std::vector<ReduceAxis> axes, const Expr& value);

template <class F>
Expr reduce(Reducer op, const std::vector<Expr>& extents, const F& element) {
  std::vector<ReduceAxis> axes = make_axes(extents);
  const Index indices = indices_of(axes);
  return finish_reduce(op, std::move(axes), call(element, indices));
}

}  // namespace dsl

template <class F>
Expr sum(const std::vector<Expr>& extents, const F& element) {
  return dsl::reduce(Reducer::kSum, extents, element);
}
template <class F>
Expr sum(std::initializer_list<Expr> extents, const F& element) {
  return dsl::reduce(Reducer::kSum, extents, element);
}
template <class F>
Expr sum(const Expr& extent, const F& element) {
  return dsl::reduce(Reducer::kSum, {extent}, element);
}
template <class F>
Expr prod(const std::vector<Expr>& extents, const F& element) {
  return dsl::reduce(Reducer::kProd, extents, element);
}
template <class F>
Expr prod(std::initializer_list<Expr> extents, const F& element) {
  return dsl::reduce(Reducer::kProd, extents, element);
}
template <class F>
Expr prod(const Expr& extent, const F& element) {
  return dsl::reduce(Reducer::kProd, {extent}, element);
}
template <class F>
Expr max_over(const std::vector<Expr>& extents, const F& element) {
  return dsl::reduce(Reducer::kMax, extents, element);
}
template <class F>
Expr max_over(std::initializer_list<Expr> extents, const F& element) {
  return dsl::reduce(Reducer::kMax, extents, element);
}
template <class F>
Expr max_over(const Expr& extent, const F& element) {
  return dsl::reduce(Reducer::kMax, {extent}, element);
}
template <class F>
Expr min_over(const std::vector<Expr>& extents, const F& element) {
  return dsl::reduce(Reducer::kMin, extents, element);
}
template <class F>
Expr min_over(std::initializer_list<Expr> extents, const F& element) {
  return dsl::reduce(Reducer::kMin, extents, element);
}
template <class F>
Expr min_over(const Expr& extent, const F& element) {
  return dsl::reduce(Reducer::kMin, {extent}, element);
}

}  // namespace tenon
