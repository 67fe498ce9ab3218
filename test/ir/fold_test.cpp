#include "tenon/ir/fold.h"

#include <catch2/catch.hpp>

#include "tenon/ir/operators.h"

namespace tenon {
namespace {

const Var i("i");

std::string folded(const Expr& e) { return print(fold_constants(e)); }
Expr number(int64_t value) { return constant_int(i64, value); }

TEST_CASE("operators on integer and bool constants are folded") {
  CHECK(folded(number(2) * 3 + 4) == "10");
  CHECK(folded(number(-7) / 2) == "-4");
  CHECK(folded(number(-7) % 2) == "1");
  CHECK(folded(number(7) < 8) == "true");
  CHECK(folded(~(number(7) < 8) | (number(1) == 1)) == "true");
  CHECK(folded(constant_int(u8, 200) + constant_int(u8, 200)) == "144u8");
  CHECK(folded(-constant_int(i8, -128)) == "-128i8");
}

TEST_CASE("what is not constant stays, and what is inside it is folded") {
  CHECK(folded(Expr(i) + (number(2) + 3)) == "i + 5");
  CHECK(folded(Expr(i) * 0) == "i * 0");
  const Expr e = Expr(i) + 1;
  CHECK(fold_constants(e).get() == e.get());
}

TEST_CASE("casts of integers are folded, operations on floats are not") {
  CHECK(folded(make_cast(CastMode::kValue, i8, number(300))) == "44i8");
  CHECK(folded(make_cast(CastMode::kSaturate, i8, number(300))) == "127i8");
  CHECK(folded(make_cast(CastMode::kValue, f32, number(3))) == "3.0");
  CHECK(folded(constant_float(f32, 1.0) + constant_float(f32, 2.0)) == "1.0 + 2.0");
}

TEST_CASE("a select on a constant is the side that it chooses") {
  CHECK(folded(make_select(number(1) < 2, i, number(5))) == "i");
  CHECK(folded(make_select(number(3) < 2, i, number(5))) == "5");
  CHECK(folded(make_select(broadcast_lanes(number(1) < 2, 4), ramp(i, 1, 4),
                           broadcast_lanes(5, 4))) == "ramp(i, 1, 4)");
}

TEST_CASE("lanes that are all the same are folded as one") {
  CHECK(folded(broadcast_lanes(3, 4) + broadcast_lanes(4, 4)) == "broadcast(7, 4)");
}

TEST_CASE("a kept promise is folded and a broken one is left for the call to report") {
  CHECK(folded(binary(BinaryOp::kCheck, number(3), number(4))) == "3");
  CHECK(folded(binary(BinaryOp::kCheck, number(0), number(1))) == "0");
  CHECK(folded(binary(BinaryOp::kCheck, number(4), number(4))) == "check(4, 4)");
  CHECK(folded(binary(BinaryOp::kCheck, number(-1), number(4))) == "check(-1, 4)");
  CHECK(folded(binary(BinaryOp::kCheck, number(0), number(0))) == "check(0, 0)");
  CHECK(folded(binary(BinaryOp::kCheck, number(0), number(-1))) == "check(0, -1)");
  CHECK(folded(binary(BinaryOp::kCheck, number(-3), number(-1))) == "check(-3, -1)");
}

TEST_CASE("a use that no rule allows is left alone") {
  const Expr e = binary(BinaryOp::kDiv, number(3), number(4));
  CHECK(fold_constants(e).get() == e.get());
  const Expr f = unary(UnaryOp::kExp, number(3));
  CHECK(fold_constants(f).get() == f.get());
}

TEST_CASE("the expressions of statements are folded and the statements stay") {
  const Buffer y("y", f32);
  const Stmt s = make_for(i, number(1) - 1, number(2) * 2, ForKind::kSerial,
                          make_if(number(1) < 2, store(y, {Expr(i) + (number(1) + 1)}, 1.0f)));
  CHECK(print(fold_constants(s)) == "for i in 0..4 {\n  if true {\n    y[i + 2] = 1.0\n  }\n}\n");
}

}  // namespace
}  // namespace tenon
