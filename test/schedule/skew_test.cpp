#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

// Every element waits for the one above it to the right.
const char kWave[] =
    "for j0 in 0..n { grid[0, j0] = x[j0] }\n"
    "for i in 1..m { for j in 0..n - 1 { grid[i, j] = grid[i - 1, j + 1] + y[i, j] } }";

TEST_CASE("A skew shifts the inner loop by the outer one") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}}));
  const auto [i, j] = s->loops<2>("grid");
  s->skew(j, i, 2);
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..m {
    for j in i * 2..i * 2 + n {
      grid[i, j - i * 2] = y[i, j - i * 2]
    }
  }
)");
  s->skew(j, i, -2);
  s.check();
  CHECK(body_of(s->program()) == body_of(p));
}

TEST_CASE("A skew needs no perfect nest") {
  const Program p =
      program_of("for i in 0..m { out[0] = 1.0\n for j in 0..n { grid[i, j] = y[i, j] } }", 0, 1);
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}}));
  const auto [i, j] = s->loops<2>("grid");
  s->skew(j, i, 1);
  s.check();
}

TEST_CASE("A skewed and relaxed stencil is interchanged, and its inner loop runs in parallel") {
  const Program p = program_of(kWave, 1, 1);
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 6}}));
  const auto [i, j] = s->loops<2>("grid");
  Schedule refused = s.schedule();
  refused.reorder({j, i});
  CHECK(refusal_of(refused) ==
        "schedule step 1: reorder(j, i) refused\n"
        "  iteration (i = 1, j = 1) must run before (i = 2, j = 0): both touch grid[1, 1], with m "
        "= 3, n = 3");
  s->skew(j, i, 1);
  s.check();
  s->relax(j);
  s.check();
  s->reorder({j, i});
  s.check();
  CHECK(body_of(s->program()) == R"(  for j0 in 0..n {
    grid[0, j0] = x[j0]
  }
  for j in 1..m + n - 2 {
    for i in 1..m {
      if i <= j and j + 1 < n + i {
        grid[i, j - i] = grid[i - 1, j - i + 1] + y[i, j - i]
      }
    }
  }
)");
}

TEST_CASE("Skewed by 1, the wave fronts of a sum over neighbours run in parallel") {
  const Program p = program_of(
      "for a in 0..m { for b in 0..n { grid[a, b] = y[a, b] } }\n"
      "for i in 1..m { for j in 1..n { grid[i, j] = grid[i - 1, j] + grid[i, j - 1] } }");
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 6}}));
  const auto [i, j] = s->loops<2>("grid");
  Schedule refused = s.schedule();
  refused.parallelize(j);
  CHECK_FALSE(refused.status().ok());
  s->skew(j, i, 1);
  s.check();
  s->relax(j);
  s.check();
  s->reorder({j, i});
  s.check();
  s->parallelize(i);
  s.check();
}

TEST_CASE("A skew of a loop that is not inside the other is refused") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.skew(i, j, 1);
  CHECK(refusal_of(s) == "schedule step 1: skew(i, j, 1) refused\n  loop i is not inside loop j");
}

TEST_CASE("A skew of a marked loop, or by a factor out of reach, is refused") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  Schedule far(p);
  const auto [i, j] = far.loops<2>("grid");
  Schedule marked = far;
  far.skew(j, i, int64_t{1} << 40);
  CHECK(refusal_of(far) ==
        "schedule step 1: skew(j, i, 1099511627776) refused\n"
        "  the factor of a skew must be at least -2147483648 and at most 2147483648, and it is "
        "1099511627776");
  marked.parallelize(j);
  marked.skew(j, i, 1);
  CHECK(refusal_of(marked) ==
        "schedule step 2: skew(j, i, 1) refused\n"
        "  loop j is a parallel loop already; skew takes a serial one");
}

}  // namespace
}  // namespace tenon::test
