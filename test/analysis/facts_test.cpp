#include "tenon/analysis/facts.h"

#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/analysis/prove.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

std::vector<std::string> conditions(const Facts& facts) {
  std::vector<std::string> texts;
  for (const Expr& e : facts.conditions()) texts.push_back(print(e));
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("conditions are taken apart and negations moved to the comparisons") {
  const Var a("a"), b("b");
  const Facts facts = Facts()
                          .given((Expr(a) < 3) & (Expr(b) <= a))
                          .given(~((Expr(a) == 0) | (Expr(b) < 1)))
                          .given(Expr(true))
                          .given(Expr(a) < 3);
  CHECK(conditions(facts) == Texts{"a < 3", "b <= a", "a != 0", "1 <= b"});
  const Var x("x", f32), y("y", f32);
  CHECK(conditions(Facts().given(~(Expr(x) < y))) == Texts{"!(x < y)"});
}

TEST_CASE("what memory says is a fact only where the Program does not write it") {
  const Buffer x("x", i64), y("y", i64);
  const Var i("i");
  const Facts facts = Facts().with_fixed(x);
  CHECK(conditions(facts.given(load(x, {i}) < 5).given(load(y, {i}) < 5)) == Texts{"x[i] < 5"});
  const Facts inside = facts.inside(LoopRange{i, 0, load(y, {0})});
  CHECK_FALSE(inside.loops()[0].hi.is<Load>());
  CHECK(proved(inside, 0 <= Expr(i)));
}

TEST_CASE("a Program's facts are its sizes, scalars, inputs and requirements") {
  const Program p = test::parsed(R"(
    program f
      size n
      require n % 4 == 0
      input x: f32[n]
      scalar s: i64
      output y: f32[n]
    {
      for i in 0..n { y[i] = x[i] }
    })");
  const Facts facts = facts_of(p);
  CHECK(facts.sizes() == std::vector<Var>{p->sizes[0]});
  CHECK(facts.is_size(p->sizes[0]));
  CHECK_FALSE(facts.is_size(p->params[1].scalar));
  CHECK(facts.is_fixed(p->params[1].scalar));
  CHECK(facts.is_fixed(p->params[0].buffer));
  CHECK_FALSE(facts.is_fixed(p->params[2].buffer));
  CHECK(conditions(facts) == Texts{"n % 4 == 0"});
  const For& loop = *p->body.as<For>();
  CHECK(proved(facts.inside(loop), Expr(loop.var) + 4 <= Expr(p->sizes[0]) + 3));
  CHECK(facts.inside(loop).range_of(loop.var) != nullptr);
  CHECK(facts.range_of(loop.var) == nullptr);
}

}  // namespace
}  // namespace tenon
