// Writing at indices that are data.
//
//   Tensor y = update("y", x, scatter(n, [&](Expr r) { return ids(r); },
//                                     [&](Expr r) { return v(r); }));
//   Tensor counts = update("counts", zeros,
//                          scatter(n, [&](Expr r) { return bins(r); }, [](Expr) { return 1; },
//                                  Reducer::kSum));
//
// The result starts as a copy of `init`. A scatter then goes through its domain in order, the last
// axis fastest, and for each element stores a value at an index, or combines it with what is there:
// by a reducer, or by a function of the old value and the new one. So of several values for one
// place the last one wins. An index that is data is checked when the kernel runs, as in a read:
// outside, the call returns an error. Several scatters run one after the other, in one stage.
//
// By functions of the user's own (reducer() in reduce.h) several tensors of one shape are updated
// together, at one index: the element is what `update` of the reducer takes.
//
//   auto [best, at] = update<2>({"best", "at"}, {lowest, none},
//                               scatter(n, [&](Expr r) { return bins(r); },
//                                       [&](Expr r) -> Values { return {v(r), r}; }, argmax));
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tenon/dsl/domain.h"
#include "tenon/dsl/reduce.h"
#include "tenon/dsl/tensor.h"

namespace tenon {

struct Scatter {
  dsl::Space space;
  Index index;
  Values values;                                          // one per result, or an element of `by`
  std::optional<Reduction> by;                            // none: store
  std::function<Expr(const Expr&, const Expr&)> combine;  // of old and new; may be empty
};

// The index function gives an Index, or one Expr for one dimension; the value function an Expr, or
// Values where there are several.
template <class IndexOf, class ValueOf>
Scatter scatter(const Domain& domain, const IndexOf& index, const ValueOf& value) {
  Scatter s;
  s.space = dsl::make_space(domain);
  const Index at = dsl::indices_of(s.space);
  s.index = Index(dsl::call<std::vector<Expr>>(index, at));
  s.values = dsl::call<Values>(value, at);
  return s;
}

template <class IndexOf, class ValueOf, class By>
requires std::is_convertible_v<By, Reduction> Scatter scatter(const Domain& domain,
                                                              const IndexOf& index,
                                                              const ValueOf& value, const By& by) {
  Scatter s = scatter(domain, index, value);
  s.by = Reduction(by);
  return s;
}

template <class IndexOf, class ValueOf, class Combine>
requires std::is_invocable_r_v<Expr, const Combine&, Expr, Expr> Scatter
scatter(const Domain& domain, const IndexOf& index, const ValueOf& value, const Combine& combine) {
  Scatter s = scatter(domain, index, value);
  s.combine = combine;
  return s;
}

Tensor update(std::string name, const Tensor& init, const std::vector<Scatter>& scatters);
Tensor update(std::string name, const Tensor& init, const Scatter& scatter);

namespace dsl {

std::vector<Tensor> update_together(const std::vector<std::string>& names,
                                    const std::vector<Tensor>& inits,
                                    const std::vector<Scatter>& scatters);

}  // namespace dsl

// Several tensors that start as copies of inits of one shape.
template <size_t N>
std::array<Tensor, N> update(std::vector<std::string> names, std::vector<Tensor> inits,
                             const std::vector<Scatter>& scatters) {
  names.resize(N, "result");
  inits.resize(N);
  std::vector<Tensor> tensors = dsl::update_together(names, inits, scatters);
  std::array<Tensor, N> array;
  std::move(tensors.begin(), tensors.end(), array.begin());
  return array;
}
template <size_t N>
std::array<Tensor, N> update(std::vector<std::string> names, std::vector<Tensor> inits,
                             const Scatter& scatter) {
  return update<N>(std::move(names), std::move(inits), std::vector<Scatter>{scatter});
}

// In place: the inout `state` with these scatters, of which each begins where the one before ended.
// Their values, indices and domains read it as it was, from a copy; a reducer, and the old value
// that a `combine` gets, are of the place that is being written.
Tensor update(const Tensor& state, const std::vector<Scatter>& scatters);
Tensor update(const Tensor& state, const Scatter& scatter);

}  // namespace tenon
