// vectorize, parallelize and unroll.
#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("A loop of constant extent becomes lanes") {
  const Program p = program_of("for i in 0..8 { out[i] = x[i] }", 0, 8);
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 8}}));
  s->vectorize(s->loops<1>("out")[0]);
  s.check();
  CHECK(body_of(s->program()) == R"(  vector for i in 0..8 {
    out[i] = x[i]
  }
)");
  CHECK_FALSE(s->program()->reassociated);
}

TEST_CASE("Lanes that fold a float sum mark the program as reassociated") {
  const Program p = program_of("out[0] = 0.0\n for r in 0..8 { out[0] += x[r] }", 0, 8);
  Schedule s(p, sizes_of(p, {{"n", 8}}));
  s.vectorize(s.all_loops("out")[0]);
  REQUIRE(s.status().ok());
  CHECK(checked(s.program())->reassociated);
}

TEST_CASE("A loop of unknown extent is not vectorized; the refusal says what to do") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule s(p);
  s.vectorize(s.loops<1>("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: vectorize(i) refused\n"
        "  the lanes of a vector must be a constant number, and loop i runs over 0..n: split it "
        "first\n"
        "  legal here: split(i, 16), then vectorize(ii)");
}

TEST_CASE("A dependence between lanes is refused") {
  const Program p = program_of("for i in 1..8 { out[i] = out[i - 1] }", 0, 8);
  Schedule s(p, sizes_of(p, {{"n", 8}}));
  s.vectorize(s.loops<1>("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: vectorize(i) refused\n"
        "  iteration (i = 1) must run before (i = 2): both touch out[1]");
}

TEST_CASE("Independent iterations become parallel") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 5}}));
  s->parallelize(s->loops<1>("out")[0]);
  s.check();
  CHECK(body_of(s->program()) == R"(  parallel for i in 0..n {
    out[i] = x[i]
  }
)");
}

TEST_CASE("A race is refused, between accumulations too") {
  const Program p = program_of("out[0] = 0.0\n for r in 0..n { out[0] += x[r] }", 0, 1);
  Schedule s(p);
  s.parallelize(s.all_loops("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: parallelize(r) refused\n"
        "  iterations (r = 0) and (r = 1) both accumulate into out[0], with n = 2: a race");
}

TEST_CASE("A loop of constant extent is unrolled") {
  const Program p = program_of("for i in 0..4 { out[i] = x[i] }", 0, 4);
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 4}}));
  s->unroll(s->loops<1>("out")[0]);
  s.check();
  CHECK(body_of(s->program()) == R"(  unroll for i in 0..4 {
    out[i] = x[i]
  }
)");
}

TEST_CASE("A loop of unknown extent is not unrolled") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule s(p);
  s.unroll(s.loops<1>("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: unroll(i) refused\n"
        "  loop i has n iterations; only a constant number can be unrolled\n"
        "  legal here: split(i, 4), then unroll(ii)");
}

TEST_CASE("Unrolling has a limit, also over several loops") {
  const Program p =
      program_of("for i in 0..2000 { for j in 0..50 { grid[i, j] = 1.0 } }", 2000, 50);
  Schedule s(p);
  s.unroll(s.loops<2>("grid")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: unroll(i) refused\n"
        "  unrolling loop i makes 2000 copies of its body, and the limit is 1024\n"
        "  legal here: split(i, 4), then unroll(ii)");

  Schedule nested(p);
  const auto [i, j] = nested.loops<2>("grid");
  const auto [io, ii] = nested.split(i, 40);
  (void)io;
  nested.unroll(ii);
  nested.unroll(j);
  CHECK(refusal_of(nested) ==
        "schedule step 3: unroll(j) refused\n"
        "  unrolling loop j makes 50 copies of its body (with the unrolled loops around and inside "
        "it, 40 times as many), and the limit is 1024\n"
        "  legal here: split(j, 4), then unroll(ji)");
}

TEST_CASE("Too many lanes are refused with what would be legal") {
  const Program p = program_of("for i in 0..1000 { grid[0, i] = 1.0 }", 1, 1000);
  Schedule s(p, {});
  s.vectorize(s.loops<1>("grid")[0]);
  CHECK_THAT(refusal_of(s), Catch::Contains("a vector has 1 to 256 lanes") &&
                                Catch::EndsWith("legal here: split(i, 16), then vectorize(ii)"));
}

TEST_CASE("A loop is unrolled by a factor") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 11}}));
  const auto [io, ii] = s->unroll(s->loops("out")[0], 4);
  s.check();
  CHECK(body_of(s->program()) == R"(  for io in 0..(n + 3) // 4 {
    unroll for ii in 0..4 {
      if io * 4 + ii < n {
        out[io * 4 + ii] = x[io * 4 + ii]
      }
    }
  }
)");
  CHECK(s->trace().to_string().find("unroll(i, 4)") != std::string::npos);
  s->parallelize(io);
  s.check();
}

TEST_CASE("A parallel loop with a grain runs over chunks") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 11}}));
  const auto [chunks, inside] = s->parallelize(s->loops("out")[0], Factor::named("grain", 4));
  s.check();
  CHECK(body_of(s->program()) == R"(  parallel for io in 0..(n + 3) // 4 {
    for ii in 0..4 {
      if io * 4 + ii < n {
        out[io * 4 + ii] = x[io * 4 + ii]
      }
    }
  }
)");
  CHECK(s->trace().to_string().find("parallelize(i, grain=4)") != std::string::npos);
  s->vectorize(inside);
  s.check();

  Schedule race(p);
  race.parallelize(race.loops("out")[0], 0);
  CHECK(refusal_of(race) ==
        "schedule step 1: parallelize(i, 0) refused\n"
        "  split(i, 0): the factor of a split must be at least 1 and at most 2147483648, and it is "
        "0");
  CHECK(body_of(race.program()) == body_of(p));
}

TEST_CASE("An unroll by a factor that is too large changes nothing") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule s(p);
  s.unroll(s.loops("out")[0], 2000);
  CHECK(refusal_of(s) ==
        "schedule step 1: unroll(i, 2000) refused\n"
        "  unroll(ii): unrolling loop ii makes 2000 copies of its body, and the limit is 1024\n"
        "  legal here: split(ii, 4), then unroll(iii)");
  CHECK(body_of(s.program()) == body_of(p));
  CHECK(s.trace().steps().empty());
}

TEST_CASE("A loop that writes its own bounds is not unrolled") {
  const Program p = parsed(R"(
program p
  output c: i64[1]
{
  c[0] = 2
  for r in c[0]..c[0] + 4 { for q in 0..2 { c[0] = 7 } }
})");
  Schedule s(p);
  const std::vector<Loop> loops = s.all_loops("c");
  s.unroll(loops[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: unroll(r) refused\n"
        "  the bounds of the loops read c, which their body writes");
}

TEST_CASE("A store to one element is not vectorized, even where one lane alone does it") {
  const Program p = program_of("for i in 0..4 { if i < 1 { out[0] = x[0] } }", 0, 1);
  Schedule s(p);
  s.vectorize(s.all_loops("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: vectorize(i) refused\n  all lanes of loop i store to out[0]");
}

}  // namespace
}  // namespace tenon::test
