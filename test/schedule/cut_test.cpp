#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("A cut makes two loops, one after the other") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  for (int64_t n : {0, 3, 4, 9}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", n}}));
    const auto [a, b] = s->cut(s->loops<1>("out")[0], 4);
    s.check();
    CHECK(body_of(s->program()) == R"(  for ia in 0..min(n, 4) {
    out[ia] = x[ia]
  }
  for ib in min(n, 4)..n {
    out[ib] = x[ib]
  }
)");
    s->parallelize(a);
    s.check();
    s->split(b, 2);
    s.check();
  }
}

TEST_CASE("A cut outside of the loop leaves one part empty") {
  const Program p = program_of("for i in 2..n { out[i] = x[i] }");
  for (int64_t at : {-5, 0, 2, 100}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", 6}}), sizes_of(p, {{"n", 6}}));
    s->cut(s->loops<1>("out")[0], at);
    s.check();
  }
}

TEST_CASE("A cut may use sizes, given or not, and outer loops") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  const Sizes sizes = sizes_of(p, {{"m", 4}, {"n", 6}});
  for (const Sizes& special : {Sizes{}, sizes}) {
    Followed s(p, sizes, special);
    const auto [i, j] = s->loops<2>("grid");
    s->cut(j, p->sizes[1] / 2);
    s.check();
    s->cut(s->loops<2>("grid")[1], i.var());
    s.check();
  }
}

TEST_CASE("The second part of a cut has loops and buffers of its own") {
  const Program p = program_of(
      "for i in 0..n { alloc t: f32[2]\n for j in 0..2 { t[j] = x[i] }\n out[i] = t[0] + t[1] }");
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 5}}));
  const Loop j = s->loops<2>("t")[1];
  s->cut(s->loops<1>("out")[0], 2);
  s.check();
  CHECK(body_of(s->program()) == R"(  for ia in 0..min(n, 2) {
    alloc t: f32[2]
    for j in 0..2 {
      t[j] = x[ia]
    }
    out[ia] = t[0] + t[1]
  }
  for ib in min(n, 2)..n {
    alloc t_1: f32[2]
    for j_1 in 0..2 {
      t_1[j_1] = x[ib]
    }
    out[ib] = t_1[0] + t_1[1]
  }
)");
  s->unroll(j);
  s.check();
}

TEST_CASE("A cut at an inner loop's variable is refused") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.cut(i, j.var());
  CHECK(refusal_of(s) ==
        "schedule step 1: cut(i, j) refused\n"
        "  the place of the cut uses j, which is neither a size nor a loop around i");
  Schedule wrong(p);
  wrong.cut(i, Expr(0.5f));
  CHECK(
      refusal_of(wrong) ==
      "schedule step 1: cut(i, 0.5) refused\n"
      "  the place of the cut must be an i64 expression over sizes and outer loops, and it is 0.5");
}

TEST_CASE("A cut at a vector loop would give its lanes other bounds, and is refused") {
  const Program p = program_of("for i in 0..8 { for j in 0..n { grid[i, j] = y[i, j] } }", 8);
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.vectorize(i);
  s.cut(j, i.var());
  CHECK(refusal_of(s) ==
        "schedule step 2: cut(j, i) refused\n"
        "  the place of the cut uses the vector loop i: the bounds of loop j would differ between "
        "its lanes");
}

}  // namespace
}  // namespace tenon::test
