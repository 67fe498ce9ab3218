#include <catch2/catch.hpp>
#include <cmath>

#include "support/check.h"
#include "support/reducers.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/scalar_ops.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

using Catch::Contains;

// Rows of x; `reducer` and the statement that uses it.
std::string text(const std::string& reducer, const std::string& statement) {
  return "program rows\n  size m, n\n  input x: f32[m, n]\n  output y: f32[m]\n  output k: i64[m]" +
         reducer + "\n{\n  for i in 0..m { for j in 0..n { " + statement + " } }\n}\n";
}

std::string error(const std::string& reducer, const std::string& statement) {
  return std::string(parse(text(reducer, statement)).status().message());
}

TEST_CASE("a reduction by functions prints and reads back") {
  const Program p = test::parsed(text(test::kArgmax, "(y, k)[i] argmax= (x[i, j], j)"));
  CHECK(print(p) == R"(program rows
  size m, n
  input x: f32[m, n]
  output y: f32[m]
  output k: i64[m]
  reducer argmax(best: f32, at: i64) = (-inf, -1)
    update (v: f32, j: i64) -> (select(best < v, v, best), select(best < v, j, at))
    combine (best2, at2) -> (max(best, best2), select(best < best2, at2, select(best2 < best, at, select(at2 < at, at2, at))))
{
  for i in 0..m {
    for j in 0..n {
      (y, k)[i] argmax= (x[i, j], j)
    }
  }
}
)");
  test::parsed(text(test::kArgmax, "(y, k)[i] argmax= (x[i, j], j) where x[i, j] < 3.0"));
}

TEST_CASE("an accumulation after a name is no call") {
  const Program p =
      test::parsed(text(test::kArgmax, "let a = j\n let b = a\n (y, k)[i] argmax= (x[i, j], b)"));
  CHECK(print(p).find("let b = a\n      (y, k)[i] argmax= (x[i, j], b)\n") != std::string::npos);
}

TEST_CASE("reducers are equal but for names") {
  const std::string use = "(y, k)[i] argmax= (x[i, j], j)";
  const Program p = test::parsed(text(test::kArgmax, use));
  std::string renamed = test::kArgmax;
  for (size_t at = 0; (at = renamed.find("best", at)) != std::string::npos; at += 3) {
    renamed.replace(at, 4, "top");
  }
  const Program q = test::parsed(text(renamed, use));
  CHECK(structurally_equal(p, q));
  CHECK(structural_hash(p) == structural_hash(q));
  CHECK(reducers_of(p->body)[0] == reducers_of(q->body)[0]);
  std::string other = test::kArgmax;
  other.replace(other.find("-1)"), 2, "99");
  other.replace(other.find("at2 < at, at2, at"), 17, "at2 < at, at2, at");
  CHECK_FALSE(reducers_of(p->body)[0] == Reduction(Reducer::kMax));
  CHECK(Reduction(Reducer::kMax) == Reduction(Reducer::kMax));
  CHECK_FALSE(Reduction(Reducer::kMax) == Reduction(Reducer::kMin));
}

TEST_CASE("two reducers of one name are told apart") {
  const Var s("s", f32), t("t", f32), v("v", f32);
  const auto counter = [&](const Expr& step) {
    return custom_reducer({"count", {Expr(0.0f)}, {s}, {v}, {s + step}, {t}, {Expr(s) + t}});
  };
  const Buffer y("y", f32);
  const Stmt both = seq({accumulate({y}, {0}, counter(1.0f), {Expr(5.0f)}),
                         accumulate({y}, {0}, counter(2.0f), {Expr(5.0f)})});
  REQUIRE(reducers_of(both).size() == 2);
  CHECK(print(both) == "(y)[0] count= (5.0)\n(y)[0] count_1= (5.0)\n");
}

TEST_CASE("elements come in any order, or not") {
  const auto commutes = [](const std::string& reducer, const std::string& use) {
    const Program p = test::parsed(text(reducer, use));
    return reducers_of(p->body)[0].functions()->updates_commute;
  };
  CHECK_FALSE(commutes(test::kArgmax, "(y, k)[i] argmax= (x[i, j], j)"));
  CHECK(
      commutes("\n reducer last(s: i64) = (-1) update (v: i64) -> (max(s, v)) combine (t) -> "
               "(max(s, t))",
               "(k)[i] last= (j)"));
}

TEST_CASE("what breaks a promise is refused with the values that show it") {
  const auto refusal = [](const std::string& update, const std::string& combine,
                          const std::string& identity = "0.0") {
    return error("\n reducer r(s: f32) = (" + identity + ") update (v: f32) -> (" + update +
                     ") combine (t) -> (" + combine + ")",
                 "(y)[i] r= (x[i, j])");
  };
  CHECK(refusal("s + v", "s + t").empty());
  CHECK_THAT(refusal("s + v", "s - t"), Contains("reducer r: combine(identity, s) must be s; for"));
  CHECK_THAT(refusal("s + v", "s + t", "1.0"), Contains("combine(identity, s) must be s; for ("));
  CHECK_THAT(refusal("v", "select(t == 0.0, s, t)"),
             Contains("combine must be commutative; for ("));
  CHECK_THAT(refusal("s + v + s * v * (s - v) * (s - v)", "s + t + s * t * (s - t) * (s - t)"),
             Contains("combine must be associative; for ("));
  CHECK_THAT(refusal("s + v * v", "max(s, t)"),
             Contains("update(s, e) must be combine(s, update(identity, e)); for ("));
}

