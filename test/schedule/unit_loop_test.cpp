#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("A loop of one iteration comes around a loop, and goes away again") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}}));
  const auto [i, j] = s->loops<2>("grid");
  const Loop unit = s->add_unit_loop(j);
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..m {
    for j1 in 0..1 {
      for j in 0..n {
        grid[i, j] = y[i, j]
      }
    }
  }
)");
  s->squash(unit);
  s.check();
  CHECK(body_of(s->program()) == body_of(p));
  CHECK(s->trace().steps()[0].text == "add_unit_loop(j) -> j1");
  CHECK(s->trace().steps()[1].text == "squash(j1)");
  s->split(unit, 2);
  CHECK(refusal_of(s.schedule()) ==
        "schedule step 3: split(j1, 2) refused\n"
        "  loop j1 no longer exists: step 2 squashed it");
}

TEST_CASE("A loop of one iteration comes around a marked loop, too") {
  const Program p = program_of("for i in 0..m { for j in 0..8 { grid[i, j] = y[i, j] } }", 0, 8);
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 8}}));
  const auto [i, j] = s->loops<2>("grid");
  s->parallelize(i);
  s->vectorize(j);
  s->add_unit_loop(i);
  s.check();
  s->add_unit_loop(j);
  s.check();
}

TEST_CASE("A squashed loop leaves its first number behind") {
  const Program p = program_of(
      "for i in 0..m { for j in i..i + 1 { alloc t: f32[1]\n t[0] = x[0]\n out[0] = t[0] }\n "
      "out[0] "
      "+= 1.0 }",
      0, 1);
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}}));
  s->squash(s->all_loops("t")[1]);
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..m {
    alloc t: f32[1]
    t[0] = x[0]
    out[0] = t[0]
    out[0] += 1.0
  }
)");
}

TEST_CASE("A marked loop of one iteration is squashed") {
  const Program p = program_of("for i in 0..1 { for j in 0..n { grid[i, j] = y[i, j] } }", 1);
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 4}}));
  const auto [i, j] = s->loops<2>("grid");
  s->vectorize(i);
  s.check();
  s->squash(i);
  s.check();
  CHECK(body_of(s->program()) == "  for j in 0..n {\n    grid[0, j] = y[0, j]\n  }\n");
}

TEST_CASE("A loop of more than one iteration, or of an unknown number, is not squashed") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule symbol(p);
  symbol.squash(symbol.loops("out")[0]);
  CHECK(refusal_of(symbol) ==
        "schedule step 1: squash(i) refused\n"
        "  loop i has n iterations; only a loop of one goes away\n"
        "  missing fact: n == 1");
  for (int64_t n : {0, 2}) {
    Schedule constant(p, sizes_of(p, {{"n", n}}));
    constant.squash(constant.loops("out")[0]);
    CHECK(refusal_of(constant) == "schedule step 1: squash(i) refused\n  loop i has " +
                                      std::to_string(n) +
                                      " iterations; only a loop of one goes away");
  }
  Schedule one(p, sizes_of(p, {{"n", 1}}));
  one.squash(one.loops("out")[0]);
  CHECK(body_of(checked(one.program())) == "  out[0] = x[0]\n");
}

TEST_CASE("A requirement on a size lets a loop go") {
  const Program p = parsed(R"(
program p
  size n
  input x: f32[n]
  output out: f32[n]
  require n == 1
{
  for i in 0..n { out[i] = x[i] }
})");
  Followed s(p, sizes_of(p, {{"n", 1}}));
  s->squash(s->loops("out")[0]);
  s.check();
}

TEST_CASE("A loop that writes its own bounds is not squashed") {
  const Program p = parsed(R"(
program p
  output c: i64[1]
  output out: i64[9]
{
  for i in 0..9 { out[i] = 0 }
  c[0] = 7
  for r in c[0]..c[0] + 1 { c[0] = 3
 out[min(max(r, 0), 8)] = 1 }
})");
  Schedule s(p);
  s.squash(s.all_loops("c")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: squash(r) refused\n"
        "  the bounds of the loops read c, which their body writes");
}

}  // namespace
}  // namespace tenon::test
