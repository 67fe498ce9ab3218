// Writing at indices that are data.
//
//   Tensor y = update("y", x, scatter(n, [&](Expr r) { return ids(r); }, [&](Expr r) { return v(r);
//   })); Tensor counts = update("counts", zeros,
//                          scatter(n, [&](Expr r) { return bins(r); }, [](Expr) { return 1; },
//                          Reducer::kSum));
//
// The result starts as a copy of `init`. A scatter then goes through its domain in order, the last
// axis fastest, and for each element stores a value at an index, or combines it with what is there:
// by a reducer, or by a function of the old value and the new one. So of several values for one
// place the last one wins. An index that is data is checked when the kernel runs, as in a read:
// outside, the call returns an error. Several scatters run one after the other, in one stage.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tenon/dsl/domain.h"
#include "tenon/dsl/tensor.h"

namespace tenon {

struct Scatter {
  dsl::Space space;
  Index index;
  Expr value;
  std::optional<Reducer> by;                              // none: store
  std::function<Expr(const Expr&, const Expr&)> combine;  // of old and new; may be empty
};

// The index function gives an Index, or one Expr for one dimension.
template <class IndexOf, class ValueOf>
Scatter scatter(const Domain& domain, const IndexOf& index, const ValueOf& value,
                std::optional<Reducer> by = std::nullopt) {
  Scatter s;
  s.space = dsl::make_space(domain);
  const Index at = dsl::indices_of(s.space);
  s.index = Index(dsl::call<std::vector<Expr>>(index, at));
  s.value = dsl::call<Expr>(value, at);
  s.by = by;
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

// In place: the inout `state` with these scatters, of which each begins where the one before ended.
// Their values, indices and domains read it as it was, from a copy; a reducer, and the old value
// that a `combine` gets, are of the place that is being written.
Tensor update(const Tensor& state, const std::vector<Scatter>& scatters);
Tensor update(const Tensor& state, const Scatter& scatter);

}  // namespace tenon
