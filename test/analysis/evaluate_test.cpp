#include "analysis/evaluate.h"

#include <catch2/catch.hpp>

#include "tenon/ir/operators.h"

namespace tenon {
namespace {

TEST_CASE("Integers and conditions have a value where their variables do") {
  const Var i("i"), n("n"), s("s", i32);
  CHECK(evaluate(Expr(i) / 4 * 4 + Expr(i) % 4, {{i, -7}}) == -7);
  CHECK(evaluate(min(Expr(i), n) < 3, {{i, 5}, {n, 2}}) == 1);
  CHECK(evaluate(~(Expr(i) == Expr(n)), {{i, 5}, {n, 5}}) == 0);
  CHECK(evaluate(cast(u8, Expr(i)), {{i, 300}}) == 44);
  CHECK(evaluate(Expr(s) + 1, {{s, 2147483647}}) == -2147483648LL);
  CHECK(evaluate(i, {{i, 1}, {i, 2}}) == 2);  // a later value hides an earlier one
  CHECK(!evaluate(Expr(i) + n, {{i, 1}}));
}

TEST_CASE("Only the arm that is chosen needs a value") {
  const Var i("i");
  const Expr data = load(Buffer("x", i64), {i});
  CHECK(evaluate(select(Expr(i) < 3, 7, data), {{i, 0}}) == 7);
  CHECK(!evaluate(select(Expr(i) < 3, 7, data), {{i, 5}}));
}

TEST_CASE("Data, floats and broken promises have none") {
  const Var i("i"), x("x", f32);
  CHECK(!evaluate(load(Buffer("x", i64), {i}), {{i, 0}}));
  CHECK(!evaluate(Expr(x) < 1.0f, {{x, 0}}));
  const Expr promise = binary(BinaryOp::kCheck, i, 8);
  CHECK(evaluate(promise, {{i, 7}}) == 7);
  CHECK(!evaluate(promise, {{i, 8}}));
  CHECK(!evaluate(promise, {{i, -1}}));
}

}  // namespace
}  // namespace tenon
