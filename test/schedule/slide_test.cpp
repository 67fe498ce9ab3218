// hoist_alloc and slide: a stage that is stored for all iterations, and computed once.
#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

// A stencil of two stages in rows: t smooths along a row, out over three rows.
Program rows() {
  return parsed(R"(
program rows
  size m, n
  input x: f32[m + 2, n + 2]
  output out: f32[m, n]
{
  alloc t: f32[m + 2, n]
  for i in 0..m + 2 { for j in 0..n { t[i, j] = x[i, j] + x[i, j + 1] + x[i, j + 2] } }
  for y in 0..m { for k in 0..n { out[y, k] = t[y, k] + t[y + 1, k] + t[y + 2, k] } }
})");
}

TEST_CASE("Each row of the first stage is computed once") {
  const Program p = rows();
  for (const int64_t m : {0, 1, 2, 7}) {
    Followed s(p, sizes_of(p, {{"m", m}, {"n", 5}}));
    const Loop y = s->loops<2>("out")[0];
    s->compute_at("t", y);
    s.check();
    s->hoist_alloc("t", y);
    s.check();
    const std::vector<Loop> first = s->slide("t", y);
    s.check();
    REQUIRE(first.size() == 2);
    const auto [jo, ji] = s->split(first[1], 4);
    s->vectorize(ji);
    s.check();
  }
  Schedule s(p);
  const Loop y = s.loops<2>("out")[0];
  s.compute_at("t", y);
  s.hoist_alloc("t", y);
  REQUIRE(s.status().ok());
  CHECK(body_of(s.program()) == R"(  alloc t: f32[m + 2, n]
  for y in 0..m {
    for i in 0..3 {
      for j in 0..n {
        t[i + y, j] = x[i + y, j] + x[i + y, j + 1] + x[i + y, j + 2]
      }
    }
    for k in 0..n {
      out[y, k] = t[y, k] + t[y + 1, k] + t[y + 2, k]
    }
  }
)");
  s.slide("t", y);
  REQUIRE(s.status().ok());
  CHECK(body_of(s.program()) == R"(  alloc t: f32[m + 2, n]
  for i in 0..2 {
    for j in 0..n {
      if 1 <= m {
        t[i, j] = x[i, j] + x[i, j + 1] + x[i, j + 2]
      }
    }
  }
  for y in 0..m {
    for i_1 in 0..1 {
      for j_1 in 0..n {
        t[i_1 + y + 2, j_1] = x[i_1 + y + 2, j_1] + x[i_1 + y + 2, j_1 + 1] + x[i_1 + y + 2, j_1 + 2]
      }
    }
    for k in 0..n {
      out[y, k] = t[y, k] + t[y + 1, k] + t[y + 2, k]
    }
  }
)");
}

// Three stages, where the second one needs a window of the first.
Program chain_of_three() {
  return parsed(R"(
program three
  size m
  input x: f32[m + 4]
  output out: f32[m]
{
  alloc s: f32[m + 4]
  for i in 0..m + 4 { s[i] = x[i] * 2.0 }
  alloc t: f32[m + 2]
  for j in 0..m + 2 { t[j] = s[j] + s[j + 1] + s[j + 2] }
  for y in 0..m { out[y] = t[y] + t[y + 1] + t[y + 2] }
})");
}

TEST_CASE("A window of a window slides") {
  const Program p = chain_of_three();
  for (const int64_t m : {0, 1, 2, 9}) {
    Followed s(p, sizes_of(p, {{"m", m}}));
    const Loop y = s->loops<1>("out")[0];
    s->compute_at("t", y);
    s->compute_at("s", y);
    s.check();
    s->hoist_alloc("s", y);
    s.check();
    s->slide("s", y);
    s.check();
    s->hoist_alloc("t", y);
    s.check();
    s->slide("t", y);
    s.check();
  }
}

TEST_CASE("A window slides over what stays, not over what is computed again") {
  Schedule s(chain_of_three());
  const Loop y = s.loops<1>("out")[0];
  s.compute_at("t", y);
  s.compute_at("s", y);
  Schedule inside = s, again = s;
  inside.hoist_alloc("t", y);
  CHECK(refusal_of(inside) ==
        "schedule step 3: hoist_alloc(t, y) refused\n"
        "  the nest of t reads s, which is declared inside of loop y: move that first");
  again.hoist_alloc("s", y);
  again.hoist_alloc("t", y);
  again.slide("t", y);
  CHECK(refusal_of(again) ==
        "schedule step 5: slide(t, y) refused\n"
        "  the nest of t reads s[1] (y = 0, j = 1), which is written after that (y = 1, i = 0), "
        "with m = 2");
}

TEST_CASE("A window slides down, and by blocks") {
  const Program blur = parsed(R"(
program blur
  size n
  input b: f32[n + 1]
  output out: f32[n]
{
  alloc half: f32[n + 1]
  for i in 0..n + 1 { half[i] = b[i] * 0.5 }
  for j in 0..n { out[j] = half[j] + half[j + 1] }
})");
  for (const int64_t n : {0, 1, 8, 9, 21}) {
    for (const bool down : {false, true}) {
      Followed s(blur, sizes_of(blur, {{"n", n}}));
      const auto [io, ii] = s->split(s->loops<1>("out")[0], 4);
      if (down) s->reverse(io);
      s->compute_at("half", io);
      s.check();
      s->hoist_alloc("half", io);
      s.check();
      s->slide("half", io);
      s.check();
    }
  }
}

