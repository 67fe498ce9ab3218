// Tensors stored in a few bits per element, with a scale for each group of elements: what weights
// of language models look like in memory. Reading an element dequantises it.
//
//   QuantizedTensor w = quantized("w", {n, k}, {.bits = 4, .group = 32, .scale = f16});
//   Tensor y = compute("y", {n}, [&](Expr i) {
//     return sum(k, [&](Expr r) { return w(i, r) * x(r); });
//   });
//   Program p = program("matvec", {x, w.codes(), w.scales()}, {y});
//
// Element (i, r) is (code - zero) * scale, in the type `value`. A code is a field of `bits` bits;
// the fields of a byte belong to neighbours in the last dimension, the first in the low bits, and a
// row fills whole bytes. The group of (i, r) is (i, r / group): scales have the shape {n, ceil(k /
// group)}.
//
// Zero points: without any, unsigned codes stand around their middle (8 of 16) and signed ones
// around 0. Of a float, the zero point is subtracted from the code as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenon/dsl/tensor.h"

namespace tenon {

struct QuantizedFormat {
  int bits = 4;            // 1, 2, 4 or 8
  bool is_signed = false;  // two's complement
  int64_t group = 32;      // elements that share a scale; 0: a whole row
  Type scale = f16;
  // Zero points: a tensor of codes, packed as the elements are (in the type of scales where floats
  // say so), or none.
  enum class Zero { kNone, kCodes, kValues };
  Zero zero = Zero::kNone;
  Type value = f32;  // of the elements that are read
};

class QuantizedTensor {
 public:
  const std::string& name() const { return codes_.name(); }
  Type type() const { return format_.value; }
  int rank() const { return static_cast<int>(shape_.size()); }
  const std::vector<Expr>& shape() const { return shape_; }
  const QuantizedFormat& format() const { return format_; }

  // The weights that a Program takes: u8 with ceil(size * bits / 8) bytes in the last dimension,
  // and one number for each group. They are named w, w_scale and w_zero.
  const Tensor& codes() const { return codes_; }
  const Tensor& scales() const { return scales_; }
  const Tensor& zeros() const { return zeros_; }  // not a tensor where there are none

  // The element at these indices, dequantised.
  Expr operator()(const Index& index) const;
  template <class... Indices>
  requires(std::convertible_to<Indices, Expr>&&...) Expr operator()(
      const Indices&... indices) const {
    return (*this)(Index(std::vector<Expr>{Expr(indices)...}));
  }
  // The code alone, as a number: u8, or i8 of signed codes.
  Expr code(const Index& index) const;

 private:
  friend QuantizedTensor quantized(std::string, std::vector<Expr>, const QuantizedFormat&);
  std::optional<Expr> wrong(const Index& index) const;
  Index group_of(const Index& index) const;
  Expr zero_at(const Index& index) const;

  QuantizedFormat format_;
  std::vector<Expr> shape_;
  Tensor codes_, scales_, zeros_;
  std::string error_;
};

// A mistake in the format is reported by the elements that are read.
QuantizedTensor quantized(std::string name, std::vector<Expr> shape, const QuantizedFormat& format);

}  // namespace tenon
