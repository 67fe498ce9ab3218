#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("Two loops become one over pairs") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  for (int64_t n : {0, 1, 5}) {
    Followed s(p, sizes_of(p, {{"m", 3}, {"n", n}}));
    const auto [i, j] = s->loops<2>("grid");
    const Loop f = s->fuse(i, j);
    s.check();
    CHECK(body_of(s->program()) == R"(  for ij in 0..m * n {
    grid[ij // n, ij % n] = y[ij // n, ij % n]
  }
)");
    s->split(f, 4);
    s.check();
  }
}

TEST_CASE("Fused constant loops can be split and vectorized") {
  const Program p = program_of("for i in 0..3 { for j in 2..6 { grid[i, j] = y[i, j] } }", 3, 6);
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 6}}));
  const auto [i, j] = s->loops<2>("grid");
  const auto [fo, fi] = s->split(s->fuse(i, j), 8);
  (void)fo;
  s.check();
  s->vectorize(fi);
  s.check();
}

TEST_CASE("Loops with something between them are not fused") {
  const Program p =
      program_of("for i in 0..m { out[0] = 1.0\n for j in 0..n { grid[i, j] = y[i, j] } }", 0, 1);
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.fuse(i, j);
  CHECK(refusal_of(s) ==
        "schedule step 1: fuse(i, j) refused\n  loop j is not the whole body of loop i");
}

TEST_CASE("A loop whose bounds use the outer one is not fused") {
  const Program p = program_of("for i in 0..m { for j in i..n { grid[i, j] = y[i, j] } }");
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.fuse(i, j);
  CHECK(refusal_of(s) ==
        "schedule step 1: fuse(i, j) refused\n"
        "  the bounds of loop j use i: the pairs of iterations do not form a rectangle");
}

TEST_CASE("A loop that writes its own bounds is not fused") {
  const Program p = parsed(R"(
program p
  output c: i64[1]
{
  c[0] = 2
  for r in c[0]..c[0] + 4 { for q in 0..2 { c[0] = 7 } }
})");
  Schedule s(p);
  const std::vector<Loop> loops = s.all_loops("c");
  s.fuse(loops[0], loops[1]);
  CHECK(refusal_of(s) ==
        "schedule step 1: fuse(r, q) refused\n"
        "  the bounds of the loops read c, which their body writes");
}

}  // namespace
}  // namespace tenon::test
