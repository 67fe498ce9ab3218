#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "tenon/runtime/signature.h"

namespace tenon {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The bits of a C++ value as a type; empty when it does not fit.
template <class T>
std::optional<uint64_t> convert(T value, Type to) {
  const Argument argument(value);
  uint64_t bits = 0;
  if (!convert_scalar(argument.scalar_type(), argument.scalar_bits(), to, &bits)) return {};
  return bits;
}

uint64_t bits(float value) { return std::bit_cast<uint32_t>(value); }
uint64_t bits(double value) { return std::bit_cast<uint64_t>(value); }

}  // namespace

TEST_CASE("a scalar argument knows its type") {
  CHECK(Argument(1.0).scalar_type() == f64);
  CHECK(Argument(1.0f).scalar_type() == f32);
  CHECK(Argument(1).scalar_type() == i32);
  CHECK(Argument(1u).scalar_type() == u32);
  CHECK(Argument(1l).scalar_type() == i64);
  CHECK(Argument(1ll).scalar_type() == i64);
  CHECK(Argument(1ull).scalar_type() == u64);
  CHECK(Argument('a').scalar_type() == i8);
  CHECK(Argument(static_cast<unsigned short>(1)).scalar_type() == u16);
  CHECK(Argument(true).scalar_type() == boolean);
  CHECK(Argument(Float16(1.0f)).scalar_type() == f16);
  CHECK(Argument(BFloat16(1.0f)).scalar_type() == bf16);
  CHECK(Argument(-1).scalar_bits() == 0xffffffffu);  // the value in the low bytes
}

TEST_CASE("floats round to a narrower float") {
  CHECK(convert(0.5, f32) == bits(0.5f));
  CHECK(convert(0.1, f32) == bits(0.1f));
  CHECK(convert(0.1f, f64) == bits(static_cast<double>(0.1f)));
  CHECK(convert(1e-5, f16) == f16_bits_from_float(1e-5f));
  CHECK(convert(0.1, bf16) == bf16_bits_from_float(0.1f));
  CHECK(convert(1e-300, f32) == bits(0.0f));
  CHECK(convert(-0.0, f32) == bits(-0.0f));
  CHECK(convert(Float16(1.5f), f32) == bits(1.5f));
  CHECK(convert(BFloat16(1.5f), f16) == f16_bits_from_float(1.5f));
}

TEST_CASE("floats do not overflow into infinity") {
  CHECK_FALSE(convert(1e300, f32));
  CHECK_FALSE(convert(-1e300, f32));
  CHECK_FALSE(convert(65520.0, f16));
  CHECK(convert(65504.0, f16) == 0x7bff);
  CHECK(convert(kInfinity, f32) == bits(std::numeric_limits<float>::infinity()));
  CHECK(convert(-kInfinity, bf16) == 0xff80);
  const std::optional<uint64_t> nan = convert(std::nan(""), f32);
  REQUIRE(nan);
  CHECK(std::isnan(std::bit_cast<float>(static_cast<uint32_t>(*nan))));
}

TEST_CASE("integers become floats only exactly") {
  CHECK(convert(3, f32) == bits(3.0f));
  CHECK(convert(-3, f64) == bits(-3.0));
  CHECK(convert(1 << 24, f32) == bits(0x1p24f));
  CHECK_FALSE(convert((1 << 24) + 1, f32));
  CHECK(convert(2048, f16) == f16_bits_from_float(2048.0f));
  CHECK_FALSE(convert(2049, f16));
  CHECK_FALSE(convert(70000, f16));
  CHECK_FALSE(convert(257, bf16));
  CHECK(convert(256, bf16) == bf16_bits_from_float(256.0f));
  CHECK_FALSE(convert((int64_t{1} << 53) + 1, f64));
  CHECK(convert(std::numeric_limits<int64_t>::min(), f64) == bits(-0x1p63));
  CHECK_FALSE(convert(std::numeric_limits<int64_t>::max(), f64));
  CHECK_FALSE(convert(std::numeric_limits<int64_t>::min() + 1, f64));
  CHECK_FALSE(convert(std::numeric_limits<uint64_t>::max(), f64));
  CHECK_FALSE(convert(std::numeric_limits<uint64_t>::max(), f32));
  CHECK(convert(uint64_t{1} << 63, f64) == bits(0x1p63));
}

TEST_CASE("integers become other integers when they fit") {
  CHECK(convert(-1, i8) == 0xff);
  CHECK(convert(-128, i8) == 0x80);
  CHECK_FALSE(convert(-129, i8));
  CHECK(convert(127, i8) == 0x7f);
  CHECK_FALSE(convert(128, i8));
  CHECK(convert(255, u8) == 0xff);
  CHECK_FALSE(convert(256, u8));
  CHECK_FALSE(convert(-1, u8));
  CHECK_FALSE(convert(-1, u64));
  CHECK(convert(-1, i64) == UINT64_MAX);
  CHECK(convert(int8_t{-1}, i32) == 0xffffffffu);
  CHECK(convert(uint8_t{255}, i16) == 255);
  CHECK_FALSE(convert(UINT64_MAX, i64));
  CHECK(convert(uint64_t{INT64_MAX}, i64) == INT64_MAX);
  CHECK(convert(int64_t{UINT32_MAX}, u32) == UINT32_MAX);
  CHECK_FALSE(convert(int64_t{UINT32_MAX} + 1, u32));
}

TEST_CASE("a float never becomes an integer, and bool stays bool") {
  CHECK_FALSE(convert(3.0, i32));
  CHECK_FALSE(convert(3.0f, u8));
  CHECK(convert(true, boolean) == 1);
  CHECK(convert(false, boolean) == 0);
  for (Type type : kAllTypes) {
    if (type.is_bool()) continue;
    CHECK_FALSE(convert(true, type));
    CHECK_FALSE(convert(1, boolean));
    CHECK_FALSE(convert(1.0, boolean));
  }
}

TEST_CASE("every type converts to itself bit for bit") {
  for (Type type : kAllTypes) {
    uint64_t result = 0;
    CHECK(convert_scalar(type, 0x7f81, type, &result));
    CHECK(result == 0x7f81);
  }
}

}  // namespace tenon
