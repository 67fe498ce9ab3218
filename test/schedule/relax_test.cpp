#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("Bounds over an outer loop become their hull and a guard") {
  const Program p = program_of("for i in 0..m { for j in i..n { grid[i, j] = y[i, j] } }");
  for (int64_t m : {0, 1, 4, 9}) {
    Followed s(p, sizes_of(p, {{"m", m}, {"n", 5}}));
    const auto [i, j] = s->loops<2>("grid");
    s->relax(j);
    s.check();
    CHECK(body_of(s->program()) == R"(  for i in 0..m {
    for j in 0..n {
      if i <= j {
        grid[i, j] = y[i, j]
      }
    }
  }
)");
    s->reorder({j, i});
    s.check();
  }
}

TEST_CASE("Both ends move, and the guard stands on every leaf") {
  const Program p = program_of(
      "for i in 0..9 { for j in i..i + 3 { out[j] = x[j]\n for k in 0..2 { grid[i, j] = x[j] } } }",
      9, 12);
  Followed s(p, sizes_of(p, {{"m", 9}, {"n", 12}}));
  s->relax(s->all_loops("grid")[1]);
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..9 {
    for j in 0..11 {
      if i <= j and j < i + 3 {
        out[j] = x[j]
      }
      for k in 0..2 {
        if i <= j and j < i + 3 {
          grid[i, j] = x[j]
        }
      }
    }
  }
)");
}

TEST_CASE("All loops around are eliminated, or the one that is named") {
  const Program p =
      program_of("for i in 0..m { for k in i..m { for j in i + k..n { grid[k, j] = y[i, j] } } }");
  Followed s(p, sizes_of(p, {{"m", 4}, {"n", 7}}));
  const std::vector<Loop> loops = s->all_loops("grid");
  const Loop i = loops[0], k = loops[1], j = loops[2];
  Followed one = s;
  one->relax(j, i);
  one.check();
  CHECK(body_of(one->program()) == R"(  for i in 0..m {
    for k in i..m {
      for j in k..n {
        if i + k <= j {
          grid[k, j] = y[i, j]
        }
      }
    }
  }
)");
  CHECK(one->trace().steps()[0].text == "relax(j, i)");
  one->relax(j, k);
  one.check();
  s->relax(j);
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..m {
    for k in i..m {
      for j in 0..n {
        if i + k <= j {
          grid[k, j] = y[i, j]
        }
      }
    }
  }
)");
  s->relax(k);
  s.check();
  s->reorder({j, k, i});
  s.check();
}

TEST_CASE("A window over a tiled loop becomes a window over the whole") {
  const Program p = program_of("for i in 0..m { for j in i..n { grid[i, j] = y[i, j] } }");
  Followed s(p, sizes_of(p, {{"m", 6}, {"n", 5}}));
  const auto [i, j] = s->loops<2>("grid");
  const auto [io, ii] = s->split(i, 4);
  s->relax(j, ii);
  s.check();
  s->reorder({j, ii});
  s.check();
  s->relax(j, io);
  s.check();
}

TEST_CASE("Bounds that use no loop, or not the one that is named, are not relaxed") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  Schedule named = s;
  s.relax(j);
  CHECK(refusal_of(s) ==
        "schedule step 1: relax(j) refused\n"
        "  the bounds of loop j do not use a loop around it");
  named.relax(j, i);
  CHECK(refusal_of(named) ==
        "schedule step 1: relax(j, i) refused\n  the bounds of loop j do not use i");
}

TEST_CASE("Bounds that are read from memory are not relaxed") {
  const Program p = parsed(R"(
program p
  size n
  input c: i64[n]
  output out: f32[n]
{
  for i in 0..n { for r in i..c[i] { if r < n { out[r] = 1.0 } } }
})");
  Schedule s(p);
  s.relax(s.all_loops("out")[1]);
  CHECK(refusal_of(s) ==
        "schedule step 1: relax(r) refused\n"
        "  the bounds of loop r are read from memory: c[i]");
}

TEST_CASE("Bounds whose hull cannot be found are not relaxed") {
  const Program p = program_of("for i in 0..m { for j in i * i..n { grid[i, j] = y[i, j] } }");
  Schedule s(p);
  s.relax(s.loops<2>("grid")[1]);
  CHECK(refusal_of(s) ==
        "schedule step 1: relax(j) refused\n"
        "  the least and the greatest value of i * i over the loops around cannot be found");
}

TEST_CASE("A local whose shape uses the loop keeps the loop in its bounds") {
  const Program p = program_of(
      "for i in 0..m { for j in i..n { alloc t: f32[j - i + 1]\n t[0] = y[i, j]\n grid[i, j] = "
      "t[0] "
      "} }");
  Schedule s(p);
  s.relax(s.loops<2>("grid")[1]);
  CHECK(refusal_of(s) ==
        "schedule step 1: relax(j) refused\n"
        "  the shape of t uses j, which would leave its bounds");
}

TEST_CASE("A marked loop is not relaxed") {
  const Program p = program_of("for i in 0..m { for j in i..n { grid[i, j] = y[i, j] } }");
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.parallelize(j);
  s.relax(j);
  CHECK(refusal_of(s) ==
        "schedule step 2: relax(j) refused\n"
        "  loop j is a parallel loop already; relax takes a serial one");
}

}  // namespace
}  // namespace tenon::test
