#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("The initialisation of a reduction becomes a nest of its own") {
  const Program p = linear_relu();
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}, {"k", 4}}));
  const auto [i, j] = s->loops<2>("linear");
  const InitAndUpdate made = s->decompose_init(i);
  s.check();
  CHECK(body_of(s->program()) == R"(  alloc linear: f32[m, n]
  for i in 0..m {
    for j in 0..n {
      linear[i, j] = -0.0
    }
  }
  for i_1 in 0..m {
    for j_1 in 0..n {
      for r in 0..k {
        linear[i_1, j_1] += x[i_1, r] * w[j_1, r]
      }
    }
  }
  for i_2 in 0..m {
    for j_2 in 0..n {
      out[i_2, j_2] = max(linear[i_2, j_2] + b[j_2], 0.0)
    }
  }
)");
  CHECK(s->trace().steps()[0].text == "decompose_init(i)");
  CHECK(s->trace().steps().size() == 3);
  s->reorder({made.init[1], made.init[0]});
  s->reorder({made.update[1], made.update[0]});
  s.check();
  s->split(j, 2);
  CHECK(refusal_of(s.schedule()) ==
        "schedule step 4: split(j, 2) refused\n"
        "  loop j no longer exists: step 1 divided it into j, j_1");
}

TEST_CASE("An inner loop alone may be decomposed; several first statements go together") {
  const Program p = program_of(R"(
    for i in 0..m {
      for j in 0..n {
        grid[i, j] = 0.0
        out[j] = 1.0
        for r in 0..n { grid[i, j] += y[i, r] }
      }
    })");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}}));
  const InitAndUpdate made = s->decompose_init(s->loops<2>("grid")[1]);
  s.check();
  CHECK(made.init.size() == 1);
  CHECK(body_of(s->program()) == R"(  for i in 0..m {
    for j in 0..n {
      grid[i, j] = 0.0
      out[j] = 1.0
    }
    for j_1 in 0..n {
      for r in 0..n {
        grid[i, j_1] += y[i, r]
      }
    }
  }
)");
}

TEST_CASE("A nest without an initialisation is not decomposed") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  Schedule s(p);
  s.decompose_init(s.loops<1>("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: decompose_init(i) refused\n"
        "  the nest of loop i holds no initialisation in front of a loop");
}

TEST_CASE("What a fission refuses leaves the program as it was") {
  const Program p = program_of(R"(
    for i in 0..n {
      alloc t: f32[1]
      t[0] = 0.0
      for r in 0..n { t[0] += x[r] }
      out[i] = t[0]
    })");
  Schedule s(p);
  const Program before = s.program();
  const InitAndUpdate made = s.decompose_init(s.loops<1>("out")[0]);
  s.unroll(made.init[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: decompose_init(i) refused\n"
        "  fission(i, 2): t is declared in the first part of the body and used in the second");
  CHECK(structurally_equal(s.program(), before));
  CHECK(s.trace().steps().empty());
}

}  // namespace
}  // namespace tenon::test
