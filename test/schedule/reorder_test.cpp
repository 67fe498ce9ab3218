#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("Loops of a perfect nest come into the order that is asked for") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const auto [i, j] = s->loops<2>("grid");
  s->reorder({j, i});
  s.check();
  CHECK(body_of(s->program()) == R"(  for j in 0..n {
    for i in 0..m {
      grid[i, j] = y[i, j]
    }
  }
)");
}

TEST_CASE("Loops that are not named keep their places") {
  const Program p = program_of(
      "for i in 0..m { for r in 0..2 { for j in 0..n { for q in 0..3 { grid[i, j] = y[i, j] } } } "
      "}");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const std::vector<Loop> loops = s->all_loops("grid");
  s->reorder({loops[2], loops[0]});
  s.check();
  CHECK(body_of(s->program()) == R"(  for j in 0..n {
    for r in 0..2 {
      for i in 0..m {
        for q in 0..3 {
          grid[i, j] = y[i, j]
        }
      }
    }
  }
)");
}

TEST_CASE("A reduction loop moves outside of loops that it does not depend on") {
  const Program p = program_of(R"(
    for i in 0..m { for j in 0..n { grid[i, j] = 0.0 } }
    for i2 in 0..m { for j2 in 0..n { for r in 0..n { grid[i2, j2] += y[i2, r] * x[j2] } } })");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}}));
  const std::vector<Loop> loops = s->all_loops("grid");
  s->reorder({loops[2], loops[0], loops[1]});
  s.check();
}

TEST_CASE("An order of a float sum is a reassociation, of an integer sum it is not") {
  const Program floats =
      program_of("out[0] = 0.0\n for a in 0..m { for b in 0..n { out[0] += y[a, b] } }", 0, 1);
  Schedule s(floats);
  const std::vector<Loop> loops = s.all_loops("out");
  s.reorder({loops[1], loops[0]});
  REQUIRE(s.status().ok());
  CHECK(checked(s.program())->reassociated);

  const Program integers = parsed(R"(
program sum
  input x: i32[3, 4]
  output out: i32[]
{
  out[] = 0i32
  for a in 0..3 { for b in 0..4 { out[] += x[a, b] } }
})");
  Followed t(integers, {});
  const std::vector<Loop> ab = t->all_loops("out");
  t->reorder({ab[1], ab[0]});
  t.check();
  CHECK_FALSE(t->program()->reassociated);
}

TEST_CASE("An order that turns a dependence around is refused with an example") {
  const Program p =
      program_of("for i in 1..m { for j in 0..n - 1 { grid[i, j] = grid[i - 1, j + 1] + 1.0 } }");
  Schedule s(p, sizes_of(p, {{"m", 4}, {"n", 4}}));
  const auto [i, j] = s.loops<2>("grid");
  s.reorder({j, i});
  CHECK(refusal_of(s) ==
        "schedule step 1: reorder(j, i) refused\n"
        "  iteration (i = 1, j = 1) must run before (i = 2, j = 0): both touch grid[1, 1]");
  CHECK(structurally_equal(s.program(), Schedule(p, sizes_of(p, {{"m", 4}, {"n", 4}})).program()));
}

TEST_CASE("A loop whose bounds use another stays inside of it") {
  const Program p = program_of("for i in 0..m { for j in i..n { grid[i, j] = y[i, j] } }");
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.reorder({j, i});
  CHECK(refusal_of(s) ==
        "schedule step 1: reorder(j, i) refused\n"
        "  the bounds of loop j use i, so it must stay inside that loop");
}

TEST_CASE("A statement between the loops is named") {
  const Program p =
      program_of("for i in 0..m { out[0] = 1.0\n for j in 0..n { grid[i, j] = y[i, j] } }", 0, 1);
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.reorder({j, i});
  CHECK(refusal_of(s) ==
        "schedule step 1: reorder(j, i) refused\n"
        "  loops i and j are not perfectly nested: `out[0] = 1.0` stands between them\n"
        "  legal here: fission(i, 1), then reorder");
}

TEST_CASE("Loops beside each other and loops named twice are not reordered") {
  const Program p = program_of(
      "for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }\n for k in 0..n { out[k] = x[k] }");
  Schedule beside(p);
  const Loop i = beside.loops("grid")[0];
  beside.reorder({beside.loops("out")[0], i});
  CHECK(refusal_of(beside) ==
        "schedule step 1: reorder(k, i) refused\n  loop i is not inside loop k");
  Schedule twice(p);
  twice.reorder({i, i});
  CHECK(refusal_of(twice) == "schedule step 1: reorder(i, i) refused\n  loop i is named twice");
}

TEST_CASE("A loop that runs in parallel does not come inside a vector loop") {
  const Program p = program_of("for i in 0..m { for j in 0..8 { grid[i, j] = 1.0 } }", 0, 8);
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.parallelize(i);
  s.vectorize(j);
  s.reorder({j, i});
  CHECK(refusal_of(s) ==
        "schedule step 3: reorder(j, i) refused\n"
        "  loop i would stand inside a vector loop");
}

}  // namespace
}  // namespace tenon::test
