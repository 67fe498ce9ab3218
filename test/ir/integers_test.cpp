// Every function on all pairs of 8-bit values, of either sign, against wide arithmetic; wider types
// at their ends and on random values.
#include "tenon/ir/integers.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "ir/tape.h"
#include "support/rng.h"
#include "tenon/ir/program.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

__extension__ using Wide = __int128;
using Function = Expr (*)(const Expr&, const Expr&);
using Meaning = std::function<Wide(Wide, Wide)>;

Wide value_of(Type type, uint64_t bits) {
  return type.is_signed_int() ? Wide{int_of_bits(type, bits)} : Wide{bits};
}
Wide power(int n) { return Wide{1} << n; }
Wide lowest_of(Type t) { return t.is_signed_int() ? -power(t.bits() - 1) : 0; }
Wide highest_of(Type t) { return power(t.is_signed_int() ? t.bits() - 1 : t.bits()) - 1; }
Wide floor_div(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
Wide saturated(Type t, Wide v) { return std::clamp(v, lowest_of(t), highest_of(t)); }

// How often f differs from its meaning on these operands.
int64_t wrong(Function f, Type ta, Type tb, Type result,
              const std::vector<std::pair<uint64_t, uint64_t>>& operands, const Meaning& meaning) {
  const Var a("a", ta), b("b", tb);
  const Expr e = f(a, b);
  INFO(print(e));
  REQUIRE(e.type() == result);
  std::optional<Tape> tape = Tape::make({e}, {a, b});
  REQUIRE(tape);
  int64_t count = 0;
  for (const auto& [x, y] : operands) {
    count += value_of(result, tape->run({x, y})[0]) != meaning(value_of(ta, x), value_of(tb, y));
  }
  return count;
}

const std::vector<std::pair<uint64_t, uint64_t>>& all_bytes() {
  static const auto pairs = [] {
    std::vector<std::pair<uint64_t, uint64_t>> result;
    for (uint64_t a = 0; a < 256; ++a) {
      for (uint64_t b = 0; b < 256; ++b) result.emplace_back(a, b);
    }
    return result;
  }();
  return pairs;
}

// The ends, values next to them, and random ones.
std::vector<std::pair<uint64_t, uint64_t>> some_pairs(Type type) {
  const uint64_t mask = type.bits() == 64 ? UINT64_MAX : (uint64_t{1} << type.bits()) - 1;
  const uint64_t top = uint64_t{1} << (type.bits() - 1);
  std::vector<uint64_t> values = {0, 1, 2, 3, top - 2, top - 1, top, top + 1, mask - 1, mask};
  test::Rng rng(7);
  for (int i = 0; i < 40; ++i) {
    values.push_back(rng.bits() & mask);
  }
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
  for (uint64_t a : values) {
    for (uint64_t b : values) pairs.emplace_back(a, b);
  }
  return pairs;
}

// On bytes of both signs and on every wider type; `widest` bits at most.
void check(Function f, const std::function<Type(Type)>& result,
           const std::function<Wide(Type, Wide, Wide)>& meaning, int widest = 64) {
  for (Type type : {i8, u8, i16, u16, i32, u32, i64, u64}) {
    if (type.bits() > widest) continue;
    INFO(to_string(type));
    const auto on_type = [&](Wide a, Wide b) { return meaning(type, a, b); };
    const auto pairs = type.bits() == 8 ? all_bytes() : some_pairs(type);
    CHECK(wrong(f, type, type, result(type), pairs, on_type) == 0);
  }
}

Type itself(Type t) { return t; }
Type twice(Type t) {
  return *parse_type((t.is_signed_int() ? "i" : "u") + std::to_string(2 * t.bits()));
}
Type twice_signed(Type t) { return *parse_type("i" + std::to_string(2 * t.bits())); }
Type as_unsigned(Type t) { return *parse_type("u" + std::to_string(t.bits())); }

TEST_CASE("widening operations lose nothing") {
  check(
      widening_add, twice, [](Type, Wide a, Wide b) { return a + b; }, 32);
  check(
      widening_sub, twice_signed, [](Type, Wide a, Wide b) { return a - b; }, 32);
  check(
      widening_mul, twice, [](Type, Wide a, Wide b) { return a * b; }, 32);
  // Of mixed signs, as dot products of activations and weights have them.
  const Meaning product = [](Wide a, Wide b) { return a * b; };
  CHECK(wrong(widening_mul, u8, i8, i16, all_bytes(), product) == 0);
  CHECK(wrong(widening_mul, i8, u8, i16, all_bytes(), product) == 0);
  CHECK(wrong(widening_add, u8, i8, i16, all_bytes(), [](Wide a, Wide b) { return a + b; }) == 0);
}

TEST_CASE("saturating operations stop at the ends") {
  check(saturating_add, itself, [](Type t, Wide a, Wide b) { return saturated(t, a + b); });
  check(saturating_sub, itself, [](Type t, Wide a, Wide b) { return saturated(t, a - b); });
}

TEST_CASE("halves of sums do not overflow") {
  check(halving_add, itself, [](Type, Wide a, Wide b) { return floor_div(a + b, 2); });
  check(rounding_halving_add, itself, [](Type, Wide a, Wide b) { return floor_div(a + b + 1, 2); });
}

TEST_CASE("absolute differences are unsigned") {
  check(absolute_difference, as_unsigned,
        [](Type, Wide a, Wide b) { return a < b ? b - a : a - b; });
}

TEST_CASE("a rounding shift rounds to nearest, ties up, whatever the amount") {
  check(rounding_shift_right, itself, [](Type t, Wide a, Wide s) {
    if (s == 0) return a;
    if (s < 0 || s > t.bits()) return Wide{0};
    return floor_div(a + power(static_cast<int>(s) - 1), power(static_cast<int>(s)));
  });
}

TEST_CASE("high halves of products") {
  check(
      mul_high, itself, [](Type t, Wide a, Wide b) { return floor_div(a * b, power(t.bits())); },
      32);
  for (Type type : {i8, i16, i32}) {
    const auto pairs = type == i8 ? all_bytes() : some_pairs(type);
    CHECK(wrong(rounding_mul_high, type, type, type, pairs, [&](Wide a, Wide b) {
            const Wide exact = floor_div(a * b + power(type.bits() - 2), power(type.bits() - 1));
            return saturated(type, exact);
          }) == 0);
  }
}

TEST_CASE("fields of bits") {
  for (Type type : {u8, i8, u16, i32, u64, i64}) {
    for (int count : {1, 2, 4, type.bits()}) {
      const Var a("a", type), lo("lo", u8);
      std::optional<Tape> tape =
          Tape::make({bit_field(a, lo, count), signed_bit_field(a, lo, count)}, {a, lo});
      REQUIRE(tape);
      for (int first = 0; first + count <= type.bits(); ++first) {
        for (const auto& pair : some_pairs(type)) {
          const auto result = tape->run({pair.first, static_cast<uint64_t>(first)});
          const Wide field = (Wide{pair.first} >> first) & (power(count) - 1);
          const Wide negative = field >= power(count - 1) ? field - power(count) : field;
          if (Wide{result[0]} == field &&
              result[1] == bits_of_int(type, static_cast<int64_t>(negative))) {
            continue;
          }
          FAIL(to_string(type) << ": " << count << " bits from " << first << " of " << pair.first);
        }
      }
    }
  }
  CHECK(print(bit_field(Var("b", u8), 4, 4)) == "b >> 4u8 & 15u8");
  CHECK(bit_field(Var("b", i8), 0, 4).type() == u8);
  CHECK(signed_bit_field(Var("b", u8), 0, 4).type() == i8);
}

TEST_CASE("literals take the type of the other operand") {
  CHECK(widening_mul(Var("x", u8), 3).type() == u16);
  CHECK(saturating_add(Var("x", i8), 100).type() == i8);
  CHECK(print(halving_add(Var("x", u8), 4)) == "(x & 4u8) + ((x ^ 4u8) >> 1u8)");
}

TEST_CASE("wrong operands are named") {
  const auto message = [](const Expr& e) { return e.as<Invalid>()->message; };
  const Var f("f", f32), a("a", i64), b("b", u8);
  CHECK(message(saturating_add(f, f)) ==
        "operator saturating_add on f32 and f32: it takes integers; cast first");
  CHECK(message(widening_mul(a, a)) ==
        "operator widening_mul on i64 and i64: no type holds twice 64 bits");
  CHECK(message(mul_high(a, a)) == "operator mul_high on i64 and i64: no type holds twice 64 bits");
  CHECK(message(rounding_mul_high(b, b)) ==
        "operator rounding_mul_high on u8 and u8: it takes signed integers; cast first");
  CHECK(message(bit_field(b, 6, 4)) == "bit_field of u8: the 4 bits from bit 6 do not lie in it");
  CHECK(message(bit_field(b, 0, 9)) == "bit_field of u8: 9 bits; 1 to 8 can be taken");
  CHECK(message(signed_bit_field(f, 0, 4)) ==
        "operator signed_bit_field on f32 and i64: it takes integers; cast first");
  CHECK(message(halving_add(b, 300)) != "");
  CHECK(saturating_add(Expr(), b).is<Invalid>());
}

}  // namespace
}  // namespace tenon
