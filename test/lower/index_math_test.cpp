#include "lower/index_math.h"

#include <catch2/catch.hpp>

#include "tenon/ir/operators.h"

using namespace tenon;

namespace {

Expr number(int64_t n) { return constant_int(i64, n); }

const Var i("i"), n("n");

}  // namespace

TEST_CASE("Constants of sums come together and stand last") {
  CHECK(print(index_add(index_add(i, number(3)), index_add(n, number(4)))) == "i + n + 7");
  CHECK(print(index_sub(index_add(i, number(3)), index_add(n, number(4)))) == "i - n - 1");
  CHECK(print(index_add(index_sub(i, number(3)), number(3))) == "i");
  CHECK(print(index_sub(index_add(i, number(3)), i)) == "3");
  CHECK(print(index_mul(number(3), i)) == "i * 3");
  CHECK(print(index_mul(i, number(1))) == "i");
  CHECK(print(index_mul(i, number(0))) == "0");
}

TEST_CASE("A ramp stays a ramp") {
  const Expr lanes = ramp(i, number(1), 16);
  CHECK(print(index_add(lanes, number(4))) == "ramp(i + 4, 1, 16)");
  CHECK(print(index_add(n, lanes)) == "ramp(n + i, 1, 16)");
  CHECK(print(index_sub(number(15), lanes)) == "ramp(15 - i, -1, 16)");
  CHECK(print(index_mul(lanes, n)) == "ramp(i * n, n, 16)");
  CHECK(print(index_add(lanes, index_mul(lanes, number(2)))) == "ramp(i + i * 2, 3, 16)");
  CHECK(print(index_add(lanes, broadcast_lanes(n, 16))) == "ramp(i + n, 1, 16)");
}

TEST_CASE("Ramps that are multiplied become plain vectors") {
  const Expr lanes = ramp(number(0), number(1), 4);
  CHECK(print(index_mul(lanes, lanes)) == "ramp(0, 1, 4) * ramp(0, 1, 4)");
}

TEST_CASE("A comparison with lanes is one of constant lanes with a scalar") {
  const Expr lanes = ramp(i, number(1), 16);
  CHECK(print(index_compare(BinaryOp::kLt, lanes, n)) == "ramp(0, 1, 16) < broadcast(n - i, 16)");
  CHECK(print(index_compare(BinaryOp::kLe, number(3), lanes)) ==
        "broadcast(3 - i, 16) <= ramp(0, 1, 16)");
  CHECK(print(index_compare(BinaryOp::kLt, number(3), number(4))) == "true");
}

TEST_CASE("Substitution folds what becomes constant, and keeps the number of lanes") {
  const Expr e = select(Expr(i) * 2 + 1 < 5, Expr(n) + (Expr(i) + 2), Expr(n));
  CHECK(print(substitute_folded(e, {{i, number(1)}})) == "n + 3");
  CHECK(print(substitute_folded(e, {{i, number(2)}})) == "n");
  const Expr v = binary(BinaryOp::kAdd, broadcast_lanes(Expr(i), 8), broadcast_lanes(Expr(n), 8));
  CHECK(substitute_folded(v, {{i, number(1)}}).type() == i64.with_lanes(8));
}
