#include <charconv>
#include <cmath>
#include <limits>

#include "ir/grammar.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

template <class T, class... Format>
std::string digits_of(T value, Format... format) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, format...);
  return std::string(buffer, result.ptr);
}

std::string hex(uint64_t value) { return "0x" + digits_of(value, 16); }

// The shortest digits that read back as the same value of a 16-bit type.
std::string small_digits(Type type, float value) {
  for (int precision = 1;; ++precision) {
    std::string digits = digits_of(value, std::chars_format::general, precision);
    if (precision == 9 ||
        float_bits(digits, false, type) == bits_of_float(type, static_cast<double>(value))) {
      return digits;
    }
  }
}

// Of a positive, finite value; with a point or an exponent, so that it reads as a float.
std::string float_digits(Type type, double value) {
  std::string digits;
  if (type.scalar == Scalar::kF64) {
    digits = digits_of(value);
  } else if (type.scalar == Scalar::kF32) {
    digits = digits_of(static_cast<float>(value));
  } else {
    digits = small_digits(type, static_cast<float>(value));
  }
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

uint64_t sign_bit(Type type) { return uint64_t{1} << (type.bits() - 1); }

std::string float_text(Type type, uint64_t bits) {
  const double value = float_of_bits(type, bits);
  const bool is_f32 = type.scalar == Scalar::kF32;
  const std::string name = to_string(type);
  if (std::isnan(value)) {
    if (bits != plain_nan_bits(type)) return name + ".bits(" + hex(bits) + ")";
    return is_f32 ? "nan" : name + ".nan";
  }
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + (is_f32 ? "inf" : name + ".inf");
  return sign + float_digits(type, std::fabs(value)) + (is_f32 ? "" : name);
}

std::string int_text(Type type, uint64_t bits) {
  const std::string digits =
      type.is_signed_int() ? digits_of(int_of_bits(type, bits)) : digits_of(bits);
  return type.scalar == Scalar::kI64 ? digits : digits + to_string(type);
}

template <class T>
std::optional<T> parse_float(std::string_view digits) {
  T value{};
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::string literal_text(Type type, uint64_t bits) {
  if (type.is_bool()) return bits ? "true" : "false";
  return type.is_float() ? float_text(type, bits) : int_text(type, bits);
}

std::optional<uint64_t> integer_bits(std::string_view digits, bool negative, Type type) {
  const bool is_hex = digits.substr(0, 2) == "0x";
  if (is_hex) digits.remove_prefix(2);
  uint64_t magnitude = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, magnitude, is_hex ? 16 : 10);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  uint64_t limit = UINT64_MAX >> (64 - type.bits());
  if (type.is_signed_int()) limit = (limit >> 1) + (negative ? 1 : 0);
  if (type.is_unsigned_int() && negative) limit = 0;
  if (magnitude > limit) return std::nullopt;
  const uint64_t pattern = negative ? 0 - magnitude : magnitude;
  return bits_of_int(type, static_cast<int64_t>(pattern));
}

std::optional<uint64_t> float_bits(std::string_view digits, bool negative, Type type) {
  std::optional<uint64_t> bits;
  if (type.scalar == Scalar::kF64) {
    if (const std::optional<double> value = parse_float<double>(digits)) {
      bits = bits_of_float(type, *value);
    }
  } else if (const std::optional<float> value = parse_float<float>(digits)) {
    bits = bits_of_float(type, static_cast<double>(*value));
  }
  if (!bits || std::isinf(float_of_bits(type, *bits))) return std::nullopt;
  return negative ? *bits | sign_bit(type) : *bits;
}

uint64_t plain_nan_bits(Type type) {
  switch (type.scalar) {
    case Scalar::kF64: return 0x7ff8000000000000u;
    case Scalar::kF16: return 0x7e00u;
    case Scalar::kBF16: return 0x7fc0u;
    default: return 0x7fc00000u;
  }
}

}  // namespace tenon
