#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("A loop over two statements becomes two loops") {
  const Program p =
      program_of("for i in 0..n { out[i] = x[i]\n for r in 0..m { out[i] += y[r, i] } }");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const auto [i] = s->loops<1>("out");
  const auto [first, second] = s->fission(i, 1);
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..n {
    out[i] = x[i]
  }
  for i_1 in 0..n {
    for r in 0..m {
      out[i_1] += y[r, i_1]
    }
  }
)");
  s->parallelize(second);
  s.check();
  s->split(first, 2);
  s.check();
  s->vectorize(i);
  CHECK(refusal_of(s.schedule()) ==
        "schedule step 4: vectorize(i) refused\n"
        "  loop i no longer exists: step 1 divided it into i, i_1");
}

TEST_CASE("A fission of a float sum in two parts is a reassociation") {
  const Program p =
      program_of("out[0] = 0.0\n for r in 0..n { out[0] += x[r]\n out[0] += y[0, r] }", 1, 1);
  Schedule s(p);
  s.fission(s.all_loops("out")[0], 1);
  REQUIRE(s.status().ok());
  CHECK(checked(s.program())->reassociated);
}

TEST_CASE("A fission that turns a dependence around is refused") {
  const Program p = program_of("for i in 0..n - 1 { out[i] = x[i]\n out[i + 1] = 3.0 }");
  Schedule s(p, sizes_of(p, {{"m", 1}, {"n", 5}}));
  s.fission(s.loops<1>("out")[0], 1);
  CHECK(refusal_of(s) ==
        "schedule step 1: fission(i, 1) refused\n"
        "  iteration (i = 0) must run before (i = 1): both touch out[1]");
}

TEST_CASE("A buffer that the first part declares stays with its users") {
  const Program p = program_of("for i in 0..n { alloc t: f32[1]\n t[0] = x[i]\n out[i] = t[0] }");
  Schedule s(p);
  s.fission(s.loops<1>("out")[0], 2);
  CHECK(refusal_of(s) ==
        "schedule step 1: fission(i, 2) refused\n"
        "  t is declared in the first part of the body and used in the second");
}

TEST_CASE("A fission leaves statements on both sides") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule s(p);
  s.fission(s.loops<1>("out")[0], 1);
  CHECK(refusal_of(s) ==
        "schedule step 1: fission(i, 1) refused\n"
        "  the body of loop i has 1 statement; the first part takes at least 1 of them and "
        "leaves at least 1, and 1 were asked for");
}

}  // namespace
}  // namespace tenon::test
