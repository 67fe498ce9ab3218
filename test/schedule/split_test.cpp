#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

const char kCopy[] = "for i in 0..n { out[i] = x[i] }\n for j in 0..m { grid[j, 0] = 1.0 }";

TEST_CASE("A split guards the leaf where the factor does not divide") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule s(p);
  const auto [i] = s.loops<1>("out");
  const auto [io, ii] = s.split(i, 4);
  REQUIRE(s.status().ok());
  CHECK(io.var().name() == "io");
  CHECK(ii.var().name() == "ii");
  CHECK(body_of(checked(s.program())) == R"(  for io in 0..(n + 3) // 4 {
    for ii in 0..4 {
      if io * 4 + ii < n {
        out[io * 4 + ii] = x[io * 4 + ii]
      }
    }
  }
)");
  for (int64_t n : {0, 1, 3, 4, 5, 11}) {
    check_same(p, s.program(), sizes_of(p, {{"n", n}, {"m", 2}}));
  }
}

TEST_CASE("A split by a factor that divides has no guard") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule s(p, sizes_of(p, {{"n", 12}}));
  s.split(s.loops<1>("out")[0], 4);
  CHECK(body_of(checked(s.program())) == R"(  for io in 0..3 {
    for ii in 0..4 {
      out[io * 4 + ii] = x[io * 4 + ii]
    }
  }
)");
}

TEST_CASE("A requirement on the size makes the guard of a split needless") {
  const Program p = parsed(R"(
program p
  size n
  input x: f32[n]
  output out: f32[n]
  require n % 8 == 0
{
  for i in 0..n { out[i] = x[i] }
})");
  Schedule s(p);
  s.split(s.loops<1>("out")[0], 8);
  CHECK(body_of(checked(s.program())).find("if") == std::string::npos);
  check_same(p, s.program(), sizes_of(p, {{"n", 24}}));
}

TEST_CASE("The guard of a split stands on each leaf, so that nests stay perfect") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 7}}));
  const auto [i, j] = s->loops<2>("grid");
  const auto [io, ii] = s->split(i, 2);
  s.check();
  s->split(j, 3);
  s.check();
  s->reorder({ii, io});
  s.check();
  CHECK(body_of(s->program()) == R"(  for ii in 0..2 {
    for io in 0..(m + 1) // 2 {
      for jo in 0..(n + 2) // 3 {
        for ji in 0..3 {
          if jo * 3 + ji < n and io * 2 + ii < m {
            grid[io * 2 + ii, jo * 3 + ji] = y[io * 2 + ii, jo * 3 + ji]
          }
        }
      }
    }
  }
)");
}

TEST_CASE("A guard that another one implies is not made") {
  const Program p = program_of("for i in 0..10 { if i < 7 { out[i] = x[i] } }", 0, 7);
  Schedule s(p);
  s.split(s.loops<1>("out")[0], 4);
  CHECK(body_of(checked(s.program())) == R"(  for io in 0..3 {
    for ii in 0..4 {
      if io * 4 + ii < 7 {
        out[io * 4 + ii] = x[io * 4 + ii]
      }
    }
  }
)");
  check_same(p, s.program(), sizes_of(p, {{"n", 10}, {"m", 1}}));
}

TEST_CASE("A loop that does not start at 0 is split from its start") {
  const Program p = program_of("for i in 0..m { for j in i..n { grid[i, j] = y[i, j] } }");
  Followed s(p, sizes_of(p, {{"m", 6}, {"n", 5}}));
  const auto [i, j] = s->loops<2>("grid");
  s->split(j, 2);
  s.check();
}

TEST_CASE("What loops bounds and names read is read only under the guard of a split") {
  const Program p = parsed(R"(
program p
  size n
  input c: i64[n]
  input x: f32[n]
  output out: f32[n]
{
  for i in 0..n {
    let a = x[i]
    out[i] = a
    for r in 0..min(c[i], 2) {
      out[i] += a
    }
  }
})");
  Followed s(p, sizes_of(p, {{"n", 5}}));
  s->split(s->loops<1>("out")[0], 4);
  s.check();
}

TEST_CASE("A factor that is larger than the extent is fine (D2)") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Followed s(p, sizes_of(p, {{"n", 3}, {"m", 1}}), sizes_of(p, {{"n", 3}}));
  const auto [io, ii] = s->split(s->loops<1>("out")[0], 8);
  s.check();
  s->vectorize(ii);
  s.check();
}

TEST_CASE("A split of a split that is wider than the tile touches each element once (D1)") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Followed s(p, sizes_of(p, {{"n", 16}, {"m", 1}}), sizes_of(p, {{"n", 16}}));
  const auto [io, ii] = s->split(s->loops<1>("out")[0], 2);
  s.check();
  const auto [iio, iii] = s->split(ii, 4);
  s.check();
  s->vectorize(iii);
  s.check();
}

TEST_CASE("A factor below 1 is refused (D3)") {
  const Program p = program_of(kCopy, 0, 1);
  Schedule zero(p);
  zero.split(zero.loops<1>("out")[0], 0);
  CHECK(refusal_of(zero) ==
        "schedule step 1: split(i, 0) refused\n"
        "  the factor of a split must be at least 1 and at most 2147483648, and it is 0");
  Schedule negative(p);
  negative.split(negative.loops<1>("out")[0], -17);
  CHECK(refusal_of(negative) ==
        "schedule step 1: split(i, -17) refused\n"
        "  the factor of a split must be at least 1 and at most 2147483648, and it is -17");
}

TEST_CASE("A loop that is marked is not split") {
  const Program p = program_of(kCopy, 0, 1);
  Schedule s(p);
  const auto [i] = s.loops<1>("out");
  s.parallelize(i);
  s.split(i, 4);
  CHECK(refusal_of(s) ==
        "schedule step 2: split(i, 4) refused\n"
        "  loop i is a parallel loop already; split takes a serial one");
}

}  // namespace
}  // namespace tenon::test
