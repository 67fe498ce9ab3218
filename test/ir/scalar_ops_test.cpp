// The scalar semantics against definitions that use wide integers, and the float rules by example.
#include "tenon/ir/scalar_ops.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tenon/base/half.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// --- 8-bit integers, all pairs, against plain int arithmetic that cannot overflow.

int value_of(Type type, uint64_t bits) {
  const int pattern = static_cast<int>(bits);
  return type == i8 && pattern > 127 ? pattern - 256 : pattern;
}

uint64_t wrapped(int value) { return static_cast<uint64_t>(((value % 256) + 256) % 256); }

int floor_div(int a, int b) {
  return static_cast<int>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
}

int trunc_div(int a, int b) {
  return static_cast<int>(std::trunc(static_cast<double>(a) / static_cast<double>(b)));
}

int shifted_right(int a, int amount) { return floor_div(a, 1 << amount); }

uint64_t expected(BinaryOp op, Type type, int a, int b) {
  const bool shifts_out = b < 0 || b >= 8;
  switch (op) {
    case BinaryOp::kAdd: return wrapped(a + b);
    case BinaryOp::kSub: return wrapped(a - b);
    case BinaryOp::kMul: return wrapped(a * b);
    case BinaryOp::kFloorDiv: return b == 0 ? 0 : wrapped(floor_div(a, b));
    case BinaryOp::kFloorMod: return wrapped(b == 0 ? a : a - floor_div(a, b) * b);
    case BinaryOp::kTruncDiv: return b == 0 ? 0 : wrapped(trunc_div(a, b));
    case BinaryOp::kTruncRem: return wrapped(b == 0 ? a : a - trunc_div(a, b) * b);
    case BinaryOp::kMin: return wrapped(std::min(a, b));
    case BinaryOp::kMax: return wrapped(std::max(a, b));
    case BinaryOp::kBitAnd: return wrapped(a) & wrapped(b);
    case BinaryOp::kBitOr: return wrapped(a) | wrapped(b);
    case BinaryOp::kBitXor: return wrapped(a) ^ wrapped(b);
    case BinaryOp::kShl: return shifts_out ? 0 : wrapped(a * (1 << b));
    case BinaryOp::kShr:
      if (shifts_out) return type == i8 && a < 0 ? 0xff : 0;
      return wrapped(shifted_right(a, b));
    case BinaryOp::kLt: return a < b;
    case BinaryOp::kLe: return a <= b;
    case BinaryOp::kEq: return a == b;
    case BinaryOp::kNe: return a != b;
    case BinaryOp::kDiv:
    case BinaryOp::kPow:
    case BinaryOp::kCheck: break;
  }
  FAIL("not an operator of 8-bit integers");
  return 0;
}

constexpr BinaryOp kIntOps[] = {BinaryOp::kAdd,      BinaryOp::kSub,      BinaryOp::kMul,
                                BinaryOp::kFloorDiv, BinaryOp::kFloorMod, BinaryOp::kTruncDiv,
                                BinaryOp::kTruncRem, BinaryOp::kMin,      BinaryOp::kMax,
                                BinaryOp::kBitAnd,   BinaryOp::kBitOr,    BinaryOp::kBitXor,
                                BinaryOp::kShl,      BinaryOp::kShr,      BinaryOp::kLt,
                                BinaryOp::kLe,       BinaryOp::kEq,       BinaryOp::kNe};

