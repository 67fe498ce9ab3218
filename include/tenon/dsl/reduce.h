// Reductions over one or several axes.
//
//   Expr dot = sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
//   Expr peak = max_over({kh, kw}, [&](Expr a, Expr b) { return x(2 * i + a, 2 * j + b); });
//   Expr all = sum(x.shape(), [&](Index r) { return x(r); });
//
// The axes run over [0, extent), the last one fastest; extents are integer expressions that may use
// sizes and enclosing indices, and domain.h says how to leave elements out. The order of a
// floating-point sum is that of the loops until a schedule step says otherwise. An empty reduction
// gives the identity: -0.0 (which equals 0), 1, the lowest (-inf) or the highest (+inf) value. NaN
// propagates through max_over and min_over. The accumulator has the type of the element: cast to a
// wider type inside when that matters.
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
#include <vector>

#include "tenon/dsl/domain.h"
#include "tenon/dsl/tensor.h"
#include "tenon/ir/reducer.h"

namespace tenon {

// The values of a state, or of an element of several.
using Values = std::vector<Expr>;

// Which of equal elements an argmax or argmin takes.
enum class Tie { kFirst, kLast };

// An element and its index, i64: its place in the domain, the last axis fastest. A NaN counts as
// the greatest, and as the least. Of nothing: the lowest (highest) value and -1.
struct Extremum {
  Expr value, index;
};

namespace dsl {

// These check the types of the values. With several values: one result each.
Expr finish_reduce(Reducer op, Space space, const Expr& value);
Values finish_reduce(const Reduction& by, Space space, const Values& values);
Extremum finish_extremum(Reducer op, Tie tie, Space space, const Expr& value);
// max_over (any) or min_over (all) of bools as numbers.
Expr finish_truth(Reducer op, Space space, const Expr& value);
Expr wrong_results(const Reduction& by, size_t asked);

// finish(space, the element at its indices).
template <class Element, class F, class Finish>
auto over(const Domain& domain, const F& element, const Finish& finish) {
  Space space = make_space(domain);
  const Element value = call<Element>(element, indices_of(space));
  return finish(std::move(space), value);
}

template <class F>
Expr reduce(Reducer op, const Domain& domain, const F& element) {
  return over<Expr>(domain, element, [&](Space space, const Expr& value) {
    return finish_reduce(op, std::move(space), value);
  });
}
template <class F>
Extremum extremum(Reducer op, Tie tie, const Domain& domain, const F& element) {
  return over<Expr>(domain, element, [&](Space space, const Expr& value) {
    return finish_extremum(op, tie, std::move(space), value);
  });
}
template <class F>
Expr truth(Reducer op, const Domain& domain, const F& element) {
  return over<Expr>(domain, element, [&](Space space, const Expr& value) {
    return finish_truth(op, std::move(space), value);
  });
}

}  // namespace dsl

template <class F>
Expr sum(const Domain& domain, const F& element) {
  return dsl::reduce(Reducer::kSum, domain, element);
}
template <class F>
Expr prod(const Domain& domain, const F& element) {
  return dsl::reduce(Reducer::kProd, domain, element);
}
template <class F>
Expr max_over(const Domain& domain, const F& element) {
  return dsl::reduce(Reducer::kMax, domain, element);
}
template <class F>
Expr min_over(const Domain& domain, const F& element) {
  return dsl::reduce(Reducer::kMin, domain, element);
}

// --- Reductions by functions.

using ValuesFunction = std::function<Values(const Values&, const Values&)>;

// The state's types are those of the identity, a list of constants; `element` are the types of what
// an element consists of. The functions are called once, here.
Reduction reducer(std::string name, const Values& identity, const std::vector<Type>& element,
                  const ValuesFunction& update, const ValuesFunction& combine);

// The results of one reduction; the element is an Expr, or Values for an element of several.
template <class F>
Values reduce(const Reduction& by, const Domain& domain, const F& element) {
  return dsl::over<Values>(domain, element, [&](dsl::Space space, const Values& value) {
    return dsl::finish_reduce(by, std::move(space), value);
  });
}
template <size_t N, class F>
std::array<Expr, N> reduce(const Reduction& by, const Domain& domain, const F& element) {
  Values results = reduce(by, domain, element);
  if (results.size() != N) results.assign(N, dsl::wrong_results(by, N));
  std::array<Expr, N> array;
  std::move(results.begin(), results.end(), array.begin());
  return array;
}

template <class F>
Extremum max_with_index(const Domain& domain, const F& element, Tie tie = Tie::kFirst) {
  return dsl::extremum(Reducer::kMax, tie, domain, element);
}
template <class F>
Extremum min_with_index(const Domain& domain, const F& element, Tie tie = Tie::kFirst) {
  return dsl::extremum(Reducer::kMin, tie, domain, element);
}
template <class F>
Expr argmax(const Domain& domain, const F& element, Tie tie = Tie::kFirst) {
  return max_with_index(domain, element, tie).index;
}
template <class F>
Expr argmin(const Domain& domain, const F& element, Tie tie = Tie::kFirst) {
  return min_with_index(domain, element, tie).index;
}

// Whether any, or every, element holds (bool). Of nothing: false, and true.
template <class F>
Expr any(const Domain& domain, const F& element) {
  return dsl::truth(Reducer::kMax, domain, element);
}
template <class F>
Expr all(const Domain& domain, const F& element) {
  return dsl::truth(Reducer::kMin, domain, element);
}

}  // namespace tenon
