#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

const char kRows[] = R"(
  for i in 2..m {
    alloc t: f32[n]
    for j in 0..n { t[j] = y[i, j] * 2.0 }
    for k in 0..n { grid[i, k] = t[n - 1 - k] }
  })";

TEST_CASE("A stage gets a part for each iteration, and the loop can be divided") {
  const Program p = program_of(kRows);
  for (const int64_t m : {1, 2, 3, 6}) {
    Followed s(p, sizes_of(p, {{"m", m}, {"n", 3}}));
    const Loop i = s->loops<2>("grid")[0];
    s->expand("t", i);
    s.check();
    CHECK(body_of(s->program()) == R"(  alloc t: f32[m - 2, n]
  for i in 2..m {
    for j in 0..n {
      t[i - 2, j] = y[i, j] * 2.0
    }
    for k in 0..n {
      grid[i, k] = t[i - 2, n - k - 1]
    }
  }
)");
    CHECK(s->trace().steps().back().text == "expand(t, i)");
    s->fission(i, 1);
    s.check();
  }
}

TEST_CASE("Accumulations, reads of elements and rank 0 get the index as well") {
  const Program p = program_of(R"(
    for i in 0..m {
      alloc s: f32[]
      s[] = -0.0
      for r in 0..n { s[] += y[i, r] }
      for j in 0..n { grid[i, j] = s[] }
    })");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}}));
  const Loop i = s->loops<2>("grid")[0];
  s->expand("s", i);
  s.check();
  CHECK(body_of(s->program()) == R"(  alloc s: f32[m]
  for i in 0..m {
    s[i] = -0.0
    for r in 0..n {
      s[i] += y[i, r]
    }
    for j in 0..n {
      grid[i, j] = s[i]
    }
  }
)");
  s->parallelize(i);
  s.check();
}

TEST_CASE("A stage of a parallel loop is expanded: workers share it, and each has its own part") {
  const Program p = program_of(kRows);
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 3}}));
  const Loop i = s->loops<2>("grid")[0];
  s->parallelize(i);
  s->expand("t", i);
  s.check();
}

std::string refused(std::string_view body, std::string_view stage, std::string_view loop_of) {
  Schedule s(program_of(body, 1, 8));
  s.expand(stage, s.all_loops(loop_of).front());
  return refusal_of(s);
}

TEST_CASE("The stage is declared directly in the loop's body") {
  CHECK(refused("alloc t: f32[n]\n for i in 0..n { t[i] = x[i] }\n for j in 0..n { out[j] = t[j] }",
                "t", "out") ==
        "schedule step 1: expand(t, j) refused\n"
        "  t is not declared directly in the body of loop j");
  CHECK(refused("for j in 0..n { out[j] = x[j] }", "out", "out") ==
        "schedule step 1: expand(out, j) refused\n"
        "  out is a parameter of the program, not a local buffer");
}

TEST_CASE("The shape of the stage and the extent of the loop are known in front of it") {
  CHECK(
      refused("for i in 0..n { alloc t: f32[i + 1]\n t[i] = x[i]\n out[i] = t[i] }", "t", "out") ==
      "schedule step 1: expand(t, i) refused\n"
      "  the shape of t is known only inside of loop i: i + 1");
  CHECK(refused("for i in 0..n { let q = n + i\n alloc t: f32[q + 1]\n t[i] = x[i]\n"
                "out[i] = t[i] }",
                "t", "out") ==
        "schedule step 1: expand(t, i) refused\n"
        "  the shape of t is known only inside of loop i: q + 1");
}

TEST_CASE("An expanded stage has no more dimensions than a buffer may have") {
  CHECK(refused("for i in 0..n { alloc t: f32[1, 1, 1, 1, 1, 1, 1, 1]\n"
                "t[0, 0, 0, 0, 0, 0, 0, 0] = x[i]\n out[i] = t[0, 0, 0, 0, 0, 0, 0, 0] }",
                "t", "out") ==
        "schedule step 1: expand(t, i) refused\n"
        "  t has 8 dimensions already, and 8 are the most");
}

}  // namespace
}  // namespace tenon::test