TEST_CASE("what is not well formed is refused") {
  const std::string use = "(y)[i] r= (x[i, j])";
  CHECK_THAT(error("\n reducer r() = () update () -> () combine () -> ()", use),
             Contains("reducer r: its state has no values"));
  CHECK_THAT(
      error("\n reducer r(s: f32) = (0.0, 1.0) update (v: f32) -> (s) combine (t) -> (s)", use),
      Contains("reducer r: the state has 1 value, the identity has 2"));
  CHECK_THAT(error("\n reducer r(s: f32) = (0) update (v: f32) -> (s) combine (t) -> (s)", use),
             Contains("value 0 of the identity must be a constant of type f32"));
  CHECK_THAT(error("\n reducer r(s: f32) = (0.0) update (v: f32) -> (3) combine (t) -> (s)", use),
             Contains("value 0 of update has type i64; it must be f32"));
  CHECK_THAT(error("\n reducer r(s: f32) = (0.0) update (v: f32) -> (s + cast<f32>(m)) combine (t) "
                   "-> (s + t)",
                   use),
             Contains("update uses m, which is not among its variables"));
  CHECK_THAT(error("\n reducer r(s: f32) = (0.0) update (v: f32) -> (s + x[0, 0]) combine (t) -> "
                   "(s + t)",
                   use),
             Contains("update reads memory"));
  CHECK_THAT(error("", use), Contains("there is no reducer 'r'"));
}

TEST_CASE("an accumulation fits its reducer") {
  CHECK_THAT(error(test::kArgmax, "(y)[i] argmax= (x[i, j], j)"),
             Contains("reducer argmax has 2 results, and 1 is given"));
  CHECK_THAT(error(test::kArgmax, "(y, k)[i] argmax= (x[i, j])"),
             Contains("reducer argmax has 2 values, and 1 is given"));
  CHECK_THAT(error(test::kArgmax, "(y, y)[i] argmax= (x[i, j], j)"),
             Contains("the results need buffers of their own; y is named twice"));
  CHECK_THAT(error(test::kArgmax, "(y, k)[i] argmax= (j, j)"),
             Contains("value 0 of reducer argmax has type i64; it must be f32"));
  CHECK_THAT(error(test::kArgmax, "(k, y)[i] argmax= (x[i, j], j)"), Contains("holds i64"));
  CHECK_THAT(error(test::kArgmax, "(x, k)[i] argmax= (x[i, j], j)"), Contains("x"));
}

TEST_CASE("a walk meets the values, and a rewrite keeps the functions") {
  const Program p = test::parsed(text(test::kArgmax, "(y, k)[i] argmax= (x[i, j], j)"));
  int loads = 0;
  walk_exprs(p->body, [&](const Expr& e) { loads += e.is<Load>(); });
  CHECK(loads == 1);
  const Buffer z("z", f32);
  const Buffer y = find_param(p, "y")->buffer;
  CHECK(uses(p->body, y));
  const Stmt renamed = substitute(p->body, BufferMap{{y, z}});
  CHECK_FALSE(uses(renamed, y));
  CHECK(uses(renamed, z));
  CHECK(reducers_of(renamed)[0] == reducers_of(p->body)[0]);
}

TEST_CASE("malformed reductions are refused, and a long one is tried for a short time") {
  const Var s("s", f32), t("t", f32), v("v", f32);
  const Reduction broken = custom_reducer({"r", {Expr(0.0f)}, {s}, {v}, {Expr()}, {t}, {Expr()}});
  CHECK_FALSE(broken.functions()->status.ok());
  CHECK(of_states(broken) == broken);
  CHECK(make_reduce(Reducer::kSum, {}, {Expr(1.0f)}, 1).is<Invalid>());
  CHECK(make_reduce(Reducer::kSum, {}, {}).is<Invalid>());
  ProgramData data;
  data.name = "p";
  data.body = accumulate(std::vector<Buffer>{}, {Expr(0)}, Reducer::kSum, {});
  CHECK_THAT(std::string(verify(Program(data)).message()), Contains("one buffer and one value"));
  Expr deep = v;
  for (int i = 0; i < 14; ++i) deep = max(deep, deep);
  CHECK(custom_reducer({"r", {Expr(0.0f)}, {s}, {v}, {s + deep}, {t}, {Expr(s) + t}})
            .functions()
            ->status.ok());
}

TEST_CASE("reducers that share variables, and states named alike, read back") {
  const Var best("best", f32), other("best", f32), v("v", f32);
  const Reduction greatest = custom_reducer({"greatest",
                                             {constant_float(f32, -INFINITY)},
                                             {best},
                                             {v},
                                             {select(best < v, v, best)},
                                             {other},
                                             {select(best < other, other, best)}});
  REQUIRE(greatest.functions()->status.ok());
  const Reduction states = of_states(greatest);
  CHECK(states.functions()->updates_commute);
  const Param x = {.role = Role::kInput, .buffer = Buffer("x", f32), .shape = {Expr(4)}};
  const Param y = {.role = Role::kOutput, .buffer = Buffer("y", f32), .shape = {Expr(4)}};
  ProgramData data;
  data.name = "p";
  data.params = {x, y};
  data.body = seq({accumulate({y.buffer}, {0}, greatest, {load(x.buffer, {0})}),
                   accumulate({y.buffer}, {1}, states, {load(x.buffer, {1})})});
  const Program p(std::move(data));
  const absl::StatusOr<Program> read = parse(print(p));
  INFO(print(p) << read.status());
  REQUIRE(read.ok());
  CHECK(structurally_equal(*read, p));
}

}  // namespace
}  // namespace tenon
