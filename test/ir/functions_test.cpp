#include "tenon/ir/functions.h"

#include <catch2/catch.hpp>
#include <limits>

#include "ir/tape.h"
#include "tenon/ir/program.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

using Catch::Contains;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// f of a value of this type, as bits.
uint64_t at(Type type, Expr (*f)(const Expr&), uint64_t bits) {
  const Var x("x", type);
  std::optional<Tape> tape = Tape::make({f(x)}, {x});
  REQUIRE(tape);
  return tape->run({bits})[0];
}
uint64_t at(Type type, Expr (*f)(const Expr&), double value) {
  return at(type, f,
            type.is_float() ? bits_of_float(type, value)
                            : bits_of_int(type, static_cast<int64_t>(value)));
}

TEST_CASE("the limits of every type are the ends of its order") {
  for (Type type : kAllTypes) {
    INFO(to_string(type));
    const uint64_t lo = lowest(type).as<Const>()->bits, hi = highest(type).as<Const>()->bits;
    CHECK(lowest(type).type() == type);
    if (type.is_float()) {
      CHECK(float_of_bits(type, lo) == -float_of_bits(type, hi));
      CHECK(float_of_bits(type, hi) < kInf);
      CHECK(float_of_bits(type, hi + 1) == kInf);
      CHECK(float_of_bits(type, infinity(type).as<Const>()->bits) == kInf);
      CHECK(at(type, isnan, not_a_number(type).as<Const>()->bits) == 1);
    } else if (type.is_bool()) {
      CHECK((lo == 0 && hi == 1));
    } else {
      CHECK(apply_binary(BinaryOp::kAdd, type, hi, 1) == lo);
      CHECK(apply_binary(BinaryOp::kLt, type, lo, hi) == 1);
    }
  }
  CHECK(float_of_bits(f32, highest(f32).as<Const>()->bits) == std::numeric_limits<float>::max());
  CHECK(float_of_bits(f16, highest(f16).as<Const>()->bits) == 65504);
  CHECK(infinity(i32).is<Invalid>());
  CHECK(not_a_number(boolean).as<Invalid>()->message ==
        "not_a_number of bool: it is a value of floats");
}

TEST_CASE("the classes of floats") {
  for (Type type : {f64, f32, f16, bf16}) {
    INFO(to_string(type));
    const auto classes = [&](double v) {
      return std::array<uint64_t, 3>{at(type, isnan, v), at(type, isinf, v), at(type, isfinite, v)};
    };
    CHECK(classes(kNan) == std::array<uint64_t, 3>{1, 0, 0});
    CHECK(classes(-kNan) == std::array<uint64_t, 3>{1, 0, 0});
    CHECK(classes(kInf) == std::array<uint64_t, 3>{0, 1, 0});
    CHECK(classes(-kInf) == std::array<uint64_t, 3>{0, 1, 0});
    CHECK(classes(0) == std::array<uint64_t, 3>{0, 0, 1});
    CHECK(classes(-65504) == std::array<uint64_t, 3>{0, 0, 1});
  }
  for (Type type : {i8, u64}) {
    CHECK(at(type, isnan, 100.0) == 0);
    CHECK(at(type, isinf, 100.0) == 0);
    CHECK(at(type, isfinite, 100.0) == 1);
  }
  CHECK(isnan(Var("b", boolean)).as<Invalid>()->message ==
        "isnan of bool: it takes numbers; cast first");
  CHECK(isnan(Expr()).is<Invalid>());
}

TEST_CASE("sign keeps zeros and NaN") {
  for (Type type : {f64, f32, f16, bf16}) {
    INFO(to_string(type));
    CHECK(at(type, sign, 0.25) == bits_of_float(type, 1));
    CHECK(at(type, sign, -kInf) == bits_of_float(type, -1));
    CHECK(at(type, sign, -0.0) == bits_of_float(type, -0.0));
    CHECK(at(type, sign, 0.0) == 0);
    CHECK(at(type, isnan, at(type, sign, kNan)) == 1);
  }
  for (Type type : {i8, i64}) {
    CHECK(at(type, sign, -128.0) == bits_of_int(type, -1));
    CHECK(at(type, sign, 0.0) == 0);
    CHECK(at(type, sign, 7.0) == 1);
  }
  CHECK(at(u8, sign, 255.0) == 1);
  CHECK(at(u8, sign, 0.0) == 0);
}

TEST_CASE("clamp gives the upper bound where the bounds cross, and keeps NaN") {
  const auto clamped = [](double v, double lo, double hi) {
    const Var x("x", f32);
    std::optional<Tape> tape = Tape::make({clamp(x, lo, hi)}, {x});
    return float_of_bits(f32, tape->run({bits_of_float(f32, v)})[0]);
  };
  CHECK(clamped(5, 0, 6) == 5);
  CHECK(clamped(-5, 0, 6) == 0);
  CHECK(clamped(7, 0, 6) == 6);
  CHECK(clamped(3, 6, 0) == 0);
  CHECK(std::isnan(clamped(kNan, 0, 6)));
  CHECK(print(clamp(Var("x", f32), 0, 6)) == "min(6.0, max(x, 0.0))");
}

TEST_CASE("a negative index counts from the end") {
  const Var i("i"), n("n");
  CHECK(print(signed_index(i, n)) == "select(i < 0, i + n, i)");
}

}  // namespace
}  // namespace tenon
