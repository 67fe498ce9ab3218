// Tensors of packed codes: what they read, and matrix-vector products in every way.
#include "tenon/dsl/quantized.h"

#include <catch2/catch.hpp>

#include "support/check.h"
#include "support/rng.h"
#include "tenon/dsl/dsl.h"
#include "tenon/interp/interp.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

using test::checked;
using test::Rng;
using Zero = QuantizedFormat::Zero;

// Codes of a row-major matrix, packed by hand: the first in the low bits, rows in whole bytes.
struct Packed {
  std::vector<int> codes;  // as numbers
  std::vector<uint8_t> bytes;
};

Packed random_codes(Rng& rng, int64_t rows, int64_t columns, int bits, bool is_signed) {
  Packed p;
  const int per_byte = 8 / bits;
  const int64_t stride = (columns + per_byte - 1) / per_byte;
  p.bytes.assign(static_cast<size_t>(rows * stride), 0);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t r = 0; r < columns; ++r) {
      const int field = rng.below(1 << bits);
      p.codes.push_back(is_signed && field >= 1 << (bits - 1) ? field - (1 << bits) : field);
      p.bytes[static_cast<size_t>(i * stride + r / per_byte)] |=
          static_cast<uint8_t>(field << (r % per_byte * bits));
    }
  }
  return p;
}

std::vector<float> random_scales(Rng& rng, int64_t count) {
  std::vector<float> scales;
  for (int64_t i = 0; i < count; ++i) scales.push_back(static_cast<float>(rng.between(1, 16)) / 8);
  return scales;
}

// Every element of an n x k tensor against the definition.
void check_elements(const QuantizedFormat& format, int64_t n, int64_t k) {
  INFO(format.bits << " bits, groups of " << format.group << ", " << n << " x " << k);
  const Size rows("n"), columns("k");
  const QuantizedTensor w = quantized("w", {rows, columns}, format);
  std::vector<ProgramInput> inputs = {w.codes(), w.scales()};
  if (format.zero != Zero::kNone) inputs.emplace_back(w.zeros());
  const Tensor y = compute("y", {rows, columns}, [&](Expr i, Expr r) { return w(i, r); });
  const Program p = checked(program("dequantise", inputs, {y}));

  Rng rng(static_cast<uint64_t>(n * 100 + k));
  const int64_t groups = format.group == 0 ? 1 : (k + format.group - 1) / format.group;
  const Packed codes = random_codes(rng, n, k, format.bits, format.is_signed);
  const Packed zeros = random_codes(rng, n, groups, format.bits, format.is_signed);
  const std::vector<float> scales = random_scales(rng, n * groups);
  const std::vector<float> offsets = random_scales(rng, n * groups);
  const auto bytes = [&](const Packed& packed, int64_t row) {
    const int per_byte = 8 / format.bits;
    return Array::of({n, (row + per_byte - 1) / per_byte}, packed.bytes);
  };
  const auto float_array = [&](const std::vector<float>& values) {
    Array array(format.scale, {n, groups});
    for (int64_t g = 0; g < n * groups; ++g) {
      const double value = static_cast<double>(values[static_cast<size_t>(g)]);
      array.set_bits(g, bits_of_float(format.scale, value));
    }
    return array;
  };
  Array code_array = bytes(codes, k), scale_array = float_array(scales);
  Array zero_array = format.zero == Zero::kCodes ? bytes(zeros, groups) : float_array(offsets);
  Array out(f32, {n, k});
  std::vector<InterpArgument> arrays = {&code_array, &scale_array};
  if (format.zero != Zero::kNone) arrays.push_back(&zero_array);
  arrays.push_back(&out);
  const absl::Status status = interpret(p, {{rows, n}, {columns, k}}, arrays);
  INFO(print(p) << status);
  REQUIRE(status.ok());

  const std::vector<float> got = out.values<float>();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t r = 0; r < k; ++r) {
      const auto at = static_cast<size_t>(i * k + r);
      const auto group = static_cast<size_t>(i * groups + (format.group ? r / format.group : 0));
      float zero = format.is_signed ? 0.0f : static_cast<float>(1 << (format.bits - 1));
      if (format.zero == Zero::kCodes) zero = static_cast<float>(zeros.codes[group]);
      if (format.zero == Zero::kValues) zero = offsets[group];
      CHECK(got[at] == (static_cast<float>(codes.codes[at]) - zero) * scales[group]);
    }
  }
}

TEST_CASE("elements are (code - zero) * scale, in every format") {
  for (int bits : {1, 2, 4, 8}) {
    for (bool is_signed : {false, true}) {
      for (Zero zero : {Zero::kNone, Zero::kCodes, Zero::kValues}) {
        for (int64_t group : {0, 1, 3, 32}) {
          const QuantizedFormat format{bits, is_signed, group, bits == 2 ? f16 : f32, zero, f32};
          check_elements(format, 3, 37);
          check_elements(format, 1, 1);
        }
      }
    }
  }
  check_elements({}, 0, 5);
}

TEST_CASE("the text of a quantised read") {
  const Size k("k");
  const Tensor x = input("x", f32, {k});
  const QuantizedTensor w = quantized("w", {3, k}, {.bits = 4, .group = 32});
  const Tensor y =
      compute("y", {3}, [&](Expr i) { return sum(k, [&](Expr r) { return w(i, r) * x(r); }); });
  CHECK(print(checked(program("matvec", {x, w.codes(), w.scales()}, {y}))) ==
        R"(program matvec
  size k
  input x: f32[k]
  weight w: u8[3, (k + 1) // 2]
  weight w_scale: f16[3, (k + 31) // 32]
  output y: f32[3]
{
  for i in 0..3 {
    y[i] = -0.0
    for r in 0..k {
      y[i] += cast<f32>(cast<i16>(w[i, r // 2] >> cast<u8>(r % 2 * 4) & 15u8) - 8i16) * cast<f32>(w_scale[i, r // 32]) * x[r]
    }
  }
}
)");
}

TEST_CASE("codes without a middle and whole bytes stay plain") {
  const QuantizedTensor w = quantized("w", {2, 4}, {.bits = 8, .is_signed = true, .group = 0});
  CHECK(print(w.code({0, 3})) == "bitcast<i8>(w[0, 3])");
  CHECK(w(0, 3).type() == f32);
  CHECK(w.rank() == 2);
  CHECK(w.name() == "w");
}

TEST_CASE("mistakes in a format are reported where elements are read") {
  const auto message = [](std::vector<Expr> shape, const QuantizedFormat& format) {
    const QuantizedTensor w = quantized("w", std::move(shape), format);
    return w(Index{0, 0}).as<Invalid>()->message;
  };
  CHECK(message({2, 4}, {.bits = 3}) ==
        "quantized tensor w: 3 bits per code; 1, 2, 4 and 8 divide a byte");
  CHECK(message({2, 4}, {.group = -1}) == "quantized tensor w: groups of -1 elements");
  CHECK(message({}, {}) ==
        "quantized tensor w: it has no dimension along which codes could be packed");
  CHECK(message({2, 4}, {.scale = i8}) ==
        "quantized tensor w: its scales are i8 and its values f32; both are floats");
  CHECK(message({2, 4, 6}, {}) == "w has 3 dimensions and is read with 2 indices");
}

}  // namespace
}  // namespace tenon
