#include "ir/tape.h"

#include <catch2/catch.hpp>

#include "tenon/ir/operators.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

const Var a("a", f32), b("b", i64);

TEST_CASE("closed expressions have values") {
  std::optional<Tape> tape = Tape::make(
      {Expr(a) * 2.0f, select(Expr(a) < 3.0f, b / Expr(2), Expr(0)), cast(i32, a)}, {a, b});
  REQUIRE(tape);
  CHECK(tape->run({bits_of_float(f32, 2.5), bits_of_int(i64, -7)}) ==
        std::vector<uint64_t>{bits_of_float(f32, 5), bits_of_int(i64, -4), bits_of_int(i32, 2)});
  CHECK(tape->run({bits_of_float(f32, 4), bits_of_int(i64, 9)}) ==
        std::vector<uint64_t>{bits_of_float(f32, 8), bits_of_int(i64, 0), bits_of_int(i32, 4)});
}

TEST_CASE("what is not closed has no tape") {
  CHECK_FALSE(Tape::make({Expr(Var("c"))}, {a, b}));
  CHECK_FALSE(Tape::make({load(Buffer("x", f32), {0})}, {a, b}));
  CHECK_FALSE(Tape::make({Expr()}, {a, b}));
  CHECK_FALSE(Tape::make({binary(BinaryOp::kCheck, b, Expr(4))}, {a, b}));
}

TEST_CASE("shared parts are computed once") {
  Expr e = b;
  for (int i = 0; i < 16; ++i) e = e + e;
  std::optional<Tape> tape = Tape::make({e, e}, {b});
  REQUIRE(tape);
  CHECK(tape->operations() == 16);
  CHECK(tape->run({3}) == std::vector<uint64_t>{3 << 16, 3 << 16});
}

}  // namespace
}  // namespace tenon
