// The conversions against a reference that knows nothing of bit tricks: the value of every pattern
// from the definition of the format, and rounding as a search among all values.
#include "tenon/base/half.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

namespace tenon {
namespace {

struct Format {
  const char* name;
  int exponent_bits, fraction_bits;
  uint16_t (*from_float)(float);
  float (*to_float)(uint16_t);
};

const Format kFormats[] = {{"f16", 5, 10, f16_bits_from_float, f16_bits_to_float},
                           {"bf16", 8, 7, bf16_bits_from_float, bf16_bits_to_float}};

// The value of a pattern without sign: fraction * 2^e, with an implicit one where not subnormal.
double value_of(const Format& f, unsigned bits) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> f.fraction_bits);
  const double fraction = bits & ((1u << f.fraction_bits) - 1);
  const double one = 1u << f.fraction_bits;
  if (exponent == 0) return std::ldexp(fraction, 1 - bias - f.fraction_bits);
  return std::ldexp(one + fraction, exponent - bias - f.fraction_bits);
}

unsigned infinity_bits(const Format& f) { return ((1u << f.exponent_bits) - 1) << f.fraction_bits; }

// Rounds to nearest, ties to the even pattern. The first value beyond the largest finite one takes
// part in the search: what rounds to it overflows.
unsigned rounded(const std::vector<double>& values, double magnitude) {
  const auto above = std::upper_bound(values.begin(), values.end(), magnitude);
  if (above == values.end()) return static_cast<unsigned>(values.size() - 1);
  const unsigned high = static_cast<unsigned>(above - values.begin());
  const unsigned low = high - 1;
  const double to_low = magnitude - values[low];
  const double to_high = values[high] - magnitude;
  if (to_low != to_high) return to_low < to_high ? low : high;
  return low % 2 == 0 ? low : high;
}

// All values that are not negative, and as the last one what stands for infinity.
std::vector<double> all_values(const Format& f) {
  std::vector<double> values;
  for (unsigned bits = 0; bits <= infinity_bits(f); ++bits) values.push_back(value_of(f, bits));
  return values;
}

// Numbers of mistakes, so that millions of cases cost no assertion each.
int64_t wrong_roundings(const Format& f, const std::vector<double>& values, uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (std::isnan(value)) return 0;
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const unsigned expected =
      std::isinf(value) ? infinity_bits(f) : rounded(values, std::fabs(static_cast<double>(value)));
  return f.from_float(value) != (expected | sign);
}

TEST_CASE("every 16-bit pattern has the value that its format defines") {
  for (const Format& f : kFormats) {
    INFO(f.name);
    int64_t wrong = 0;
    for (unsigned bits = 0; bits < infinity_bits(f); ++bits) {
      const float value = f.to_float(static_cast<uint16_t>(bits));
      const float negative = f.to_float(static_cast<uint16_t>(bits | 0x8000u));
      wrong += static_cast<double>(value) != value_of(f, bits) || std::signbit(value);
      wrong += negative != -value || !std::signbit(negative);
    }
    CHECK(wrong == 0);
    CHECK(f.to_float(static_cast<uint16_t>(infinity_bits(f))) == INFINITY);
    CHECK(f.to_float(static_cast<uint16_t>(infinity_bits(f) | 0x8000u)) == -INFINITY);
  }
}

TEST_CASE("every 16-bit pattern survives the way through float") {
  for (const Format& f : kFormats) {
    INFO(f.name);
    int64_t wrong = 0;
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const uint16_t pattern = static_cast<uint16_t>(bits);
      const float value = f.to_float(pattern);
      if (std::isnan(value)) {
        const uint16_t quiet = static_cast<uint16_t>(1u << (f.fraction_bits - 1));
        wrong += f.from_float(value) != (pattern | quiet);
      } else {
        wrong += f.from_float(value) != pattern;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a float rounds to the nearest 16-bit value, ties to even, around every value") {
  for (const Format& f : kFormats) {
    INFO(f.name);
    const std::vector<double> values = all_values(f);
    int64_t wrong = 0;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      const float middle = static_cast<float>(values[i] + (values[i + 1] - values[i]) / 2);
      for (float center : {static_cast<float>(values[i]), middle}) {
        const uint32_t bits = std::bit_cast<uint32_t>(center);
        for (uint32_t near : {bits - 1, bits, bits + 1}) {
          if (near > bits + 1) continue;  // below zero
          wrong += wrong_roundings(f, values, near);
          wrong += wrong_roundings(f, values, near | 0x80000000u);
        }
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a float rounds to the nearest 16-bit value, ties to even, over the whole range") {
  for (const Format& f : kFormats) {
    INFO(f.name);
    const std::vector<double> values = all_values(f);
    int64_t wrong = 0;
    for (uint64_t bits = 0; bits < 0x100000000u; bits += 2003) {
      wrong += wrong_roundings(f, values, static_cast<uint32_t>(bits));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("what is too large becomes infinity exactly from the midpoint to the next power of two") {
  CHECK(f16_bits_from_float(65519.996f) == 0x7bff);
  CHECK(f16_bits_from_float(65520.0f) == 0x7c00);
  CHECK(f16_bits_from_float(-65520.0f) == 0xfc00);
  CHECK(bf16_bits_from_float(std::bit_cast<float>(0x7f7f7fffu)) == 0x7f7f);
  CHECK(bf16_bits_from_float(std::bit_cast<float>(0x7f7f8000u)) == 0x7f80);
}

TEST_CASE("a NaN stays a NaN, keeps its sign and upper payload, and becomes quiet") {
  CHECK(f16_bits_from_float(std::bit_cast<float>(0x7fc00000u)) == 0x7e00);
  CHECK(f16_bits_from_float(std::bit_cast<float>(0xff800001u)) == 0xfe00);
  CHECK(f16_bits_from_float(std::bit_cast<float>(0x7fa02000u)) == 0x7f01);
  CHECK(bf16_bits_from_float(std::bit_cast<float>(0x7f800001u)) == 0x7fc0);
  CHECK(bf16_bits_from_float(std::bit_cast<float>(0xffc10000u)) == 0xffc1);
  int64_t lost = 0;
  for (uint32_t payload = 1; payload < 0x800000u; payload += 97) {
    const float value = std::bit_cast<float>(0x7f800000u | payload);
    lost += !std::isnan(f16_bits_to_float(f16_bits_from_float(value)));
    lost += !std::isnan(bf16_bits_to_float(bf16_bits_from_float(value)));
  }
  CHECK(lost == 0);
}

TEST_CASE("the storage types convert and name their element types") {
  CHECK(Float16(1.5f).bits == 0x3e00);
  CHECK(Float16(1.5f).to_float() == 1.5f);
  CHECK(BFloat16(-2.0f).bits == 0xc000);
  CHECK(BFloat16(-2.0f).to_float() == -2.0f);
  CHECK(Float16().to_float() == 0.0f);
  STATIC_REQUIRE(sizeof(Float16) == 2);
  STATIC_REQUIRE(sizeof(BFloat16) == 2);
  STATIC_REQUIRE(type_of<Float16>() == f16);
  STATIC_REQUIRE(type_of<BFloat16>() == bf16);
}

}  // namespace
}  // namespace tenon
