#include "analysis/encode.h"

#include <catch2/catch.hpp>

#include "analysis/cases.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/program.h"

namespace tenon {
namespace {

struct Names {
  Var n{"n"}, i{"i"}, j{"j"}, data{"data"};
  Facts facts = Facts().with_size(n);
  LoopRange over_n{i, 0, n};
};

Answer answer(Encoder& encoder) { return encoder.system().solve().answer; }

TEST_CASE_METHOD(Names, "iterations v and v + d are two environments of one system") {
  // Do i // 8 and i % 8 of different iterations agree?
  for (bool also_remainder : {false, true}) {
    Encoder encoder(facts);
    Environment a = encoder.environment(), b = encoder.environment();
    const Row v = encoder.add_loop(over_n, a);
    b.set(i, v + row_of(encoder.unknown(1, {})));
    encoder.add_range(over_n, b);
    encoder.equate(Expr(i) / 8, a, Expr(i) / 8, b);
    if (also_remainder) encoder.equate(Expr(i) % 8, a, Expr(i) % 8, b);
    encoder.add_facts();
    CHECK(answer(encoder) == (also_remainder ? Answer::kNo : Answer::kYes));
  }
}

TEST_CASE_METHOD(Names, "equal quotients, minima and products are one unknown") {
  const Facts inside = facts.inside(over_n);
  Encoder encoder(inside);
  Environment& env = encoder.outer();
  const auto same = [&](const Expr& x, const Expr& y) {
    return equal(encoder.row(x, env), encoder.row(y, env));
  };
  CHECK(same((Expr(i) + 3) / 8, (3 + Expr(i)) / 8));
  CHECK(same((Expr(i) + 11) / 8 - 1, (3 + Expr(i)) / 8));
  CHECK(same(Expr(i) % 8, Expr(i) - Expr(i) / 8 * 8));
  CHECK(same(min(Expr(i), 7), min(Expr(i), 7)));
  CHECK(same((Expr(i) + 1) * n, Expr(n) * i + n));
  CHECK(encoder.open().size() == 1);
}

TEST_CASE_METHOD(Names, "data is open, and one unknown only while nobody writes it") {
  const Buffer fixed("fixed", i64), written("written", i64);
  const Facts with_input = facts.with_fixed(fixed).inside(over_n);
  Encoder encoder(with_input);
  Environment a = encoder.environment(), b = encoder.environment();
  const auto same = [&](const Expr& e) { return equal(encoder.row(e, a), encoder.row(e, b)); };
  CHECK(same(load(fixed, {i})));
  CHECK_FALSE(same(load(written, {i})));
  // A variable that each environment has for itself.
  CHECK_FALSE(same(load(fixed, {j})));
  CHECK(encoder.open().size() == 3);
  CHECK_FALSE(encoder.complete());
}

TEST_CASE_METHOD(Names, "sums of data are no rows, since they may wrap") {
  const Facts with_scalar = facts.with_fixed(data);
  Encoder encoder(with_scalar);
  encoder.add_condition(Expr(data) + 1 <= data, true, encoder.outer());
  CHECK_FALSE(encoder.complete());
  CHECK(answer(encoder) == Answer::kYes);
}

std::string text(const std::vector<Case>& cases) {
  std::string result;
  for (const Case& c : cases) {
    if (!result.empty()) result += " or ";
    std::string parts;
    for (const Literal& literal : c) {
      if (!parts.empty()) parts += " and ";
      parts += (literal.value ? "" : "not ") + print(literal.condition);
    }
    result += parts.empty() ? "anything" : parts;
  }
  return result;
}

TEST_CASE_METHOD(Names, "conditions fall into cases that one system can say") {
  CHECK(text(cases_of(Expr(i) < j, true)) == "i < j");
  CHECK(text(cases_of(Expr(i) < j, false)) == "j <= i");
  CHECK(text(cases_of(Expr(i) == j, false)) == "i < j or j < i");
  CHECK(text(cases_of((Expr(i) < j) & (Expr(j) < n), false)) == "j <= i or n <= j");
  CHECK(text(cases_of((Expr(i) < j) | (Expr(j) < n), false)) == "j <= i and n <= j");
  CHECK(text(cases_of(min(Expr(i), j) <= n, true)) == "i <= n or j <= n");
  CHECK(text(cases_of(min(Expr(i), j) <= n, false)) == "n < min(i, j)");
  const Var flag("flag", boolean);
  CHECK(text(cases_of(~Expr(flag), true)) == "not flag");
  // Too many cases become one that covers them.
  Expr many = Expr(i) != 0;
  for (int k = 1; k < 20; ++k) many = many | (Expr(i) != k);
  CHECK(text(cases_of(many, true)) == "anything");
}

}  // namespace
}  // namespace tenon
