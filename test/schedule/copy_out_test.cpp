#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/analysis/find.h"
#include "tenon/schedule/primitives.h"

namespace tenon::test {
namespace {

std::string refusal(const Program& p) {
  const auto result = primitives::copy_out(p, find_buffer(p, "out"));
  REQUIRE_FALSE(result.ok());
  return std::string(result.status().message());
}

TEST_CASE("An output that is accumulated in place gets a local stage") {
  const Program p = program_of(
      "for i in 0..n { out[i] = -0.0\n for r in 0..m { out[i] += y[r, i] } }\n"
      "for q in 0..n { grid[0, q] = out[q] }",
      1, 0);
  const auto result = primitives::copy_out(p, find_buffer(p, "out"));
  REQUIRE(result.ok());
  CHECK(result->local.name() == "out_local");
  CHECK(result->loops.size() == 1);
  CHECK(body_of(checked(result->program)) == R"(  alloc out_local: f32[n]
  for i in 0..n {
    out_local[i] = -0.0
    for r in 0..m {
      out_local[i] += y[r, i]
    }
  }
  for i_1 in 0..n {
    out[i_1] = out_local[i_1]
  }
  for q in 0..n {
    grid[0, q] = out[q]
  }
)");
  check_same(p, result->program, sizes_of(p, {{"m", 3}, {"n", 5}}));
}

TEST_CASE("The loops of an output stay those of its last write") {
  const Program p =
      program_of("for i in 0..n { out[i] = -0.0\n for r in 0..m { out[i] += x[i] } }");
  Schedule s(p);
  const Loop i = s.loops("out")[0];
  const auto result = primitives::copy_out(p, find_buffer(p, "out"));
  REQUIRE(result.ok());
  CHECK(result->loops[0] == i.var());
  CHECK(Schedule(result->program).loops("out")[0].var() == i.var());
}

TEST_CASE("An output that is not wholly written first has no local stage") {
  CHECK(refusal(program_of("for i in 0..n { if i < 2 { out[i] = 1.0 } }")) ==
        "the first access to out does not write all of it");
  CHECK(refusal(program_of("for i in 0..n { out[i] += x[i] }")) ==
        "the first access to out does not write all of it");
  CHECK(refusal(program_of("for i in 0..n { for r in 0..m { out[i] = y[r, i] } }")) ==
        "the first access to out does not write all of it");
  CHECK(refusal(program_of("for i in 1..n { out[i] = 1.0 }")) ==
        "not every access to out has loops over the whole of each dimension as its indices");
  CHECK(refusal(program_of("for i in 0..n { out[i] = 1.0 }\n for j in 0..n { out[j] = 2.0 }")) ==
        "more than one statement writes out");
  CHECK(refusal(program_of("for i in 0..n { grid[0, i] = out[i] }\n for j in 0..n { out[j] = 2.0 }",
                           1, 0)) == "out is read before it is written");
  CHECK(refusal(program_of("for i in 0..n { grid[0, i] = x[i] }", 1, 0)) == "nothing writes out");
}

TEST_CASE("The local copy gets a name that is free") {
  const Program p = parsed(R"(
    program p
      size n
      input out_local: f32[n]
      output out: f32[n]
    { for i in 0..n { out[i] = out_local[i] } })");
  const auto result = primitives::copy_out(p, find_buffer(p, "out"));
  REQUIRE(result.ok());
  CHECK(result->local.name() == "out_local_1");
}

}  // namespace
}  // namespace tenon::test
