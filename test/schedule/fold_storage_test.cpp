#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

// Sums of three neighbours, whose terms are made one step before they are read last.
Program rolling(const std::string& inside =
                    "t[i + 2] = x[i] * 2.0\n out[i] = t[i] + t[i + 1] + "
                    "t[i + 2]") {
  return program_of(
      "alloc t: f32[n + 2]\n for a in 0..2 { t[a] = x[a] }\n for i in 0..n {\n" + inside + " }", 0,
      2);
}

TEST_CASE("A window over a stage is a circular buffer") {
  const Program p = rolling();
  for (const int64_t factor : {3, 4, 9}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", 7}}));
    s->fold_storage("t", 0, factor);
    s.check();
    if (factor > 3) continue;
    CHECK(body_of(s->program()) == R"(  alloc t: f32[3]
  for a in 0..2 {
    t[a] = x[a]
  }
  for i in 0..n {
    t[(i + 2) % 3] = x[i] * 2.0
    out[i] = t[i % 3] + t[(i + 1) % 3] + t[(i + 2) % 3]
  }
)");
    CHECK(s->trace().steps().back().text == "fold_storage(t, 0, 3)");
  }
}

TEST_CASE("A window that moves down is one, too") {
  const Program p = program_of(
      "alloc t: f32[n + 1]\n t[n] = 1.0\n for i in 0..n { t[n - 1 - i] = t[n - i] * x[i]\n"
      "out[i] = t[n - 1 - i] }");
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 7}}));
  s->fold_storage("t", 0, 2);
  s.check();
}

TEST_CASE("One dimension of several is folded") {
  const Program p = program_of(
      "alloc t: f32[m + 1, n]\n for j in 0..n { t[0, j] = x[j] }\n for i in 0..m {\n"
      "for j in 0..n { t[i + 1, j] = t[i, n - 1 - j] + 1.0 }\n"
      "for k in 0..n { grid[i, k] = t[i + 1, k] } }");
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 4}}));
  s->fold_storage("t", 0, 2);
  s.check();
}

std::string refused(const Program& p, int64_t factor, int dim = 0) {
  Schedule s(p);
  s.fold_storage("t", dim, factor);
  REQUIRE_FALSE(s.status().ok());
  return diagnostic_of(s.status())->reason;
}

TEST_CASE("An element that is still used keeps its place") {
  CHECK(refused(rolling(), 2) ==
        "t[2] is stored (i = 0) in the place of t[0], which is still used after that (i = 0), with "
        "n = 2");
  CHECK(refused(rolling("t[i + 2] = x[i]\n out[i] = t[0]"), 4) ==
        "t[4] is stored (i = 2) in the place of t[0], which is still used after that (i = 3), with "
        "n = 4");
  CHECK(
      refused(rolling("t[i + 2] = 0.0\n for r in 0..2 { t[i] += x[r] }\n out[i] = t[i]"), 2) ==
      "t[2] is stored (i = 0) in the place of t[0], which is still used after that (i = 0, r = 0), "
      "with n = 2");
}

TEST_CASE("Iterations in parallel have no window") {
  CHECK(refused(program_of("alloc t: f32[n]\n parallel for i in 0..n { t[i] = x[i]\n"
                           "out[i] = t[i] }"),
                2) ==
        "t[2] is stored (i = 2) in the place of t[0], which is still used after that (i = 0), with "
        "n = 3");
}

TEST_CASE("Lanes keep places of their own, even where one alone stores") {
  const Program p = program_of(
      "alloc t: f32[8]\n for i in 0..n { vector for v in 0..8 { if v < 1 { t[v] = x[i] } }\n"
      "out[i] = t[0] }");
  CHECK(refused(p, 1) == "all lanes of loop v would store to t[0]");
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 7}}));
  s->fold_storage("t", 0, 2);
  s.check();
}

TEST_CASE("The same holds for layouts and for the memory of an output") {
  const Program p = program_of(
      "for i in 0..n { alloc t: f32[1, 1]\n vector for v in 0..2 { if v < 1 { t[0, v] = x[i] } }\n"
      "out[i] = t[0, 0] }");
  Schedule layout(p), in_output(p);
  layout.set_layout("t", [](const Index& d) { return Index{d[0]}; });
  CHECK(diagnostic_of(layout.status())->reason == "all lanes of loop v would store to t[0]");
  const Loop i = in_output.loops<1>("out")[0];
  in_output.store_in("t", "out", [&](const Index& d) { return Index{i.var() + d[0]}; });
  CHECK(diagnostic_of(in_output.status())->reason == "all lanes of loop v would store to out[i]");
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 7}}));
  s->set_layout("t", [](const Index& d) { return Index{d[1], d[0]}; });
  s.check();
}

TEST_CASE("What has no place of its own, or no such dimension, is not folded") {
  CHECK(refused(rolling(), 0) ==
        "a folded dimension has at least 1 element and at most "
        "2147483648, and 0 were asked for");
  CHECK(refused(rolling(), 3, 1) == "t has 1 dimension, and dimension 1 was asked for");
  Schedule s(rolling());
  s.fold_storage("out", 0, 3);
  CHECK(diagnostic_of(s.status())->reason == "out is a parameter: its shape belongs to the caller");
}

}  // namespace
}  // namespace tenon::test
