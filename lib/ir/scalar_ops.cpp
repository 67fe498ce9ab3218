#include "tenon/ir/scalar_ops.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "tenon/base/half.h"

namespace tenon {
namespace {

// --- Integers. Bits are zero-extended; signed arithmetic is done on the unsigned pattern, which
// --- wraps, and the result is truncated to the type.

uint64_t truncated(Type type, uint64_t bits) {
  return type.bits() == 64 ? bits : bits & ((uint64_t{1} << type.bits()) - 1);
}

// The lowest value of a signed type divided by -1 wraps to itself; a division instruction would
// trap.
int64_t trunc_quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  return a / b;
}

int64_t trunc_remainder(int64_t a, int64_t b) {
  if (b == 0) return a;
  return b == -1 ? 0 : a % b;
}

int64_t floor_remainder(int64_t a, int64_t b) {
  const int64_t r = trunc_remainder(a, b);
  return b != 0 && r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

int64_t floor_quotient(int64_t a, int64_t b) {
  const int64_t q = trunc_quotient(a, b);
  const int64_t r = trunc_remainder(a, b);
  return b != 0 && r != 0 && (r < 0) != (b < 0) ? q - 1 : q;
}

bool less(Type type, uint64_t a, uint64_t b) {
  return type.is_signed_int() ? int_of_bits(type, a) < int_of_bits(type, b) : a < b;
}

// An amount outside of [0, bits) shifts everything out.
bool shifts_out(Type type, uint64_t amount) {
  return amount >= static_cast<uint64_t>(type.bits());  // a negative amount is a large pattern
}

uint64_t shift_left(Type type, uint64_t a, uint64_t amount) {
  return shifts_out(type, amount) ? 0 : a << amount;
}

uint64_t shift_right(Type type, uint64_t a, uint64_t amount) {
  if (!type.is_signed_int()) return shifts_out(type, amount) ? 0 : a >> amount;
  const int64_t value = int_of_bits(type, a);
  if (shifts_out(type, amount)) return value < 0 ? UINT64_MAX : 0;
  return static_cast<uint64_t>(value >> amount);
}

// Division of a signed or unsigned type by the function for its sign.
uint64_t divide(Type type, uint64_t a, uint64_t b, int64_t (*divide_signed)(int64_t, int64_t),
                uint64_t when_unsigned) {
  if (!type.is_signed_int()) return when_unsigned;
  return static_cast<uint64_t>(divide_signed(int_of_bits(type, a), int_of_bits(type, b)));
}

uint64_t int_binary(BinaryOp op, Type type, uint64_t a, uint64_t b) {
  switch (op) {
    case BinaryOp::kAdd: return a + b;
    case BinaryOp::kSub: return a - b;
    case BinaryOp::kMul: return a * b;
    case BinaryOp::kFloorDiv: return divide(type, a, b, floor_quotient, b == 0 ? 0 : a / b);
    case BinaryOp::kFloorMod: return divide(type, a, b, floor_remainder, b == 0 ? a : a % b);
    case BinaryOp::kTruncDiv: return divide(type, a, b, trunc_quotient, b == 0 ? 0 : a / b);
    case BinaryOp::kTruncRem: return divide(type, a, b, trunc_remainder, b == 0 ? a : a % b);
    case BinaryOp::kMin: return less(type, b, a) ? b : a;
    case BinaryOp::kMax: return less(type, a, b) ? b : a;
    case BinaryOp::kBitAnd: return a & b;
    case BinaryOp::kBitOr: return a | b;
    case BinaryOp::kBitXor: return a ^ b;
    case BinaryOp::kShl: return shift_left(type, a, b);
    case BinaryOp::kShr: return shift_right(type, a, b);
    case BinaryOp::kLt: return less(type, a, b);
    case BinaryOp::kLe: return !less(type, b, a);
    case BinaryOp::kEq: return a == b;
    case BinaryOp::kNe: return a != b;
    case BinaryOp::kCheck: return a < b && int_of_bits(type, b) > 0 ? a : 0;
    case BinaryOp::kDiv:
    case BinaryOp::kPow: break;
  }
  std::abort();
}

uint64_t int_unary(UnaryOp op, Type type, uint64_t a) {
  switch (op) {
    case UnaryOp::kNeg: return 0 - a;
    case UnaryOp::kNot: return type.is_bool() ? a ^ 1 : ~a;
    case UnaryOp::kAbs: return less(type, a, 0) ? 0 - a : a;
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
    case UnaryOp::kTrunc: return a;
    default: std::abort();
  }
}

// --- Floats. F is float or double; f16 and bf16 are computed in float and rounded after each
// --- operation. Compiled code evaluates the same formulas.

// NaN propagates and -0 is below +0.
template <class F>
F float_min(F a, F b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <class F>
F float_max(F a, F b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

template <class F>
F float_binary(BinaryOp op, F a, F b) {
  switch (op) {
    case BinaryOp::kAdd: return a + b;
    case BinaryOp::kSub: return a - b;
    case BinaryOp::kMul: return a * b;
    case BinaryOp::kDiv: return a / b;
    case BinaryOp::kTruncRem: return std::fmod(a, b);
    case BinaryOp::kMin: return float_min(a, b);
    case BinaryOp::kMax: return float_max(a, b);
    case BinaryOp::kPow: return std::pow(a, b);
    default: std::abort();
  }
}

template <class F>
bool float_compare(BinaryOp op, F a, F b) {
  switch (op) {
    case BinaryOp::kLt: return a < b;
    case BinaryOp::kLe: return a <= b;
    case BinaryOp::kEq: return a == b;
    case BinaryOp::kNe: return a != b;
    default: std::abort();
  }
}

template <class F>
F float_unary(UnaryOp op, F a) {
  switch (op) {
    case UnaryOp::kNeg: return -a;
    case UnaryOp::kAbs: return std::fabs(a);
    case UnaryOp::kFloor: return std::floor(a);
    case UnaryOp::kCeil: return std::ceil(a);
    case UnaryOp::kRound: return std::nearbyint(a);  // the default mode: half to even
    case UnaryOp::kTrunc: return std::trunc(a);
    case UnaryOp::kSqrt: return std::sqrt(a);
    case UnaryOp::kRsqrt: return F{1} / std::sqrt(a);  // two roundings
    case UnaryOp::kExp: return std::exp(a);
    case UnaryOp::kExpm1: return std::expm1(a);
    case UnaryOp::kLog: return std::log(a);
    case UnaryOp::kLog1p: return std::log1p(a);
    case UnaryOp::kSin: return std::sin(a);
    case UnaryOp::kCos: return std::cos(a);
    case UnaryOp::kTan: return std::tan(a);
    case UnaryOp::kAsin: return std::asin(a);
    case UnaryOp::kAcos: return std::acos(a);
    case UnaryOp::kAtan: return std::atan(a);
    case UnaryOp::kSinh: return std::sinh(a);
    case UnaryOp::kCosh: return std::cosh(a);
    case UnaryOp::kTanh: return std::tanh(a);
    case UnaryOp::kAsinh: return std::asinh(a);
    case UnaryOp::kAcosh: return std::acosh(a);
    case UnaryOp::kAtanh: return std::atanh(a);
    case UnaryOp::kErf: return std::erf(a);
    case UnaryOp::kSigmoid: return F{1} / (F{1} + std::exp(-a));
    case UnaryOp::kNot: break;
  }
  std::abort();
}

uint64_t bits_of(double value) { return std::bit_cast<uint64_t>(value); }

// An f32, f16 or bf16 as a float, exactly, and back with one rounding.
float narrow_value(Type type, uint64_t bits) {
  if (type.scalar == Scalar::kF16) return f16_bits_to_float(static_cast<uint16_t>(bits));
  if (type.scalar == Scalar::kBF16) return bf16_bits_to_float(static_cast<uint16_t>(bits));
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}

uint64_t narrow_bits(Type type, float value) {
  if (type.scalar == Scalar::kF16) return f16_bits_from_float(value);
  if (type.scalar == Scalar::kBF16) return bf16_bits_from_float(value);
  return std::bit_cast<uint32_t>(value);
}

// --- Casts.

// An integer of either sign, wide enough for every value of every integer type.
__extension__ using Wide = __int128;

Wide lowest(Type type) { return type.is_signed_int() ? -(Wide{1} << (type.bits() - 1)) : Wide{0}; }
Wide highest(Type type) {
  return (Wide{1} << (type.is_signed_int() ? type.bits() - 1 : type.bits())) - 1;
}

Wide wide_value(Type type, uint64_t bits) {
  return type.is_signed_int() ? Wide{int_of_bits(type, bits)} : Wide{bits};
}

uint64_t float_to_int(Type to, double value) {
  if (std::isnan(value)) return 0;
  // The bounds are powers of two (the upper one exclusive), so a double holds them exactly.
  if (value < static_cast<double>(lowest(to)))
    return truncated(to, static_cast<uint64_t>(lowest(to)));
  if (value >= static_cast<double>(highest(to) + 1)) return static_cast<uint64_t>(highest(to));
  return truncated(to, static_cast<uint64_t>(static_cast<Wide>(value)));
}

uint64_t int_to_float(Type from, Type to, uint64_t bits) {
  const bool is_signed = from.is_signed_int();
  const int64_t value = int_of_bits(from, bits);
  if (to.scalar == Scalar::kF64) {
    return bits_of(is_signed ? static_cast<double>(value) : static_cast<double>(bits));
  }
  return narrow_bits(to, is_signed ? static_cast<float>(value) : static_cast<float>(bits));
}

uint64_t int_to_int(CastMode mode, Type from, Type to, uint64_t bits) {
  Wide value = wide_value(from, bits);
  if (mode == CastMode::kSaturate) {
    if (value < lowest(to)) value = lowest(to);
    if (value > highest(to)) value = highest(to);
  }
  return truncated(to, static_cast<uint64_t>(value));
}

}  // namespace

int64_t int_of_bits(Type type, uint64_t bits) {
  if (!type.is_signed_int()) return static_cast<int64_t>(bits);
  const int unused = 64 - type.bits();
  return static_cast<int64_t>(bits << unused) >> unused;
}

uint64_t bits_of_int(Type type, int64_t value) {
  if (type.is_bool()) return value != 0;
  return truncated(type, static_cast<uint64_t>(value));
}

double float_of_bits(Type type, uint64_t bits) {
  if (type.scalar == Scalar::kF64) return std::bit_cast<double>(bits);
  return static_cast<double>(narrow_value(type, bits));
}

uint64_t bits_of_float(Type type, double value) {
  if (type.scalar == Scalar::kF64) return bits_of(value);
  return narrow_bits(type, static_cast<float>(value));
}

uint64_t apply_unary(UnaryOp op, Type type, uint64_t a) {
  if (!type.is_float()) return truncated(type, int_unary(op, type, a));
  if (op == UnaryOp::kNeg) return a ^ (uint64_t{1} << (type.bits() - 1));
  if (op == UnaryOp::kAbs) return a & ~(uint64_t{1} << (type.bits() - 1));
  if (type.scalar == Scalar::kF64) return bits_of(float_unary(op, std::bit_cast<double>(a)));
  return narrow_bits(type, float_unary(op, narrow_value(type, a)));
}

uint64_t apply_binary(BinaryOp op, Type type, uint64_t a, uint64_t b) {
  if (!type.is_float()) {
    return truncated(type, int_binary(op, type, a, b));
  }
  const bool wide = type.scalar == Scalar::kF64;
  if (is_comparison(op)) {
    return wide ? float_compare(op, std::bit_cast<double>(a), std::bit_cast<double>(b))
                : float_compare(op, narrow_value(type, a), narrow_value(type, b));
  }
  if (wide) return bits_of(float_binary(op, std::bit_cast<double>(a), std::bit_cast<double>(b)));
  return narrow_bits(type, float_binary(op, narrow_value(type, a), narrow_value(type, b)));
}

uint64_t apply_cast(CastMode mode, Type from, Type to, uint64_t a) {
  if (mode == CastMode::kBits || from.scalar == to.scalar) return a;
  if (to.is_bool()) return from.is_float() ? float_of_bits(from, a) != 0 : a != 0;
  if (!from.is_float())
    return to.is_float() ? int_to_float(from, to, a) : int_to_int(mode, from, to, a);
  const double value = float_of_bits(from, a);
  return to.is_float() ? bits_of_float(to, value) : float_to_int(to, value);
}

}  // namespace tenon