TEST_CASE("every integer operator is right on all pairs of 8-bit values") {
  for (BinaryOp op : kIntOps) {
    for (Type type : {i8, u8}) {
      INFO(name_of(op) << " on " << to_string(type));
      int64_t wrong = 0;
      for (uint64_t a = 0; a < 256; ++a) {
        for (uint64_t b = 0; b < 256; ++b) {
          const uint64_t result = apply_binary(op, type, a, b);
          wrong += result != expected(op, type, value_of(type, a), value_of(type, b));
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("every integer operator gives the same in every width where nothing overflows") {
  // Small values computed in 8 bits and in the wider types of the same sign.
  for (BinaryOp op : kIntOps) {
    for (Type type : {i16, i32, i64, u16, u32, u64}) {
      INFO(name_of(op) << " on " << to_string(type));
      const Type small = type.is_signed_int() ? i8 : u8;
      int64_t wrong = 0;
      for (int64_t a = type.is_signed_int() ? -7 : 0; a <= 7; ++a) {
        for (int64_t b = type.is_signed_int() ? -7 : 0; b <= 7; ++b) {
          if (type.is_unsigned_int() && op == BinaryOp::kSub && a < b) continue;
          if (op == BinaryOp::kShl && b > 3) continue;
          const uint64_t wide = apply_binary(op, type, bits_of_int(type, a), bits_of_int(type, b));
          const uint64_t narrow =
              apply_binary(op, small, bits_of_int(small, a), bits_of_int(small, b));
          const Type result = is_comparison(op) ? boolean : type;
          const Type small_result = is_comparison(op) ? boolean : small;
          wrong += int_of_bits(result, wide) != int_of_bits(small_result, narrow);
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("quotient and remainder always recompose, by zero too") {
  for (Type type : {i8, u8}) {
    int64_t wrong = 0;
    for (uint64_t a = 0; a < 256; ++a) {
      for (uint64_t b = 0; b < 256; ++b) {
        for (auto [div, rem] : {std::pair(BinaryOp::kFloorDiv, BinaryOp::kFloorMod),
                                std::pair(BinaryOp::kTruncDiv, BinaryOp::kTruncRem)}) {
          const uint64_t q = apply_binary(div, type, a, b);
          const uint64_t r = apply_binary(rem, type, a, b);
          const uint64_t back =
              apply_binary(BinaryOp::kAdd, type, apply_binary(BinaryOp::kMul, type, q, b), r);
          wrong += back != a;
        }
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the lowest value divided by -1 wraps and does not trap") {
  for (Type type : {i8, i16, i32, i64}) {
    const uint64_t lowest = uint64_t{1} << (type.bits() - 1);
    const uint64_t minus_one = bits_of_int(type, -1);
    CHECK(apply_binary(BinaryOp::kFloorDiv, type, lowest, minus_one) == lowest);
    CHECK(apply_binary(BinaryOp::kTruncDiv, type, lowest, minus_one) == lowest);
    CHECK(apply_binary(BinaryOp::kFloorMod, type, lowest, minus_one) == 0);
    CHECK(apply_binary(BinaryOp::kTruncRem, type, lowest, minus_one) == 0);
    CHECK(apply_unary(UnaryOp::kNeg, type, lowest) == lowest);
    CHECK(apply_unary(UnaryOp::kAbs, type, lowest) == lowest);
  }
}

TEST_CASE("the upper half of u64 compares, divides and shifts as unsigned") {
  const uint64_t high = uint64_t{1} << 63;
  CHECK(apply_binary(BinaryOp::kLt, u64, 1, high) == 1);
  CHECK(apply_binary(BinaryOp::kLt, i64, 1, high) == 0);
  CHECK(apply_binary(BinaryOp::kFloorDiv, u64, high, 2) == high / 2);
  CHECK(apply_binary(BinaryOp::kShr, u64, high, 63) == 1);
  CHECK(apply_binary(BinaryOp::kShr, i64, high, 63) == UINT64_MAX);
  CHECK(apply_binary(BinaryOp::kMax, u64, high, 1) == high);
}

TEST_CASE("integer unary operators are right on all 8-bit values") {
  for (Type type : {i8, u8}) {
    int64_t wrong = 0;
    for (uint64_t a = 0; a < 256; ++a) {
      const int value = value_of(type, a);
      wrong += apply_unary(UnaryOp::kNeg, type, a) != wrapped(-value);
      wrong += apply_unary(UnaryOp::kNot, type, a) != wrapped(-1 - value);
      wrong += apply_unary(UnaryOp::kAbs, type, a) != wrapped(std::abs(value));
      for (UnaryOp op : {UnaryOp::kFloor, UnaryOp::kCeil, UnaryOp::kRound, UnaryOp::kTrunc}) {
        wrong += apply_unary(op, type, a) != a;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("operators on bool are the logical ones") {
  for (uint64_t a : {0u, 1u}) {
    CHECK(apply_unary(UnaryOp::kNot, boolean, a) == 1 - a);
    for (uint64_t b : {0u, 1u}) {
      CHECK(apply_binary(BinaryOp::kBitAnd, boolean, a, b) == (a && b));
      CHECK(apply_binary(BinaryOp::kBitOr, boolean, a, b) == (a || b));
      CHECK(apply_binary(BinaryOp::kBitXor, boolean, a, b) == (a != b));
      CHECK(apply_binary(BinaryOp::kLt, boolean, a, b) == (a < b));
      CHECK(apply_binary(BinaryOp::kEq, boolean, a, b) == (a == b));
    }
  }
}

TEST_CASE("check gives the index where it is in range and 0 elsewhere") {
  const auto check = [](int64_t i, int64_t n) {
    return int_of_bits(
        i64, apply_binary(BinaryOp::kCheck, i64, bits_of_int(i64, i), bits_of_int(i64, n)));
  };
  CHECK(check(0, 1) == 0);
  CHECK(check(4, 5) == 4);
  CHECK(check(5, 5) == 0);
  CHECK(check(-1, 5) == 0);
  CHECK(check(3, 0) == 0);
  CHECK(check(3, -1) == 0);
  CHECK(check(-3, -1) == 0);
  CHECK(check(INT64_MAX, INT64_MIN) == 0);
}

// --- Behaviours that went wrong elsewhere.

int64_t ints(BinaryOp op, int64_t a, int64_t b) {
  return int_of_bits(i64, apply_binary(op, i64, bits_of_int(i64, a), bits_of_int(i64, b)));
}

TEST_CASE("floor and truncating division differ below zero, and neither distributes over a sum") {
  CHECK(ints(BinaryOp::kTruncDiv, 10 * -1 + 5, 10) == 0);
  CHECK(ints(BinaryOp::kTruncDiv, 10 * -2 + 5, 10) == -1);
  CHECK(ints(BinaryOp::kFloorDiv, 10 * -1 + 5, 10) == -1);
  CHECK(ints(BinaryOp::kFloorDiv, 10 * -2 + 5, 10) == -2);
  CHECK(ints(BinaryOp::kTruncDiv, 3 * 1 - 1, 3) == 0);
  CHECK(ints(BinaryOp::kFloorDiv, 3 * 1 - 1, 3) == 0);
  CHECK(1 + ints(BinaryOp::kTruncDiv, -1, 3) == 1);
}

TEST_CASE("the multiple of a divisor leaves a floor division, exactly, for all small values") {
  int64_t wrong = 0;
  for (int64_t x = -20; x <= 20; ++x) {
    for (int64_t y = -20; y <= 20; ++y) {
      for (int64_t c : {-10, -3, -1, 1, 3, 10}) {
        wrong += ints(BinaryOp::kFloorDiv, c * x + y, c) != x + ints(BinaryOp::kFloorDiv, y, c);
        wrong += ints(BinaryOp::kFloorMod, c * x + y, c) != ints(BinaryOp::kFloorMod, y, c);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("8-bit sums wrap before they are widened") {
  const uint64_t sum = apply_binary(BinaryOp::kAdd, u8, 128, 128);
  CHECK(apply_cast(CastMode::kValue, u8, i16, sum) == 0);
  CHECK(apply_binary(BinaryOp::kAdd, u8, 200, 200) == 144);
  const uint64_t product = apply_binary(BinaryOp::kMul, u8, 255, 255);
  CHECK(apply_cast(CastMode::kValue, u8, i32, product) == 1);
}

// --- Floats.

uint64_t f32_bits(float value) { return std::bit_cast<uint32_t>(value); }
float f32_value(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

float floats(BinaryOp op, float a, float b) {
  return f32_value(apply_binary(op, f32, f32_bits(a), f32_bits(b)));
}
float floats(UnaryOp op, float a) { return f32_value(apply_unary(op, f32, f32_bits(a))); }

bool same_bits(float a, float b) { return f32_bits(a) == f32_bits(b); }

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST_CASE("min and max propagate NaN from either side in every float type") {
  for (Type type : {f64, f32, f16, bf16}) {
    INFO(to_string(type));
    const uint64_t nan = bits_of_float(type, static_cast<double>(kNaN));
    for (double other : {1.0, -0.0, static_cast<double>(kInf), -static_cast<double>(kInf)}) {
      const uint64_t bits = bits_of_float(type, other);
      for (BinaryOp op : {BinaryOp::kMin, BinaryOp::kMax}) {
        CHECK(std::isnan(float_of_bits(type, apply_binary(op, type, nan, bits))));
        CHECK(std::isnan(float_of_bits(type, apply_binary(op, type, bits, nan))));
        CHECK(std::isnan(float_of_bits(type, apply_binary(op, type, nan, nan))));
      }
    }
  }
}

TEST_CASE("min and max order the zeros and do not depend on the order of operands") {
  CHECK(same_bits(floats(BinaryOp::kMin, 0.0f, -0.0f), -0.0f));
  CHECK(same_bits(floats(BinaryOp::kMin, -0.0f, 0.0f), -0.0f));
  CHECK(same_bits(floats(BinaryOp::kMax, 0.0f, -0.0f), 0.0f));
  CHECK(same_bits(floats(BinaryOp::kMax, -0.0f, 0.0f), 0.0f));
  const float values[] = {-kInf, -1.5f, -1e-45f, -0.0f, 0.0f, 1e-45f, 1.5f, kInf};
  for (size_t i = 0; i < std::size(values); ++i) {
    for (size_t j = i; j < std::size(values); ++j) {
      CHECK(same_bits(floats(BinaryOp::kMin, values[i], values[j]), values[i]));
      CHECK(same_bits(floats(BinaryOp::kMin, values[j], values[i]), values[i]));
      CHECK(same_bits(floats(BinaryOp::kMax, values[i], values[j]), values[j]));
      CHECK(same_bits(floats(BinaryOp::kMax, values[j], values[i]), values[j]));
    }
  }
}

TEST_CASE("comparisons with NaN are false, but for not-equal, and zeros are equal") {
  for (Type type : {f64, f32, f16, bf16}) {
    const uint64_t nan = bits_of_float(type, static_cast<double>(kNaN));
    const uint64_t one = bits_of_float(type, 1.0);
    for (BinaryOp op : {BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kEq}) {
      CHECK(apply_binary(op, type, nan, one) == 0);
      CHECK(apply_binary(op, type, one, nan) == 0);
      CHECK(apply_binary(op, type, nan, nan) == 0);
    }
    CHECK(apply_binary(BinaryOp::kNe, type, nan, nan) == 1);
    const uint64_t zero = bits_of_float(type, 0.0);
    const uint64_t minus_zero = bits_of_float(type, -0.0);
    CHECK(zero != minus_zero);
    CHECK(apply_binary(BinaryOp::kEq, type, zero, minus_zero) == 1);
    CHECK(apply_binary(BinaryOp::kLt, type, minus_zero, zero) == 0);
    CHECK(apply_binary(BinaryOp::kLe, type, zero, minus_zero) == 1);
    CHECK(apply_binary(BinaryOp::kLt, type, bits_of_float(type, -1.0), zero) == 1);
  }
}

TEST_CASE("negation and abs change the sign bit alone, of zeros and NaNs too") {
  for (Type type : {f64, f32, f16, bf16}) {
    const uint64_t sign = uint64_t{1} << (type.bits() - 1);
    for (double value :
         {0.0, -0.0, 1.5, -2.0, static_cast<double>(kInf), static_cast<double>(kNaN)}) {
      const uint64_t bits = bits_of_float(type, value);
      CHECK(apply_unary(UnaryOp::kNeg, type, bits) == (bits ^ sign));
      CHECK(apply_unary(UnaryOp::kAbs, type, bits) == (bits & ~sign));
    }
  }
}

TEST_CASE("round goes to the nearest integer, ties to even, and keeps the sign of zero") {
  CHECK(floats(UnaryOp::kRound, 0.5f) == 0.0f);
  CHECK(floats(UnaryOp::kRound, 1.5f) == 2.0f);
  CHECK(floats(UnaryOp::kRound, 2.5f) == 2.0f);
  CHECK(floats(UnaryOp::kRound, -2.5f) == -2.0f);
  CHECK(same_bits(floats(UnaryOp::kRound, -0.5f), -0.0f));
  CHECK(floats(UnaryOp::kRound, 8388609.0f) == 8388609.0f);
  CHECK(floats(UnaryOp::kFloor, -1.5f) == -2.0f);
  CHECK(floats(UnaryOp::kCeil, -1.5f) == -1.0f);
  CHECK(same_bits(floats(UnaryOp::kCeil, -0.5f), -0.0f));
  CHECK(floats(UnaryOp::kTrunc, -1.5f) == -1.0f);
  CHECK(floats(UnaryOp::kFloor, kInf) == kInf);
  CHECK(std::isnan(floats(UnaryOp::kRound, kNaN)));
}

TEST_CASE("small floats are computed in f32 and rounded after every operation") {
  // 2048 + 1 is a tie in f16 and goes to the even 2048; adding 1 again does not move it.
  const uint64_t big = bits_of_float(f16, 2048);
  const uint64_t one = bits_of_float(f16, 1);
  const uint64_t sum = apply_binary(BinaryOp::kAdd, f16, big, one);
  CHECK(float_of_bits(f16, sum) == 2048);
  CHECK(float_of_bits(f16, apply_binary(BinaryOp::kAdd, f16, sum, one)) == 2048);
  // 256 + 1 likewise in bf16.
  CHECK(float_of_bits(bf16, apply_binary(BinaryOp::kAdd, bf16, bits_of_float(bf16, 256),
                                         bits_of_float(bf16, 1))) == 256);
  CHECK(std::isinf(float_of_bits(
      f16, apply_binary(BinaryOp::kMul, f16, bits_of_float(f16, 256), bits_of_float(f16, 256)))));
}

TEST_CASE("an operation on small floats is the f32 operation, rounded, for every f16 pattern") {
  int64_t wrong = 0;
  for (uint64_t bits = 0; bits < 0x10000; ++bits) {
    const float value = f16_bits_to_float(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    const uint64_t half = bits_of_float(f16, 0.5);
    wrong += apply_binary(BinaryOp::kMul, f16, bits, half) != f16_bits_from_float(value * 0.5f);
    wrong += apply_unary(UnaryOp::kExp, f16, bits) != f16_bits_from_float(std::exp(value));
    wrong += apply_unary(UnaryOp::kFloor, f16, bits) != f16_bits_from_float(std::floor(value));
  }
  CHECK(wrong == 0);
}

TEST_CASE("functions made of others are computed as their formula says") {
  for (float x : {-100.0f, -3.25f, -0.0f, 0.5f, 2.0f, 88.0f, 1e-40f, kInf, -kInf}) {
    CHECK(same_bits(floats(UnaryOp::kSigmoid, x), 1.0f / (1.0f + std::exp(-x))));
    if (x > 0.0f) CHECK(same_bits(floats(UnaryOp::kRsqrt, x), 1.0f / std::sqrt(x)));
  }
  CHECK(floats(UnaryOp::kSigmoid, -kInf) == 0.0f);
  CHECK(floats(UnaryOp::kSigmoid, -1000.0f) == 0.0f);
  CHECK(floats(UnaryOp::kSigmoid, 1000.0f) == 1.0f);
}

TEST_CASE("tanh saturates and does not turn into NaN") {
  CHECK(floats(UnaryOp::kTanh, 50.0f) == 1.0f);
  CHECK(floats(UnaryOp::kTanh, -50.0f) == -1.0f);
  CHECK(floats(UnaryOp::kTanh, kInf) == 1.0f);
  CHECK(floats(UnaryOp::kTanh, -kInf) == -1.0f);
  CHECK(floats(UnaryOp::kTanh, 1e-4f) == Approx(1e-4f));
  CHECK(std::isnan(floats(UnaryOp::kTanh, kNaN)));
}

TEST_CASE("f32 functions are those of f32, and f64 those of f64") {
  // Read when the test runs: the compiler would fold calls with a better rounding.
  const volatile float small = 0.1f, large = 1.7f;
  CHECK(same_bits(floats(UnaryOp::kExp, small), std::exp(small)));
  CHECK(same_bits(floats(UnaryOp::kExpm1, small), std::expm1(small)));
  CHECK(same_bits(floats(UnaryOp::kLog, small), std::log(small)));
  CHECK(same_bits(floats(UnaryOp::kLog1p, small), std::log1p(small)));
  CHECK(same_bits(floats(UnaryOp::kSin, small), std::sin(small)));
  CHECK(same_bits(floats(UnaryOp::kCos, small), std::cos(small)));
  CHECK(same_bits(floats(UnaryOp::kTan, small), std::tan(small)));
  CHECK(same_bits(floats(UnaryOp::kAsin, small), std::asin(small)));
  CHECK(same_bits(floats(UnaryOp::kAcos, small), std::acos(small)));
  CHECK(same_bits(floats(UnaryOp::kAtan, small), std::atan(small)));
  CHECK(same_bits(floats(UnaryOp::kSinh, small), std::sinh(small)));
  CHECK(same_bits(floats(UnaryOp::kCosh, small), std::cosh(small)));
  CHECK(same_bits(floats(UnaryOp::kTanh, small), std::tanh(small)));
  CHECK(same_bits(floats(UnaryOp::kAsinh, small), std::asinh(small)));
  CHECK(same_bits(floats(UnaryOp::kAcosh, large), std::acosh(large)));
  CHECK(same_bits(floats(UnaryOp::kAtanh, small), std::atanh(small)));
  CHECK(same_bits(floats(UnaryOp::kErf, small), std::erf(small)));
  CHECK(same_bits(floats(UnaryOp::kSqrt, small), std::sqrt(small)));
  CHECK(same_bits(floats(BinaryOp::kPow, 0.1f, large), std::pow(small, large)));
  CHECK(float_of_bits(f64, apply_unary(UnaryOp::kExp, f64, bits_of_float(f64, 0.1))) ==
        std::exp(0.1));
  CHECK(float_of_bits(f64, apply_binary(BinaryOp::kPow, f64, bits_of_float(f64, 0.1),
                                        bits_of_float(f64, 1.7))) == std::pow(0.1, 1.7));
}

TEST_CASE("functions of values outside of their domain give NaN, and keep what is exact") {
  for (UnaryOp op : {UnaryOp::kAsin, UnaryOp::kAcos, UnaryOp::kAtanh}) {
    INFO(name_of(op));
    CHECK(std::isnan(floats(op, 1.5f)));
    CHECK(std::isnan(floats(op, -1.5f)));
  }
  CHECK(std::isnan(floats(UnaryOp::kAcosh, 0.5f)));
  CHECK(std::isnan(floats(UnaryOp::kLog1p, -1.5f)));
  CHECK(floats(UnaryOp::kAtanh, 1.0f) == kInf);
  CHECK(floats(UnaryOp::kLog1p, -1.0f) == -kInf);
  CHECK(floats(UnaryOp::kExpm1, -kInf) == -1.0f);
  CHECK(floats(UnaryOp::kAtan, kInf) == Approx(1.5707963f));
  CHECK(floats(UnaryOp::kLog1p, 1e-10f) == 1e-10f);  // log(1 + x) would be 0
  CHECK(floats(UnaryOp::kExpm1, 1e-10f) == 1e-10f);
  for (UnaryOp op : {UnaryOp::kExpm1, UnaryOp::kLog1p, UnaryOp::kSin, UnaryOp::kTan, UnaryOp::kAsin,
                     UnaryOp::kAtan, UnaryOp::kSinh, UnaryOp::kAsinh, UnaryOp::kAtanh}) {
    INFO(name_of(op));
    CHECK(same_bits(floats(op, -0.0f), -0.0f));
    CHECK(std::isnan(floats(op, kNaN)));
  }
}

TEST_CASE("the remainder of floats is exact and has the sign of the dividend") {
  const auto rem = [](float a, float b) { return floats(BinaryOp::kTruncRem, a, b); };
  CHECK(rem(5.5f, 3.0f) == 2.5f);
  CHECK(rem(-5.5f, 3.0f) == -2.5f);
  CHECK(rem(5.5f, -3.0f) == 2.5f);
  CHECK(same_bits(rem(-6.0f, 3.0f), -0.0f));
  CHECK(rem(1e30f, 3.0f) == std::fmod(1e30f, 3.0f));  // the quotient has no exact float
  CHECK(rem(5.5f, kInf) == 5.5f);
  CHECK(std::isnan(rem(5.5f, 0.0f)));
  CHECK(std::isnan(rem(kInf, 3.0f)));
}

TEST_CASE("zero times NaN or infinity is NaN, and so are inf - inf and 0 / 0") {
  for (float y : {kNaN, kInf}) {
    CHECK(std::isnan(floats(BinaryOp::kAdd, 1.0f, floats(BinaryOp::kMul, 0.0f, y))));
  }
  CHECK(std::isnan(floats(BinaryOp::kSub, kInf, kInf)));
  CHECK(std::isnan(floats(BinaryOp::kDiv, 0.0f, 0.0f)));
  CHECK(floats(BinaryOp::kDiv, 1.0f, 0.0f) == kInf);
  CHECK(floats(BinaryOp::kDiv, 1.0f, -0.0f) == -kInf);
}

// --- Casts.

uint64_t cast_bits(Type from, Type to, uint64_t bits) {
  return apply_cast(CastMode::kValue, from, to, bits);
}
int64_t cast_float(double value, Type to) {
  return int_of_bits(to, cast_bits(f64, to, bits_of_float(f64, value)));
}

TEST_CASE("integer casts wrap, and saturating ones clamp, for all 16-bit values") {
  for (Type from : {i16, u16}) {
    for (Type to : {i8, u8}) {
      const int64_t low = to == i8 ? -128 : 0;
      const int64_t high = to == i8 ? 127 : 255;
      int64_t wrong = 0;
      for (uint64_t bits = 0; bits < 0x10000; ++bits) {
        const int64_t value = from == i16 && bits >= 0x8000 ? static_cast<int64_t>(bits) - 0x10000
                                                            : static_cast<int64_t>(bits);
        wrong += apply_cast(CastMode::kValue, from, to, bits) != (bits & 0xff);
        const int64_t clamped = std::clamp(value, low, high);
        wrong += int_of_bits(to, apply_cast(CastMode::kSaturate, from, to, bits)) != clamped;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("integer casts between 64-bit types keep or clamp the extremes") {
  CHECK(apply_cast(CastMode::kSaturate, u64, i64, UINT64_MAX) == uint64_t{INT64_MAX});
  CHECK(apply_cast(CastMode::kSaturate, i64, u64, bits_of_int(i64, -1)) == 0);
  CHECK(apply_cast(CastMode::kSaturate, u64, i8, UINT64_MAX) == 127);
  CHECK(cast_bits(i64, u64, bits_of_int(i64, -1)) == UINT64_MAX);
  CHECK(cast_bits(i8, i64, 0x80) == bits_of_int(i64, -128));
  CHECK(cast_bits(u8, i64, 0x80) == 128);
  CHECK(cast_bits(i8, u32, 0xff) == 0xffffffffu);
}

TEST_CASE("a float becomes an integer by truncation, clamped, with NaN as 0") {
  for (Type to : {i8, i16, i32, i64, u8, u16, u32, u64}) {
    INFO(to_string(to));
    const int64_t low = to.is_signed_int() ? INT64_MIN >> (64 - to.bits()) : 0;
    const uint64_t all = UINT64_MAX >> (64 - to.bits());
    const uint64_t high = to.is_signed_int() ? all >> 1 : all;
    CHECK(cast_bits(f64, to, bits_of_float(f64, static_cast<double>(kNaN))) == 0);
    CHECK(cast_bits(f64, to, bits_of_float(f64, 1e30)) == high);
    CHECK(cast_bits(f64, to, bits_of_float(f64, static_cast<double>(kInf))) == high);
    CHECK(cast_float(-1e30, to) == low);
    CHECK(cast_float(-static_cast<double>(kInf), to) == low);
    CHECK(cast_float(2.99, to) == 2);
    CHECK(cast_float(-0.99, to) == 0);
    CHECK(cast_float(-0.0, to) == 0);
    CHECK(cast_float(std::ldexp(1.0, to.bits() - 2), to) == int64_t{1} << (to.bits() - 2));
    CHECK(apply_cast(CastMode::kSaturate, f64, to, bits_of_float(f64, 1e30)) == high);
  }
  CHECK(cast_float(-2.99, i8) == -2);
  CHECK(cast_float(-2.99, u8) == 0);
  CHECK(cast_float(127.99, i8) == 127);
  CHECK(cast_float(128.0, i8) == 127);
  CHECK(cast_float(-129.0, i8) == -128);
  CHECK(cast_float(255.5, u8) == 255);
  CHECK(cast_float(9223372036854775808.0, i64) == INT64_MAX);
  CHECK(cast_float(-9223372036854775808.0, i64) == INT64_MIN);
  CHECK(cast_bits(f64, u64, bits_of_float(f64, 18446744073709549568.0)) == 18446744073709549568u);
  CHECK(cast_bits(f32, i32, f32_bits(2147483648.0f)) == 2147483647);
}

TEST_CASE("an integer becomes the nearest float, ties to even") {
  CHECK(f32_value(cast_bits(i32, f32, 16777217)) == 16777216.0f);
  CHECK(f32_value(cast_bits(i32, f32, 16777219)) == 16777220.0f);
  CHECK(f32_value(cast_bits(u64, f32, UINT64_MAX)) == 18446744073709551616.0f);
  CHECK(f32_value(cast_bits(i64, f32, UINT64_MAX)) == -1.0f);
  CHECK(float_of_bits(f64, cast_bits(u64, f64, UINT64_MAX)) == 18446744073709551616.0);
  CHECK(float_of_bits(f64, cast_bits(i64, f64, bits_of_int(i64, 9007199254740993))) ==
        9007199254740992.0);
  CHECK(float_of_bits(f16, cast_bits(i32, f16, 2049)) == 2048.0);
  CHECK(std::isinf(float_of_bits(f16, cast_bits(i32, f16, 70000))));
}

TEST_CASE("f64 reaches f16 through f32, with two roundings") {
  // Just above the tie between 1 and the next f16: f32 rounds it to the tie, which goes to even.
  const double value = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  CHECK(float_of_bits(f16, bits_of_float(f16, value)) == 1.0);
  CHECK(float_of_bits(f16, cast_bits(f64, f16, bits_of_float(f64, value))) == 1.0);
}

TEST_CASE("anything becomes a bool by comparison with zero, and a bool becomes 0 or 1") {
  CHECK(cast_bits(i32, boolean, 256) == 1);
  CHECK(cast_bits(i8, boolean, 0) == 0);
  CHECK(cast_bits(f32, boolean, f32_bits(-0.0f)) == 0);
  CHECK(cast_bits(f32, boolean, f32_bits(0.5f)) == 1);
  CHECK(cast_bits(f32, boolean, f32_bits(kNaN)) == 1);
  CHECK(cast_bits(boolean, f32, 1) == f32_bits(1.0f));
  CHECK(cast_bits(boolean, i8, 1) == 1);
  CHECK(cast_bits(boolean, u64, 0) == 0);
}

TEST_CASE("a cast to a wider type and back gives every small value again") {
  for (Type from : {i8, u8, i16, u16, f16, bf16}) {
    for (Type to : {i64, f64, f32}) {
      if (from.is_float() && to == i64) continue;
      INFO(to_string(from) << " through " << to_string(to));
      int64_t wrong = 0;
      for (uint64_t bits = 0; bits < (uint64_t{1} << from.bits()); ++bits) {
        if (from.is_float() && std::isnan(float_of_bits(from, bits))) continue;
        wrong += cast_bits(to, from, cast_bits(from, to, bits)) != bits;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a bit cast changes nothing") {
  CHECK(apply_cast(CastMode::kBits, f32, i32, 0x7fa00001u) == 0x7fa00001u);
  CHECK(apply_cast(CastMode::kBits, i16, f16, 0x8001u) == 0x8001u);
}

// --- Which operator takes which type.

TEST_CASE("operators take the types that the semantics page lists") {
  for (Type type : kAllTypes) {
    INFO(to_string(type));
    for (BinaryOp op : {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kMin,
                        BinaryOp::kMax, BinaryOp::kTruncRem}) {
      CHECK(accepts(op, type) == !type.is_bool());
    }
    for (BinaryOp op : {BinaryOp::kDiv, BinaryOp::kPow})
      CHECK(accepts(op, type) == type.is_float());
    for (BinaryOp op : {BinaryOp::kFloorDiv, BinaryOp::kFloorMod, BinaryOp::kTruncDiv,
                        BinaryOp::kShl, BinaryOp::kShr}) {
      CHECK(accepts(op, type) == type.is_int());
    }
    for (BinaryOp op : {BinaryOp::kBitAnd, BinaryOp::kBitOr, BinaryOp::kBitXor}) {
      CHECK(accepts(op, type) == !type.is_float());
    }
    for (BinaryOp op : {BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kEq, BinaryOp::kNe}) {
      CHECK(accepts(op, type));
    }
    CHECK(accepts(BinaryOp::kCheck, type) == (type == i64));
    CHECK(accepts(UnaryOp::kNot, type) == !type.is_float());
    CHECK(accepts(UnaryOp::kNeg, type) == !type.is_bool());
    CHECK(accepts(UnaryOp::kExp, type) == type.is_float());
  }
}

}  // namespace
}  // namespace tenon
