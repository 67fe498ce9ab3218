#include "tenon/analysis/affine.h"

#include <catch2/catch.hpp>
#include <random>

#include "analysis/evaluate.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/program.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

std::string normal(const Expr& e) { return print(to_expr(to_affine(e))); }

TEST_CASE("sums are collected, older variables first, the constant last") {
  const Var n("n"), io("io"), ii("ii");
  CHECK(normal(3 + Expr(ii) + io * Expr(12)) == "io * 12 + ii + 3");
  CHECK(normal(Expr(ii) - 1 + n) == "n + ii - 1");
  CHECK(normal(Expr(n) - io - 1) == "n - io - 1");
  CHECK(normal(Expr(ii) - n) == "ii - n");
  CHECK(normal(5 - Expr(io)) == "5 - io");
  CHECK(normal(-Expr(io) - 5) == "-io - 5");
  CHECK(normal(Expr(io) - io) == "0");
  CHECK(normal((Expr(io) + 1) * 4 - (Expr(io) << 2)) == "4");
}

TEST_CASE("products distribute over sums and their factors have an order") {
  const Var io("io"), ii("ii"), k("k");
  CHECK(normal((Expr(io) * 12 + 3) * k) == "io * k * 12 + k * 3");
  CHECK(normal(Expr(k) * io * ii - Expr(ii) * k * io) == "0");
}

TEST_CASE("what is not linear is an atom with normal operands") {
  const Var i("i"), j("j");
  const Affine a = to_affine((Expr(1) + j + i) / 4 * 8 + i);
  REQUIRE(a.terms.size() == 2);
  CHECK(print(to_expr(a)) == "(i + j + 1) // 4 * 8 + i");
  CHECK(a.coefficient(i) == 1);
  CHECK(a.coefficient(j) == 0);
  CHECK(a.uses(j));
  CHECK_FALSE(a.is_linear_in(i));
  CHECK(equal(a, to_affine(Expr(i) + 8 * ((Expr(j) + (1 + Expr(i))) / 4))));
  CHECK(to_affine(Expr(i) * 3 + j).is_linear_in(i));
}

TEST_CASE("forms wrap as i64 does, and keep the value of every expression") {
  std::mt19937_64 random(7);
  const std::vector<Var> vars = {Var("a"), Var("b"), Var("c")};
  const auto pick = [&](uint64_t n) { return static_cast<size_t>(random() % n); };
  const std::function<Expr(int)> make = [&](int depth) -> Expr {
    if (depth == 0 || pick(6) == 0) {
      if (pick(3) == 0) {
        return constant_int(
            i64, pick(4) == 0 ? static_cast<int64_t>(random()) : static_cast<int64_t>(pick(9)) - 4);
      }
      return vars[pick(3)];
    }
    const Expr a = make(depth - 1), b = make(depth - 1);
    switch (pick(7)) {
      case 0: return a - b;
      case 1: return a * b;
      case 2: return -a;
      case 3: return a / b;
      case 4: return min(a, b % 7);
      case 5: return a << constant_int(i64, static_cast<int64_t>(pick(70)) - 3);
      default: return a + b;
    }
  };
  for (int n = 0; n < 5000; ++n) {
    const Expr e = make(4);
    const Expr normal_form = to_expr(to_affine(e));
    CAPTURE(print(e), print(normal_form));
    REQUIRE(equal(normal_form, to_expr(to_affine(normal_form))));
    for (int point = 0; point < 5; ++point) {
      Values values;
      for (const Var& v : vars)
        values.emplace_back(
            v, pick(4) == 0 ? static_cast<int64_t>(random()) : static_cast<int64_t>(pick(20)) - 10);
      REQUIRE(evaluate(e, values) == evaluate(normal_form, values));
    }
  }
}

}  // namespace
}  // namespace tenon
