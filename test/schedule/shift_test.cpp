#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/ir/operators.h"

namespace tenon::test {
namespace {

TEST_CASE("A shift gives the iterations other numbers") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  for (int64_t n : {0, 1, 5}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", n}}));
    const Loop i = s->loops("out")[0];
    s->shift(i, 2);
    s.check();
    CHECK(body_of(s->program()) == R"(  for i in 2..n + 2 {
    out[i - 2] = x[i - 2]
  }
)");
    s->shift(i, -2);
    s.check();
    CHECK(body_of(s->program()) == body_of(p));
    s->split(i, 4);
    s.check();
  }
}

TEST_CASE("A shift may use sizes, given or not, and outer loops") {
  const Program p = program_of("for i in 0..m { for j in i..n { grid[i, j] = y[i, j] } }");
  const Sizes sizes = sizes_of(p, {{"m", 4}, {"n", 6}});
  for (const Sizes& special : {Sizes{}, sizes}) {
    Followed s(p, sizes, special);
    const auto [i, j] = s->loops<2>("grid");
    s->shift(i, p->sizes[1] / 2);
    s.check();
    s->shift(j, -Expr(i.var()));
    s.check();
  }
}

TEST_CASE("Bounds of inner loops and names follow a shift") {
  const Program p = parsed(R"(
program p
  size n
  input x: f32[n]
  output out: f32[n]
{
  for i in 0..n {
    let a = x[i]
    out[i] = a
    for r in i..min(i + 2, n) {
      out[i] += a * x[r]
    }
  }
})");
  Followed s(p, sizes_of(p, {{"n", 5}}));
  s->shift(s->loops("out")[0], 3);
  s.check();
}

TEST_CASE("A shift by an inner loop, or by a vector loop, is refused") {
  const Program p = program_of("for i in 0..8 { for j in 0..n { grid[i, j] = y[i, j] } }", 8);
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  Schedule inner = s;
  inner.shift(i, j.var());
  CHECK(refusal_of(inner) ==
        "schedule step 1: shift(i, j) refused\n"
        "  the distance of the shift uses j, which is neither a size nor a loop around i");
  s.vectorize(i);
  s.shift(j, i.var());
  CHECK(refusal_of(s) ==
        "schedule step 2: shift(j, i) refused\n"
        "  the distance of the shift uses the vector loop i: the bounds of loop j would differ "
        "between its lanes");
}

TEST_CASE("A shift of a marked loop, or over a distance out of reach, is refused") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule far(p);
  const Loop i = far.loops("out")[0];
  Schedule marked = far;
  far.shift(i, INT64_MIN);
  CHECK(refusal_of(far) ==
        "schedule step 1: shift(i, -9223372036854775808) refused\n"
        "  the distance of a shift must be at least -2147483648 and at most 2147483648, and it is "
        "-9223372036854775808");
  marked.parallelize(i);
  marked.shift(i, 1);
  CHECK(refusal_of(marked) ==
        "schedule step 2: shift(i, 1) refused\n"
        "  loop i is a parallel loop already; shift takes a serial one");
}

TEST_CASE("A loop that is gone is not shifted") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule s(p);
  const Loop i = s.loops("out")[0];
  s.split(i, 4);
  s.shift(i, 1);
  CHECK(refusal_of(s) ==
        "schedule step 2: shift(i, 1) refused\n"
        "  loop i no longer exists: step 1 split it into io, ii");
}

}  // namespace
}  // namespace tenon::test
