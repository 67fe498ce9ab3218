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

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tenon/dsl/call.h"
#include "tenon/ir/program.h"
#include "tenon/ir/size.h"

namespace tenon {

struct Recipe;  // how tensors are computed; known to lib/dsl only

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
  // kOutput for every computed tensor but one that is written in place, which is kInOut.
  Role role() const { return role_; }
  bool is_computed() const {
    return role_ == Role::kOutput || (role_ == Role::kInOut && buffer_.definition());
  }
  // Other indices for the elements of a tensor, as slice() and pad_edge() make them: nothing is
  // copied. A view reads like a tensor, and is no parameter and no output.
  bool is_view() const { return read_ != nullptr; }

  // The element at these indices: one integer expression per dimension. An index that is data
  // (itself loaded) is checked when the kernel runs: outside of [0, size) the call returns an
  // error. A load in the arm of a select that is not taken does not happen.
  Expr operator()(const Index& index) const;
  template <class... Indices>
  requires(std::convertible_to<Indices, Expr>&&...) Expr operator()(
      const Indices&... indices) const {
    return (*this)(Index(std::vector<Expr>{Expr(indices)...}));
  }

  // `read` gets as many i64 indices as the shape has dimensions.
  using Read = std::function<Expr(const Index&)>;
  static Tensor view(const Tensor& of, std::vector<Expr> shape, Read read);

 private:
  Buffer buffer_;
  Role role_ = Role::kInput;
  std::vector<Expr> shape_;
  std::shared_ptr<const Read> read_;  // null: the buffer's own elements
};

// --- Parameters. Shapes are expressions over sizes, rank 0 to 8.

Tensor input(std::string name, Type type, std::vector<Expr> shape);
// Constant between calls; a schedule may choose its layout, and kernel.pack then produces it.
Tensor weight(std::string name, Type type, std::vector<Expr> shape);
// Memory of the caller that the kernel changes in place: a cache that grows, a state, a parameter
// that an optimiser steps. It reads as it was before the call. compute(state, ...) and
// update(state, ...) give it as it will be, and that is passed to program() among the outputs.
Tensor inout(std::string name, Type type, std::vector<Expr> shape);
// A scalar parameter.
Expr scalar(std::string name, Type type);

// --- Literals.

namespace dsl {

Tensor make_table(std::string name, Type type, const std::vector<int64_t>& shape,
                  std::vector<uint64_t> bits);
template <class T>
uint64_t bits_of_value(const T& value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

}  // namespace dsl

// Values that are part of the Program and of its kernels, and not passed by anybody: levels of a
// code, coefficients, offsets of neighbours. At most kMaxTableElements; more is a weight.
template <class T>
Tensor table(std::string name, const std::vector<int64_t>& shape, const std::vector<T>& values) {
  std::vector<uint64_t> bits;
  for (const T value : values) bits.push_back(dsl::bits_of_value(value));
  return dsl::make_table(std::move(name), type_of<T>(), shape, std::move(bits));
}
template <class T>
Tensor table(std::string name, const std::vector<T>& values) {
  return table(std::move(name), {static_cast<int64_t>(values.size())}, values);
}
template <class T>
Tensor table(std::string name, std::initializer_list<T> values) {
  return table(std::move(name), std::vector<T>(values));
}
template <class T>
Tensor table(std::string name, const std::vector<int64_t>& shape, std::initializer_list<T> values) {
  return table(std::move(name), shape, std::vector<T>(values));
}

// --- Definitions.

namespace dsl {

// The index, with its run-time check when it is data.
Expr checked_index(const Expr& index, const Expr& extent);
// The indices of a definition: one fresh variable per dimension.
Index make_indices(const std::vector<Expr>& shape);
std::vector<Tensor> make_tensors(std::vector<std::string> names, std::vector<Expr> shape,
                                 const Index& indices, std::vector<Expr> values);
Tensor make_tensor(std::string name, Type type, std::vector<Expr> shape, Recipe recipe);
// `state` with this value.
Tensor make_in_place(const Tensor& state, const Index& indices, const Expr& value);

}  // namespace dsl

// A tensor of this shape whose element at (i, j, ...) is definition(i, j, ...). The definition
// takes one Expr per dimension, or one Index for every rank.
template <class F>
Tensor compute(std::string name, std::vector<Expr> shape, const F& definition) {
  const Index indices = dsl::make_indices(shape);
  return dsl::make_tensors({std::move(name)}, std::move(shape), indices,
                           {dsl::call<Expr>(definition, indices)})[0];
}

// Several tensors of one shape, computed in one nest: the definition returns a value for each.
// Those that nobody reads cost nothing (but what a reduction by functions needs of them).
//
//   auto [mean, peak] = compute<2>({"mean", "peak"}, {m}, [&](Expr i) -> Values {
//     return {sum(k, [&](Expr r) { return x(i, r); }) / k, max_over(k, ...)};
//   });
template <size_t N, class F>
std::array<Tensor, N> compute(std::vector<std::string> names, std::vector<Expr> shape,
                              const F& definition) {
  names.resize(N, "result");
  const Index indices = dsl::make_indices(shape);
  std::vector<Tensor> tensors =
      dsl::make_tensors(std::move(names), std::move(shape), indices,
                        dsl::call<std::vector<Expr>>(definition, indices));
  std::array<Tensor, N> array;
  std::move(tensors.begin(), tensors.end(), array.begin());
  return array;
}

// The inout `state` with the element definition(i, j, ...) in every place. The definition reads it
// as it was: where that cannot be had from the place that is being written, from a copy.
template <class F>
Tensor compute(const Tensor& state, const F& definition) {
  const Index indices = dsl::make_indices(state.shape());
  return dsl::make_in_place(state, indices, dsl::call<Expr>(definition, indices));
}

// t read with numpy's rule: t's dimensions stand under the last of i, and a dimension of size 1 is
// repeated.
Expr broadcast(const Tensor& t, const Index& i);

}  // namespace tenon
