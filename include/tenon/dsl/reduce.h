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
//
// Several values reduced together, by functions: `update` takes the state and an element, `combine`
// two states, and both give a state. What they promise is in ir/reducer.h; lanes and partial
// results meet by `combine`.
//
//   Reduction welford = reducer("welford", {0.0f, 0.0f, 0.0f}, {f32}, update, combine);
//   auto [n, mean, m2] = reduce<3>(welford, k, [&](Expr r) { return x(i, r); });
//   Expr best = argmax(k, [&](Expr r) { return x(i, r); });
#pragma once

#include <algorithm>
#include <array>
#include <functional>

#include "tenon/dsl/tensor.h"
#include "tenon/ir/reducer.h"

namespace tenon {

// Which of equal elements an argmax or argmin takes.
enum class Tie { kFirst, kLast };

// An element and its index, i64: its place in the domain, the last axis fastest. A NaN counts as
// the greatest, and as the least. Of nothing: the lowest (highest) value and -1.
struct Extremum {
  Expr value, index;
};

namespace dsl {

std::vector<ReduceAxis> make_axes(const std::vector<Expr>& extents);
Index indices_of(const std::vector<ReduceAxis>& axes);
// Checks the value's type.
Expr finish_reduce(Reducer op, std::vector<ReduceAxis> axes, const Expr& value);

// One result each.
std::vector<Expr> finish_reduce(const Reduction& by, std::vector<ReduceAxis> axes,
                                const std::vector<Expr>& values);

Expr wrong_results(const Reduction& by, size_t asked);
Extremum extremum(Reducer op, std::vector<ReduceAxis> axes, const Expr& value, Tie tie);
// max_over (any) or min_over (all) of bools as numbers.
Expr truth(Reducer op, const std::vector<Expr>& extents,
           const std::function<Expr(const std::vector<ReduceAxis>&)>& element);

template <class F>
Expr reduce(Reducer op, const std::vector<Expr>& extents, const F& element) {
  std::vector<ReduceAxis> axes = make_axes(extents);
  const Index indices = indices_of(axes);
  return finish_reduce(op, std::move(axes), call<Expr>(element, indices));
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

// --- Reductions by functions.

using Values = std::vector<Expr>;
using ValuesFunction = std::function<Values(const Values&, const Values&)>;

// The state's types are those of the identity, a list of constants; `element` are the types of what
// an element consists of. The functions are called once, here.
Reduction reducer(std::string name, const Values& identity, const std::vector<Type>& element,
                  const ValuesFunction& update, const ValuesFunction& combine);

// The results of one reduction; the element is an Expr, or Values for an element of several.
template <class F>
Values reduce(const Reduction& by, const std::vector<Expr>& extents, const F& element) {
  std::vector<ReduceAxis> axes = dsl::make_axes(extents);
  const Index indices = dsl::indices_of(axes);
  return dsl::finish_reduce(by, std::move(axes), dsl::call<Values>(element, indices));
}
template <size_t N, class F>
std::array<Expr, N> reduce(const Reduction& by, const std::vector<Expr>& extents,
                           const F& element) {
  Values results = reduce(by, extents, element);
  if (results.size() != N) results.assign(N, dsl::wrong_results(by, N));
  std::array<Expr, N> array;
  std::move(results.begin(), results.end(), array.begin());
  return array;
}
template <size_t N, class F>
std::array<Expr, N> reduce(const Reduction& by, const Expr& extent, const F& element) {
  return reduce<N>(by, std::vector<Expr>{extent}, element);
}

// The greatest (least) element and its index.
template <class F>
Extremum max_with_index(const std::vector<Expr>& extents, const F& element, Tie tie = Tie::kFirst) {
  std::vector<ReduceAxis> axes = dsl::make_axes(extents);
  const Expr value = dsl::call<Expr>(element, dsl::indices_of(axes));
  return dsl::extremum(Reducer::kMax, std::move(axes), value, tie);
}
template <class F>
Extremum min_with_index(const std::vector<Expr>& extents, const F& element, Tie tie = Tie::kFirst) {
  std::vector<ReduceAxis> axes = dsl::make_axes(extents);
  const Expr value = dsl::call<Expr>(element, dsl::indices_of(axes));
  return dsl::extremum(Reducer::kMin, std::move(axes), value, tie);
}
template <class F>
Expr argmax(const std::vector<Expr>& extents, const F& element, Tie tie = Tie::kFirst) {
  return max_with_index(extents, element, tie).index;
}
template <class F>
Expr argmax(const Expr& extent, const F& element, Tie tie = Tie::kFirst) {
  return argmax(std::vector<Expr>{extent}, element, tie);
}
template <class F>
Expr argmin(const std::vector<Expr>& extents, const F& element, Tie tie = Tie::kFirst) {
  return min_with_index(extents, element, tie).index;
}
template <class F>
Expr argmin(const Expr& extent, const F& element, Tie tie = Tie::kFirst) {
  return argmin(std::vector<Expr>{extent}, element, tie);
}

// Whether any, or every, element holds (bool). Of nothing: false, and true.
template <class F>
Expr any(const std::vector<Expr>& extents, const F& element) {
  return dsl::truth(Reducer::kMax, extents, [&](const std::vector<ReduceAxis>& axes) {
    return dsl::call<Expr>(element, dsl::indices_of(axes));
  });
}
template <class F>
Expr any(const Expr& extent, const F& element) {
  return any(std::vector<Expr>{extent}, element);
}
template <class F>
Expr all(const std::vector<Expr>& extents, const F& element) {
  return dsl::truth(Reducer::kMin, extents, [&](const std::vector<ReduceAxis>& axes) {
    return dsl::call<Expr>(element, dsl::indices_of(axes));
  });
}
template <class F>
Expr all(const Expr& extent, const F& element) {
  return all(std::vector<Expr>{extent}, element);
}

}  // namespace tenon
