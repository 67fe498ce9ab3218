// Tensors: what to compute, without saying how.
//
//   Size m("m"), n("n"), k("k");
//   Tensor x = input("x", f32, {m, k}), w = weight("w", f32, {n, k});
//   Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) {
//     return sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
//   });
//
// Nothing is evaluated: a Tensor is a name, a shape of integer expressions over sizes, and for a
// computed one an expression of its indices. program() (build.h) turns outputs into a Program.
// Mistakes (wrong rank, wrong types) travel along as a message and are reported there.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/ir/index.h"
#include "tenon/ir/program.h"
#include "tenon/ir/size.h"

namespace tenon {

class Tensor {
 public:
  Tensor() = default;
  Tensor(Buffer buffer, Role role, std::vector<Expr> shape)
      : buffer_(std::move(buffer)), role_(role), shape_(std::move(shape)) {}

  const std::string& name() const { return buffer_.name(); }
  Type type() const { return buffer_.type(); }
  int rank() const { return static_cast<int>(shape_.size()); }
  const std::vector<Expr>& shape() const { return shape_; }
  // Outside of the rank: an Invalid expression.
  const Expr& size(int dim) const;
  const Buffer& buffer() const { return buffer_; }
  Role role() const { return role_; }  // kOutput for every computed tensor
  bool is_computed() const { return role_ == Role::kOutput; }

  // The element at these indices: one integer expression per dimension. An index that is data
  // (itself loaded) is checked when the kernel runs: outside of [0, size) the call returns an
  // error. A load in the arm of a select that is not taken does not happen.
  Expr operator()(const Index& index) const;
  template <class... Indices>
  requires(std::convertible_to<Indices, Expr>&&...) Expr operator()(
      const Indices&... indices) const {
    return (*this)(Index(std::vector<Expr>{Expr(indices)...}));
  }

 private:
  Buffer buffer_;
  Role role_ = Role::kInput;
  std::vector<Expr> shape_;
};

// --- Parameters. Shapes are expressions over sizes, rank 0 to 8.

Tensor input(std::string name, Type type, std::vector<Expr> shape);
// Constant between calls; a schedule may choose its layout, and kernel.pack then produces it.
Tensor weight(std::string name, Type type, std::vector<Expr> shape);
// A scalar parameter.
Expr scalar(std::string name, Type type);

// --- Definitions.

namespace dsl {

// The indices of a definition: one fresh variable per dimension.
Index make_indices(const std::vector<Expr>& shape);
Tensor make_tensor(std::string name, std::vector<Expr> shape, const Index& indices, Expr value);
std::string arity_message(size_t dimensions);

// What a function returned, as one expression or as a list.
template <class Result, class Returned>
Result as_result(const Returned& returned) {
  if constexpr (std::is_same_v<Result, std::vector<Expr>> &&
                std::is_convertible_v<Returned, Expr>) {
    return {Expr(returned)};
  } else {
    return Result(returned);
  }
}

template <class Result, class F, size_t... Is>
Result call_with(const F& f, const Index& i, std::index_sequence<Is...>) {
  return as_result<Result>(f(i[static_cast<int>(Is)]...));
}

template <size_t>
using ExprAt = Expr;
template <class F, class Sequence>
struct TakesExprs;
template <class F, size_t... Is>
struct TakesExprs<F, std::index_sequence<Is...>> {
  static constexpr bool value = std::is_invocable_v<const F&, ExprAt<Is>...>;
};

// Calls f with the indices, one by one or as an Index, whichever it takes. Returns Invalid when the
// number of its arguments is not the number of dimensions.
template <class Result, class F, size_t N = 0>
Result call(const F& f, const Index& i) {
  if constexpr (N <= 8) {
    if constexpr (TakesExprs<F, std::make_index_sequence<N>>::value) {
      if (i.size() == static_cast<int>(N)) {
        return call_with<Result>(f, i, std::make_index_sequence<N>());
      }
    }
    return call<Result, F, N + 1>(f, i);
  } else if constexpr (std::is_invocable_v<const F&, Index>) {
    return as_result<Result>(f(i));
  } else {
    return as_result<Result>(invalid(arity_message(static_cast<size_t>(i.size()))));
  }
}

}  // namespace dsl

// A tensor of this shape whose element at (i, j, ...) is definition(i, j, ...). The definition
// takes one Expr per dimension, or one Index for every rank.
template <class F>
Tensor compute(std::string name, std::vector<Expr> shape, const F& definition) {
  const Index indices = dsl::make_indices(shape);
  return dsl::make_tensor(std::move(name), std::move(shape), indices,
                          dsl::call<Expr>(definition, indices));
}

// t read with numpy's rule: t's dimensions stand under the last of i, and a dimension of size 1 is
// repeated.
Expr broadcast(const Tensor& t, const Index& i);

}  // namespace tenon
