// parallel_chunks, fuse_at and split_rows.
#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "support/golden.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

TEST_CASE("A loop runs in so many parallel blocks") {
  const Program p = program_of("for i in 0..n { out[i] = x[i] }");
  for (const int64_t n : {1, 8, 10, 100}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", n}}), sizes_of(p, {{"n", n}}));
    s->parallel_chunks(s->loops<1>("out")[0], 4);
    s.check();
    if (n == 100)
      CHECK(body_of(s->program()) == R"(  parallel for io in 0..4 {
    for ii in 0..25 {
      out[io * 25 + ii] = x[io * 25 + ii]
    }
  }
)");
  }
  Schedule symbolic(p);
  symbolic.parallel_chunks(symbolic.loops<1>("out")[0], 4);
  CHECK(refusal_of(symbolic) ==
        "schedule step 1: parallel_chunks(i, 4) refused\n"
        "  split(i, {4, inferred}): only the outermost factor can be inferred: the number of "
        "iterations of loop i is not a constant");
  CHECK(symbolic.trace().steps().empty());
}

// Three stages in a row.
Program three() {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Tensor a = compute("a", {n}, [&](Expr i) { return x(i) * 2.0f; });
  const Tensor b = compute("b", {n}, [&](Expr i) { return a(i) + 1.0f; });
  const Tensor c = compute("c", {n}, [&](Expr i) { return a(i) * b(i); });
  return checked(program("three", {x}, {compute("out", {n}, [&](Expr i) { return c(i) - b(i); })}));
}

TEST_CASE("A chain of stages moves to one loop, readers first") {
  const Program p = three();
  Followed s(p, sizes_of(p, {{"n", 11}}));
  const Loop io = s->split(s->loops<1>("out")[0], 4).first;
  const std::vector<std::vector<Loop>> loops = s->fuse_at({"a", "c", "b"}, io);
  s.check();
  CHECK(loops.size() == 3);
  CHECK(loops[1][0].var() == s->loops("c").back().var());
  CHECK(s->trace().to_string().find("compute_at(c, io) -> i") <
        s->trace().to_string().find("compute_at(b, io) -> i"));

  Schedule part(p);
  const Loop i = part.loops<1>("out")[0];
  part.fuse_at({"a"}, i);
  CHECK(refusal_of(part) ==
        "schedule step 1: fuse_at({a}, i_3) refused\n"
        "  compute_at(a, i_3): nothing inside loop i_3 reads a");
  Schedule twice(p);
  twice.fuse_at({"b", "b"}, twice.loops<1>("out")[0]);
  CHECK(refusal_of(twice) ==
        "schedule step 1: fuse_at({b, b}, i_3) refused\n"
        "  stage b is named twice");
}

// A running maximum and a sum that is rescaled by it, over blocks of keys.
Program online() {
  return program_of(R"(
    for i in 0..m {
      alloc top: f32[]
      alloc total: f32[]
      top[] = -1e30
      total[] = 0.0
      for kb in 0..3 {
        alloc next: f32[]
        next[] = top[]
        for k in 0..4 { if kb * 4 + k < n { next[] max= y[i, kb * 4 + k] } }
        total[] = total[] * (top[] - next[])
        for q in 0..4 { if kb * 4 + q < n { total[] += y[i, kb * 4 + q] - next[] } }
        top[] = next[]
      }
      for j in 0..n { grid[i, j] = y[i, j] * total[] + top[] }
    })");
}

TEST_CASE("A recurrence of one row becomes one of a block of rows, step by step") {
  const Program p = online();
  for (const int64_t m : {1, 4, 6}) {
    Followed s(p, sizes_of(p, {{"m", m}, {"n", 10}}));
    const SplitRows made = s->split_rows(s->loops("grid")[0], 4);
    s.check();
    CHECK(made.rows.size() == 8);
    if (m == 6) check_golden("schedule/split_rows", print(s->program()));
    s->parallelize(made.outer);
    s.check();
    s->vectorize(made.rows[0]);
    s.check();
  }
}

TEST_CASE("Rows that need each other are not divided") {
  const Program p = program_of(
      "alloc t: f32[]\n t[] = 0.0\n for i in 0..n { t[] = t[] * 0.5 + x[i]\n out[i] = t[] }");
  Schedule s(p);
  s.split_rows(s.loops<1>("out")[0], 4);
  CHECK(
      refusal_of(s) ==
      "schedule step 1: split_rows(i, 4) refused\n"
      "  fission(ii, 1): iteration (ii = 0) must run before (ii = 1): both touch t[], with n = 2");
  CHECK(s.trace().steps().empty());
}

}  // namespace
}  // namespace tenon::test
