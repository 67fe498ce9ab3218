#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "ir/grammar.h"
#include "ir/lexer.h"
#include "tenon/ir/program.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

// The bits that the parser reads from the text of a constant.
std::optional<uint64_t> read_back(Type type, uint64_t bits) {
  std::string text = literal_text(type, bits);
  const std::string name = to_string(type);
  if (text.find("nan") != std::string::npos) return plain_nan_bits(type);
  if (text.find("bits") != std::string::npos) {
    const size_t start = text.find('(') + 1;
    return integer_bits(text.substr(start, text.find(')') - start), false, u64);
  }
  const bool negative = text.front() == '-';
  if (negative) text.erase(0, 1);
  if (text.find("inf") != std::string::npos) {
    const double infinity = std::numeric_limits<double>::infinity();
    return bits_of_float(type, negative ? -infinity : infinity);
  }
  const NumberParts parts = split_number(text);
  if (parts.digits.size() + parts.suffix.size() != text.size()) return std::nullopt;
  if (!parts.suffix.empty() && parts.suffix != name) return std::nullopt;
  if (parts.suffix.empty() && type != f32 && type != i64) return std::nullopt;
  return type.is_float() ? float_bits(parts.digits, negative, type)
                         : integer_bits(parts.digits, negative, type);
}

int64_t wrong_texts(Type type, uint64_t bits) { return read_back(type, bits) != bits; }

TEST_CASE("constants print in the shortest form that reads back") {
  CHECK(literal_text(f32, std::bit_cast<uint32_t>(0.0f)) == "0.0");
  CHECK(literal_text(f32, std::bit_cast<uint32_t>(-0.0f)) == "-0.0");
  CHECK(literal_text(f32, std::bit_cast<uint32_t>(0.1f)) == "0.1");
  CHECK(literal_text(f32, std::bit_cast<uint32_t>(1e-5f)) == "1e-05");
  CHECK(literal_text(f32, std::bit_cast<uint32_t>(1e20f)) == "1e+20");
  CHECK(literal_text(f32, std::bit_cast<uint32_t>(16777216.0f)) == "16777216.0");
  CHECK(literal_text(f64, std::bit_cast<uint64_t>(1.5)) == "1.5f64");
  CHECK(literal_text(f64, std::bit_cast<uint64_t>(0.1)) == "0.1f64");
  CHECK(literal_text(f16, 0x3800) == "0.5f16");
  CHECK(literal_text(f16, 0x2e66) == "0.1f16");
  CHECK(literal_text(f16, 0x0001) == "6e-08f16");
  CHECK(literal_text(bf16, 0x4000) == "2.0bf16");
  CHECK(literal_text(i64, bits_of_int(i64, -3)) == "-3");
  CHECK(literal_text(i32, 3) == "3i32");
  CHECK(literal_text(u8, 255) == "255u8");
  CHECK(literal_text(i8, 0x80) == "-128i8");
  CHECK(literal_text(u64, UINT64_MAX) == "18446744073709551615u64");
  CHECK(literal_text(i64, bits_of_int(i64, INT64_MIN)) == "-9223372036854775808");
  CHECK(literal_text(boolean, 1) == "true");
  CHECK(literal_text(boolean, 0) == "false");
}

TEST_CASE("infinities and NaNs have words, and an unusual NaN shows its bits") {
  CHECK(literal_text(f32, 0x7f800000) == "inf");
  CHECK(literal_text(f32, 0xff800000) == "-inf");
  CHECK(literal_text(f32, 0x7fc00000) == "nan");
  CHECK(literal_text(f32, 0x7fc00001) == "f32.bits(0x7fc00001)");
  CHECK(literal_text(f32, 0xffc00000) == "f32.bits(0xffc00000)");
  CHECK(literal_text(f64, 0x7ff0000000000000) == "f64.inf");
  CHECK(literal_text(f64, 0xfff0000000000000) == "-f64.inf");
  CHECK(literal_text(f64, 0x7ff8000000000000) == "f64.nan");
  CHECK(literal_text(f16, 0x7e00) == "f16.nan");
  CHECK(literal_text(bf16, 0x7fc0) == "bf16.nan");
  CHECK(literal_text(bf16, 0xff80) == "-bf16.inf");
  CHECK(literal_text(f16, 0x7c01) == "f16.bits(0x7c01)");
}

TEST_CASE("every 8- and 16-bit constant reads back") {
  for (Type type : {i8, u8, i16, u16, f16, bf16}) {
    INFO(to_string(type));
    int64_t wrong = 0;
    for (uint64_t bits = 0; bits < (uint64_t{1} << type.bits()); ++bits) {
      wrong += wrong_texts(type, bits);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("wider constants read back: edges, powers of two and random patterns") {
  std::mt19937_64 random(1);
  for (Type type : {i32, i64, u32, u64, f32, f64}) {
    INFO(to_string(type));
    const uint64_t mask = UINT64_MAX >> (64 - type.bits());
    int64_t wrong = 0;
    for (uint64_t near : {uint64_t{0}, mask, mask >> 1}) {
      for (uint64_t d = 0; d < 100; ++d) {
        wrong += wrong_texts(type, (near + d) & mask) + wrong_texts(type, (near - d) & mask);
      }
    }
    for (int shift = 0; shift < type.bits(); ++shift) {
      for (uint64_t d = 0; d < 3; ++d) {
        wrong += wrong_texts(type, ((uint64_t{1} << shift) + d - 1) & mask);
      }
    }
    for (int n = 0; n < 100000; ++n) wrong += wrong_texts(type, random() & mask);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a number that its type cannot hold is refused") {
  CHECK(!integer_bits("128", false, i8));
  CHECK(integer_bits("128", true, i8) == 0x80u);
  CHECK(!integer_bits("129", true, i8));
  CHECK(!integer_bits("256", false, u8));
  CHECK(!integer_bits("1", true, u8));
  CHECK(integer_bits("0", true, u8) == 0u);
  CHECK(!integer_bits("9223372036854775808", false, i64));
  CHECK(integer_bits("9223372036854775808", true, i64) == uint64_t{1} << 63);
  CHECK(!integer_bits("18446744073709551616", false, u64));
  CHECK(!integer_bits("99999999999999999999999999", false, u64));
  CHECK(!float_bits("1e39", false, f32));
  CHECK(!float_bits("65520.0", false, f16));
  CHECK(float_bits("65519.0", false, f16) == 0x7bffu);
  CHECK(!float_bits("1e309", false, f64));
}

}  // namespace
}  // namespace tenon
