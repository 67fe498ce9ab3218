#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/ir/visit.h"

namespace tenon::test {
namespace {

Loop loop_named(const Program& program, std::string_view name) {
  Var found;
  walk(program->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    if (loop && loop->var.name() == name) found = loop->var;
  });
  REQUIRE(found);
  return Loop(found);
}

TEST_CASE("Two loops in a row become one") {
  const Program p = chain();
  for (int64_t n : {0, 1, 5}) {
    Followed s(p, sizes_of(p, {{"n", n}}));
    const Loop i = s->loops("t")[0], j = s->loops("out")[0];
    const Loop both = s->merge(i, j);
    s.check();
    CHECK(body_of(s->program()) == R"(  alloc t: f32[n]
  for i in 0..n {
    t[i] = x[i] * 2.0
    out[i] = t[i] + 1.0
  }
)");
    CHECK(s->trace().steps()[0].text == "merge(i, i_1) -> i");
    s->split(both, 4);
    s.check();
    Schedule stale = s.schedule();
    stale.unroll(j);
    CHECK(refusal_of(stale) ==
          "schedule step 3: unroll(i_1) refused\n"
          "  loop i_1 no longer exists: step 1 merged it into i");
  }
}

TEST_CASE("What a fission took apart is put together again") {
  const Program p =
      program_of("for i in 0..n { out[i] = x[i]\n for r in 0..m { out[i] += y[r, i] } }");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const auto [first, second] = s->fission(s->loops<1>("out")[0], 1);
  s->merge(first, second);
  s.check();
  CHECK(body_of(s->program()) == body_of(p));
}

TEST_CASE("A merge joins loops inside of a loop, whose bounds use it") {
  const Program p = program_of(
      "for i in 0..m { for j in i..n { grid[i, j] = y[i, j] }\n for k in i..n { grid[i, k] += x[k] "
      "} }");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  s->merge(loop_named(s->program(), "j"), loop_named(s->program(), "k"));
  s.check();
}

TEST_CASE("Statements between go above the merged loop, or below") {
  const Program p = parsed(R"(
program p
  size n
  input x: f32[n]
  output out: f32[n]
  output last: f32[2]
  require 2 <= n
{
  alloc t: f32[n]
  for i in 0..n { t[i] = x[i] }
  let a = x[1]
  last[1] = t[1]
  alloc u: f32[n]
  last[0] = a
  for k in 0..n { u[k] = x[k] }
  for j in 0..n { out[j] = t[j] * a + u[j] }
})");
  Followed s(p, sizes_of(p, {{"n", 5}}));
  s->merge(s->loops("t")[0], s->loops("out")[0]);
  s.check();
  CHECK(body_of(s->program()) == R"(  alloc t: f32[n]
  let a = x[1]
  alloc u: f32[n]
  last[0] = a
  for k in 0..n {
    u[k] = x[k]
  }
  for i in 0..n {
    t[i] = x[i]
    out[i] = t[i] * a + u[i]
  }
  last[1] = t[1]
)");
}

TEST_CASE("A sum over two loops is merged by reassociation") {
  const Program p = program_of(
      "out[0] = 0.0\n for a in 0..n { out[0] += x[a] }\n for b in 0..n { out[0] += y[0, b] }", 1,
      1);
  Schedule s(p);
  s.merge(loop_named(p, "a"), loop_named(p, "b"));
  REQUIRE(s.status().ok());
  CHECK(checked(s.program())->reassociated);
}

TEST_CASE("A loop that needs a later iteration of the first is not merged with it") {
  const Program p = parsed(R"(
program p
  size n
  input x: f32[n + 1]
  output out: f32[n]
{
  alloc t: f32[n]
  for i in 0..n { t[i] = x[i] }
  for j in 0..n { out[j] = t[min(j + 1, n - 1)] }
})");
  Schedule s(p);
  s.merge(s.loops("t")[0], s.loops("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: merge(i, j) refused\n"
        "  iteration (i = 1) of the first loop must run before (i = 0) of the second: both touch "
        "t[1], with n = 2");
}

TEST_CASE("Loops over different ranges are not merged") {
  const Program p =
      program_of("for i in 0..n { out[i] = x[i] }\n for j in 0..m { grid[j, 0] = 1.0 }", 0, 1);
  Schedule s(p);
  s.merge(s.loops("out")[0], s.loops("grid")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: merge(i, j) refused\n"
        "  loop i runs over 0..n and loop j over 0..m: the bounds must be equal\n"
        "  missing fact: m == n");
}

TEST_CASE("Loops in the wrong order, or apart, or only one, are not merged") {
  const Program p = program_of(
      "for i in 0..n { out[i] = x[i] }\n for j in 0..m { for k in 0..n { grid[j, k] = 1.0 } }");
  Schedule s(p);
  const Loop i = s.loops("out")[0];
  const auto [j, k] = s.loops<2>("grid");
  Schedule apart = s, one = s, marked = s;
  s.merge(j, i);
  CHECK(refusal_of(s) ==
        "schedule step 1: merge(j, i) refused\n"
        "  loop i stands before loop j\n"
        "  legal here: merge(i, j)");
  apart.merge(i, k);
  CHECK(refusal_of(apart) ==
        "schedule step 1: merge(i, k) refused\n"
        "  loops i and k do not stand in one sequence");
  one.merge(i, i);
  CHECK(refusal_of(one) == "schedule step 1: merge(i, i) refused\n  loop i is named twice");
  marked.parallelize(j);
  marked.merge(i, j);
  CHECK(refusal_of(marked) ==
        "schedule step 2: merge(i, j) refused\n"
        "  loop j is a parallel loop already; merge takes a serial one");
}

}  // namespace
}  // namespace tenon::test
