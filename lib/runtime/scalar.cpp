#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "tenon/runtime/signature.h"

namespace tenon {
namespace {

// An integer of any type: u64 and i64 together need 65 bits.
struct Integer {
  bool negative;
  uint64_t bits;  // of the value, two's complement when negative
};

Integer integer_of(Type type, uint64_t bits) {
  const int unused = 64 - type.bits();
  bits <<= unused;
  if (!type.is_signed_int()) return {false, bits >> unused};
  const int64_t value = static_cast<int64_t>(bits) >> unused;
  return {value < 0, static_cast<uint64_t>(value)};
}

bool fits(Integer value, Type type) {
  if (!type.is_signed_int()) {
    return !value.negative && (type.bits() == 64 || value.bits >> type.bits() == 0);
  }
  const uint64_t magnitude = value.negative ? ~value.bits : value.bits;
  return magnitude >> (type.bits() - 1) == 0;
}

double float_of_bits(Type type, uint64_t bits) {
  switch (type.scalar) {
    case Scalar::kF64: return std::bit_cast<double>(bits);
    case Scalar::kF32: return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case Scalar::kF16: return f16_bits_to_float(static_cast<uint16_t>(bits));
    default: return bf16_bits_to_float(static_cast<uint16_t>(bits));
  }
}

uint64_t bits_of_float(Type type, double value) {
  switch (type.scalar) {
    case Scalar::kF64: return std::bit_cast<uint64_t>(value);
    case Scalar::kF32: return std::bit_cast<uint32_t>(static_cast<float>(value));
    // Small floats are rounded from f32, as everywhere.
    case Scalar::kF16: return f16_bits_from_float(static_cast<float>(value));
    default: return bf16_bits_from_float(static_cast<float>(value));
  }
}

bool float_to_float(double value, Type to, uint64_t* result) {
  *result = bits_of_float(to, value);
  return std::isfinite(float_of_bits(to, *result)) || !std::isfinite(value);
}

bool integer_to_float(Integer value, Type to, uint64_t* result) {
  const double as_double = value.negative ? static_cast<double>(static_cast<int64_t>(value.bits))
                                          : static_cast<double>(value.bits);
  *result = bits_of_float(to, as_double);
  const double back = float_of_bits(to, *result);
  if (back != as_double) return false;
  // The double itself may have rounded, up to 2^64, which no uint64_t holds.
  if (value.negative) return static_cast<int64_t>(back) == static_cast<int64_t>(value.bits);
  return back < 0x1p64 && static_cast<uint64_t>(back) == value.bits;
}

}  // namespace

bool convert_scalar(Type from, uint64_t bits, Type to, uint64_t* result) {
  *result = bits;
  if (from == to) return true;
  if (from.is_float()) {
    return to.is_float() && float_to_float(float_of_bits(from, bits), to, result);
  }
  if (from.is_bool() || to.is_bool()) return false;
  const Integer value = integer_of(from, bits);
  if (to.is_float()) return integer_to_float(value, to, result);
  *result = to.bits() == 64 ? value.bits : value.bits & ((uint64_t{1} << to.bits()) - 1);
  return fits(value, to);
}

}  // namespace tenon
