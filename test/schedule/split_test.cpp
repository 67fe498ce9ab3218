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

TEST_CASE("A split may cut its tail off into a loop of its own, and then has no guard") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  for (int64_t n : {0, 1, 3, 4, 11}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", n}}));
    const auto [io, ii] = s->split(s->loops("out")[0], 4, Tail::kCut);
    s.check();
    CHECK(body_of(s->program()) == R"(  for iao in 0..n // 4 {
    for iai in 0..4 {
      out[iao * 4 + iai] = x[iao * 4 + iai]
    }
  }
  for ib in n // 4 * 4..n {
    out[ib] = x[ib]
  }
)");
    s->parallelize(io);
    s->vectorize(ii);
    s.check();
  }
}

TEST_CASE("A tail is cut off a loop that may be empty, or that uses an outer loop") {
  const Program p = program_of(
      "for i in 3..n - 5 { out[i] = x[i] }\n"
      "for a in 0..m { for b in a..n { grid[a, b] = y[a, b] } }");
  for (int64_t n : {2, 8, 11, 13, 16}) {
    Followed s(p, sizes_of(p, {{"m", 3}, {"n", n}}));
    s->split(s->loops("out")[0], 4, Tail::kCut);
    s.check();
    s->split(s->loops("grid")[1], 2, Tail::kCut);
    s.check();
  }
}

TEST_CASE("A split that must leave nothing over") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Followed twelve(p, sizes_of(p, {{"m", 1}, {"n", 12}}), sizes_of(p, {{"n", 12}}));
  twelve->split(twelve->loops("out")[0], 4, Tail::kPerfect);
  twelve.check();
  CHECK(twelve->trace().steps()[0].text == "split(i, 4, perfect) -> io, ii");

  Schedule five(p, sizes_of(p, {{"n", 12}}));
  five.split(five.loops("out")[0], 5, Tail::kPerfect);
  CHECK(refusal_of(five) ==
        "schedule step 1: split(i, 5, perfect) refused\n"
        "  5 does not divide 12, the number of iterations of loop i");
  Schedule symbol(p);
  symbol.split(symbol.loops("out")[0], 4, Tail::kPerfect);
  CHECK(refusal_of(symbol) ==
        "schedule step 1: split(i, 4, perfect) refused\n"
        "  cannot prove that 4 divides n, the number of iterations of loop i\n"
        "  missing fact: n % 4 == 0");
  const Program eights = parsed(R"(
program p
  size n
  input x: f32[n]
  output out: f32[n]
  require n % 8 == 0
{
  for i in 0..n { out[i] = x[i] }
})");
  Followed known(eights, sizes_of(eights, {{"n", 24}}));
  known->split(known->loops("out")[0], 4, Tail::kPerfect);
  known.check();
  CHECK(body_of(known->program()).find("if") == std::string::npos);
}

TEST_CASE("A loop is split by several factors at once") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  const Sizes sizes = sizes_of(p, {{"m", 1}, {"n", 27}});
  Followed s(p, sizes);
  const std::vector<Loop> loops = s->split(s->loops("out")[0], {2, 4});
  s.check();
  REQUIRE(loops.size() == 3);
  CHECK(body_of(s->program()) == R"(  for io in 0..(n + 7) // 8 {
    for iio in 0..2 {
      for iii in 0..4 {
        if io * 8 + iio * 4 + iii < n {
          out[io * 8 + iio * 4 + iii] = x[io * 8 + iio * 4 + iii]
        }
      }
    }
  }
)");
  CHECK(s->trace().to_string().find("split(i, {2, 4})") != std::string::npos);
  s->vectorize(loops[2]);
  s.check();

  Followed outermost(p, sizes);
  CHECK(outermost->split(outermost->loops("out")[0], {kInferred, 2, 4}).size() == 3);
  CHECK(structurally_equal(Schedule(p).program(), p));
  outermost.check();
  Followed middle(p, sizes, sizes);
  CHECK(middle->split(middle->loops("out")[0], {3, kInferred, 4}).size() == 3);
  middle.check();
  CHECK(body_of(middle->program()).find("for iio in 0..3 {") != std::string::npos);
}

TEST_CASE("A list of factors that says too little or too much is refused") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  const auto refused = [&](const std::vector<int64_t>& factors) {
    Schedule s(p);
    const size_t loops = s.split(s.loops("out")[0], factors).size();
    CHECK(loops == factors.size());
    return refusal_of(s);
  };
  CHECK(refused({4, kInferred}) ==
        "schedule step 1: split(i, {4, inferred}) refused\n"
        "  only the outermost factor can be inferred: the number of iterations of loop i is not a "
        "constant");
  CHECK(refused({kInferred, kInferred}) ==
        "schedule step 1: split(i, {inferred, inferred}) refused\n"
        "  only one factor of a split can be inferred");
  CHECK(refused({kInferred, 0}) ==
        "schedule step 1: split(i, {inferred, 0}) refused\n"
        "  the factors of a split must be at least 1, and one is 0");
  CHECK(refused({kInferred, 1 << 30, 1 << 30}) ==
        "schedule step 1: split(i, {inferred, 1073741824, 1073741824}) refused\n"
        "  split(i, 1152921504606846976): the factor of a split must be at least 1 and at most "
        "2147483648, and it is 1152921504606846976");
}

TEST_CASE("A loop that writes its own bounds is neither split nor cut") {
  const Program p = parsed(R"(
program p
  output c: i64[1]
{
  c[0] = 7
  for r in 0..c[0] { c[0] = 3 }
})");
  Schedule s(p);
  const Loop r = s.all_loops("c")[0];
  Schedule other = s;
  s.split(r, 2);
  CHECK(refusal_of(s) ==
        "schedule step 1: split(r, 2) refused\n"
        "  the bounds of the loops read c, which their body writes");
  other.cut(r, 2);
  CHECK(refusal_of(other) ==
        "schedule step 1: cut(r, 2) refused\n"
        "  the bounds of the loops read c, which their body writes");
}

}  // namespace
}  // namespace tenon::test