std::string hoisting(const std::string& body) {
  Schedule s(program_of(body));
  s.hoist_alloc("t", s.all_loops("out")[0]);
  return refusal_of(s);
}

std::string sliding(const std::string& body) {
  Schedule s(program_of(body, 0, 4));
  s.slide("t", s.all_loops("out")[0]);
  return refusal_of(s);
}

TEST_CASE("Where a stage cannot be declared further out") {
  CHECK(hoisting("parallel for i in 0..n { alloc t: f32[1]\nfor l in 0..1 { t[l] = x[i] }\n"
                 "out[i] = t[0] }") ==
        "schedule step 1: hoist_alloc(t, i) refused\n"
        "  iterations of the parallel loop i would share t\n"
        "  legal here: expand(t, i)");
  CHECK(hoisting("for i in 0..n { for o in 0..1 { alloc t: f32[1]\nfor l in 0..1 { t[l] = x[i] }\n"
                 "out[i] = t[0] } }") ==
        "schedule step 1: hoist_alloc(t, i) refused\n"
        "  t is not declared directly in the body of loop i\n"
        "  legal here: hoist_alloc(t, o)");
  CHECK(hoisting("for i in 0..n { alloc t: f32[2]\nfor l in 0..2 { t[l] = x[i] }\n"
                 "out[i] = t[0] }") ==
        "schedule step 1: hoist_alloc(t, i) refused\n"
        "  the nest of t uses i, which differs between iterations of loop i for the same element");
  CHECK(
      hoisting("alloc t: f32[1]\nfor l in 0..1 { t[l] = 0.0 }\nfor i in 0..n { out[i] = t[0] }") ==
      "schedule step 1: hoist_alloc(t, i) refused\n"
      "  t is not declared directly in the body of loop i");
}

TEST_CASE("Where a window does not slide") {
  const std::string head = "alloc t: f32[n + 1]\n";
  const std::string nest = "for l in 0..2 { t[i + l] = x[(i + l) % n] }\n";
  CHECK(sliding(head + "parallel for i in 0..n { for l in 0..1 { t[i + l] = x[i + l] }\n"
                       "out[i] = t[i] }") ==
        "schedule step 1: slide(t, i) refused\n"
        "  the iterations of the parallel loop i do not come one after the other");
  CHECK(sliding(head + "for i in 0..n { for l in 0..1 { t[i + l] = x[i + l] }\nout[i] = t[i] }") ==
        "schedule step 1: slide(t, i) refused\n"
        "  an iteration of loop i computes 1 of t, 1 further on: none of it was computed before");
  CHECK(sliding(head + "for i in 0..n { for l in 0..2 { t[l] = 1.0 }\nout[i] = t[0] }") ==
        "schedule step 1: slide(t, i) refused\n"
        "  every iteration of loop i computes the same part of t");
  CHECK(sliding(head + "for i in 0..n { out[i] = t[i]\n" + nest + "}") ==
        "schedule step 1: slide(t, i) refused\n"
        "  the body of loop i uses t before it computes it");
  CHECK(sliding(head + "for i in 0..n { for l in 0..2 { t[i + l] = x[i] }\nout[i] = t[i] }") ==
        "schedule step 1: slide(t, i) refused\n"
        "  the nest of t uses i, which differs between iterations of loop i for the same element");
  CHECK(sliding(head + "for i in 0..n { " + nest + "t[i] = 2.0\nout[i] = t[i] }") ==
        "schedule step 1: slide(t, i) refused\n"
        "  t is written by several statements in the body of loop i");
  CHECK(sliding("for i in 0..n { alloc t: f32[2]\nfor l in 0..2 { t[l] = x[0] }\n"
                "out[i] = t[0] }") ==
        "schedule step 1: slide(t, i) refused\n"
        "  t is declared inside of loop i: each iteration has its own\n"
        "  legal here: hoist_alloc(t, i), then slide");
  CHECK(sliding(head + "for l in 0..n { t[l] = 0.0 }\nfor i in 0..n { out[i] = t[i] }") ==
        "schedule step 1: slide(t, i) refused\n"
        "  no statement in the body of loop i computes t");
  CHECK(sliding(head + "for i in 0..n - 1 { for l in 0..2 { t[i + l] = out[i + l] }\n"
                       "out[i] = t[i] + t[i + 1] }") ==
        "schedule step 1: slide(t, i) refused\n"
        "  the nest of t reads out[1] (i = 0, l = 1), which is written after that (i = 1), with n "
        "= 4");
  CHECK(sliding(head + "for i in 0..n - 1 { for l in 0..2 { t[i + l] = out[i + l] }\n"
                       "out[i + 1] = t[i] + t[i + 1] }") ==
        "schedule step 1: slide(t, i) refused\n"
        "  the nest of t reads out[1] (i = 0, l = 1), which is written after that (i = 0), with n "
        "= 4");
}

}  // namespace
}  // namespace tenon::test
