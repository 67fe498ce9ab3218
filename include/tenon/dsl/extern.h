// Stages that a C function computes: a routine of a vendor library, say, in the middle of a
// Program.
//
//   ExternFunction gemm{"gemm", &my_gemm, &my_context};        // base/extern_function.h
//   Tensor y = extern_call(gemm, {"y", f32, {m, n}}, {x, w});  // once, with whole tensors
//   Tensor z = extern_call(gemm, {"z", f32, {m, n}}, {x, w}, m, [&](Expr i) -> Parts {
//     return {.writes = {{i, kWhole}}, .reads = {{i, kWhole}, {kWhole, kWhole}}};  // by rows
//   });
//
// The function gets the parts of the results that it writes, then the parts of the inputs that it
// reads. They are all that is known of it: it stores every element of the one, reads the other, and
// may be called whenever a loop over stores and loads of these elements could run. An index alone
// is no dimension of what it gets: above, the rows have one. The parts of all calls together cover
// the results; that, and that none leaves its tensor, is proved when the Program is built and when
// it is scheduled, or the Program is refused.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tenon/dsl/domain.h"
#include "tenon/dsl/tensor.h"
#include "tenon/ir/stmt.h"

namespace tenon {

// What a call is given of one dimension: one index, [lo, hi), or all of it.
class Part {
 public:
  template <class T>
  requires std::convertible_to<T, Expr> Part(const T& index) : lo_(Expr(index)) {}  // NOLINT
  Part(Expr lo, Expr hi) : lo_(std::move(lo)), hi_(std::move(hi)) {}
  static Part all() { return Part(Expr(), Expr()); }

  const Expr& lo() const { return lo_; }
  const Expr& hi() const { return hi_; }  // null: one index
  bool is_all() const { return !lo_ && !hi_; }

 private:
  Expr lo_, hi_;
};
inline const Part kWhole = Part::all();

// Of each result, and of each input: one Part per dimension.
struct Parts {
  std::vector<std::vector<Part>> writes, reads;
};

struct ExternResult {
  std::string name;
  Type type;
  std::vector<Expr> shape;
};

namespace dsl {

std::vector<Tensor> make_extern(const ExternFunction& function,
                                const std::vector<ExternResult>& results,
                                const std::vector<Tensor>& inputs, const Space& space,
                                const Parts& parts);
Parts whole_parts(const std::vector<ExternResult>& results, const std::vector<Tensor>& inputs);
// The parts at the indices of the domain; none where the function takes something else.
template <class F, size_t N = 0>
Parts parts_at(const F& parts, const Index& at) {
  if constexpr (N <= 8) {
    if constexpr (TakesExprs<F, std::make_index_sequence<N>>::value) {
      if (at.size() == static_cast<int>(N)) {
        return [&]<size_t... Is>(std::index_sequence<Is...>)->Parts {
          return parts(at[static_cast<int>(Is)]...);
        }
        (std::make_index_sequence<N>());
      }
    }
    return parts_at<F, N + 1>(parts, at);
  } else if constexpr (std::is_invocable_v<const F&, Index>) {
    return parts(at);
  } else {
    return {};
  }
}

}  // namespace dsl

// Once, with whole tensors.
template <size_t N>
std::array<Tensor, N> extern_call(const ExternFunction& function, std::vector<ExternResult> results,
                                  const std::vector<Tensor>& inputs) {
  results.resize(N);
  std::vector<Tensor> tensors =
      dsl::make_extern(function, results, inputs, {}, dsl::whole_parts(results, inputs));
  std::array<Tensor, N> array;
  std::move(tensors.begin(), tensors.end(), array.begin());
  return array;
}
inline Tensor extern_call(const ExternFunction& function, ExternResult result,
                          const std::vector<Tensor>& inputs) {
  return extern_call<1>(function, {std::move(result)}, inputs)[0];
}

// Once for every element of a domain (without where), in its order until a schedule says otherwise.
template <size_t N, class F>
std::array<Tensor, N> extern_call(const ExternFunction& function, std::vector<ExternResult> results,
                                  const std::vector<Tensor>& inputs, const Domain& domain,
                                  const F& parts) {
  results.resize(N);
  const dsl::Space space = dsl::make_space(domain);
  std::vector<Tensor> tensors = dsl::make_extern(function, results, inputs, space,
                                                 dsl::parts_at(parts, dsl::indices_of(space)));
  std::array<Tensor, N> array;
  std::move(tensors.begin(), tensors.end(), array.begin());
  return array;
}
template <class F>
Tensor extern_call(const ExternFunction& function, ExternResult result,
                   const std::vector<Tensor>& inputs, const Domain& domain, const F& parts) {
  return extern_call<1>(function, {std::move(result)}, inputs, domain, parts)[0];
}

}  // namespace tenon
