// Every code, and encoding against the nearest code by search.
#include "tenon/ir/float8.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "ir/tape.h"
#include "support/rng.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

struct Format {
  const char* name;
  int mantissa, bias;
  int highest;  // the code of the highest value
  bool has_infinity;
  Expr (*decode)(const Expr&);
  Expr (*encode)(const Expr&, Overflow);
};
const Format kFormats[] = {
    {"e4m3", 3, 7, 0x7e, false, decode_e4m3, encode_e4m3},
    {"e5m2", 2, 15, 0x7b, true, decode_e5m2, encode_e5m2},
};

// By the definition: 2^(e - bias) * 1.m, and 2^(1 - bias) * 0.m.
double value_of(const Format& f, int code) {
  const int magnitude = code & 0x7f, m = magnitude & ((1 << f.mantissa) - 1);
  const int e = magnitude >> f.mantissa;
  if (magnitude > f.highest) {
    return f.has_infinity && m == 0 ? INFINITY : static_cast<double>(NAN);
  }
  const double fraction = std::ldexp(m, -f.mantissa) + (e > 0);
  return std::ldexp(fraction, std::max(e, 1) - f.bias);
}

// The nearest code by search, of two the even one; from halfway to the number that would follow the
// highest, too large.
int nearest(const Format& f, float value, Overflow overflow) {
  const int sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return sign | 0x7f;
  const double a = std::fabs(static_cast<double>(value)), top = value_of(f, f.highest);
  const double step = top - value_of(f, f.highest - 1);
  // A tie between the highest and what would follow goes to the even code.
  const bool tie_is_too_large = f.highest % 2 == 1;
  if (a > top + step / 2 || (a == top + step / 2 && tie_is_too_large)) {
    return sign | (overflow == Overflow::kSaturate ? f.highest : f.highest + 1);
  }
  int best = 0;
  for (int code = 1; code <= f.highest; ++code) {
    const double now = std::fabs(value_of(f, code) - a), before = std::fabs(value_of(f, best) - a);
    if (now < before || (now == before && code % 2 == 0)) best = code;
  }
  return sign | best;
}

TEST_CASE("every code of eight bits has its value") {
  for (const Format& f : kFormats) {
    const Var b("b", u8);
    std::optional<Tape> tape = Tape::make({f.decode(b)}, {b});
    REQUIRE(tape);
    for (int code = 0; code < 256; ++code) {
      INFO(f.name << " " << code);
      const float got = std::bit_cast<float>(static_cast<uint32_t>(tape->run({uint64_t(code)})[0]));
      const double expected = value_of(f, code);
      CHECK(std::signbit(got) == (code >= 128));
      if (std::isnan(expected)) {
        CHECK(std::isnan(got));
      } else {
        CHECK(static_cast<double>(std::fabs(got)) == expected);
      }
    }
  }
  CHECK(value_of(kFormats[0], 0x7e) == 448);
  CHECK(value_of(kFormats[1], 0x7b) == 57344);
  CHECK(value_of(kFormats[0], 1) == std::ldexp(1, -9));
  CHECK(value_of(kFormats[1], 1) == std::ldexp(1, -16));
}

TEST_CASE("encoding gives the nearest code, ties to even") {
  for (const Format& f : kFormats) {
    // Values, the middle between neighbours, and the floats next to those; and random bits.
    std::vector<float> values = {INFINITY, NAN, 1e30f, 1e-30f, 1e-42f, 0.0f};
    for (int code = 0; code <= f.highest; ++code) {
      const double value = value_of(f, code);
      const double next =
          code < f.highest ? value_of(f, code + 1) : 2 * value - value_of(f, code - 1);
      for (double v : {value, (value + next) / 2}) {
        const float x = static_cast<float>(v);
        for (float y : {x, std::nextafterf(x, 0), std::nextafterf(x, INFINITY)}) {
          values.push_back(y);
        }
      }
    }
    test::Rng rng(3);
    for (int i = 0; i < 3000; ++i) {
      values.push_back(std::bit_cast<float>(static_cast<uint32_t>(rng.bits()) >> 1));
    }
    const Var x("x", f32);
    for (Overflow overflow : {Overflow::kSaturate, Overflow::kSpecial}) {
      std::optional<Tape> tape = Tape::make({f.encode(x, overflow)}, {x});
      REQUIRE(tape);
      for (float magnitude : values) {
        for (float value : {magnitude, -magnitude}) {
          INFO(f.name << " of " << value);
          REQUIRE(static_cast<int>(tape->run({std::bit_cast<uint32_t>(value)})[0]) ==
                  nearest(f, value, overflow));
        }
      }
    }
  }
}

TEST_CASE("what is too large saturates, or becomes special") {
  const auto encoded = [](Expr (*encode)(const Expr&, Overflow), float v, Overflow o) {
    const Var x("x", f32);
    return Tape::make({encode(x, o)}, {x})->run({std::bit_cast<uint32_t>(v)})[0];
  };
  CHECK(encoded(encode_e4m3, INFINITY, Overflow::kSaturate) == 0x7e);
  CHECK(encoded(encode_e4m3, -500, Overflow::kSpecial) == 0xff);
  CHECK(encoded(encode_e4m3, 464, Overflow::kSpecial) == 0x7e);
  CHECK(encoded(encode_e5m2, INFINITY, Overflow::kSaturate) == 0x7b);
  CHECK(encoded(encode_e5m2, 61440, Overflow::kSpecial) == 0x7c);
  CHECK(encoded(encode_e5m2, 61439, Overflow::kSpecial) == 0x7b);
}

TEST_CASE("the operands of eight-bit floats") {
  CHECK(decode_e4m3(Var("x", i8)).as<Invalid>()->message ==
        "decode_e4m3 of i8: it takes the bits, as u8");
  CHECK(encode_e5m2(Var("x", i32), Overflow::kSaturate).as<Invalid>()->message ==
        "encode_e5m2 of i32: it takes floats; cast first");
  CHECK(decode_e5m2(Expr()).is<Invalid>());
  CHECK(encode_e4m3(Expr(Var("x", f16))).type() == u8);
}

}  // namespace
}  // namespace tenon
