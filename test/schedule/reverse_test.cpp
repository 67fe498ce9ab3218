#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("The last iteration comes first") {
  const Program p = program_of("for i in 1..n { out[i] = x[i] }");
  for (int64_t n : {0, 1, 2, 6}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", n}}));
    const Loop i = s->loops("out")[0];
    s->reverse(i);
    s.check();
    CHECK(body_of(s->program()) == R"(  for i in 1..n {
    out[n - i] = x[n - i]
  }
)");
    s->reverse(i);
    s.check();
    CHECK(body_of(s->program()) == body_of(p));
  }
}

TEST_CASE("A loop whose bounds use the outer loop is reversed") {
  const Program p = program_of("for i in 0..m { for j in i..n { grid[i, j] = y[i, j] } }");
  Followed s(p, sizes_of(p, {{"m", 4}, {"n", 5}}));
  const auto [i, j] = s->loops<2>("grid");
  s->reverse(j);
  s.check();
  s->reverse(i);
  s.check();
}

TEST_CASE("A reversed float sum is a reassociation") {
  const Program p = program_of("out[0] = 0.0\n for r in 0..n { out[0] += x[r] }", 0, 1);
  Schedule s(p);
  s.reverse(s.all_loops("out")[0]);
  REQUIRE(s.status().ok());
  CHECK(checked(s.program())->reassociated);
}

TEST_CASE("A recurrence keeps its direction") {
  const Program p = program_of("for i in 1..n { out[i] = out[i - 1] + x[i] }", 0, 1);
  Schedule s(p, sizes_of(p, {{"m", 1}, {"n", 5}}));
  s.reverse(s.loops("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: reverse(i) refused\n"
        "  iteration (i = 1) must run before (i = 2): both touch out[1]");
}

TEST_CASE("A loop that writes its own bounds is not reversed") {
  const Program p = parsed(R"(
program p
  output c: i64[1]
{
  c[0] = 7
  for r in 0..c[0] { c[0] = 3 }
})");
  Schedule s(p);
  s.reverse(s.all_loops("c")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: reverse(r) refused\n"
        "  the bounds of the loops read c, which their body writes");
}

TEST_CASE("A marked loop is not reversed") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule s(p);
  const Loop i = s.loops("out")[0];
  s.parallelize(i);
  s.reverse(i);
  CHECK(refusal_of(s) ==
        "schedule step 2: reverse(i) refused\n"
        "  loop i is a parallel loop already; reverse takes a serial one");
}

}  // namespace
}  // namespace tenon::test
