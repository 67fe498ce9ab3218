#include <string>
#include <vector>

#include "analysis/legality_text.h"

namespace tenon {
namespace {

using test::around_t;
using test::loop_named;
using test::program_of;
using test::text_of;

std::string compute_at(const std::string& text, std::string_view stage, std::string_view loop) {
  const Program p = program_of(text);
  return text_of(may_compute_at(p, find_buffer(p, stage), loop_named(p, loop)));
}

const char kBlur[] = R"(
  size n input x: f32[n + 2] output y: f32[n] {
    alloc t: f32[n + 2]
    for i in 0..n + 2 { t[i] = x[i] * 2.0 }
    for io in 0..n // 8 {
      for ii in 0..8 { y[io * 8 + ii] = t[io * 8 + ii] + t[io * 8 + ii + 2] }
    }
  })";

TEST_CASE("A stage is computed where it is read") {
  const Program p = program_of(kBlur);
  const auto plan = may_compute_at(p, find_buffer(p, "t"), loop_named(p, "io"));
  REQUIRE(text_of(plan) == "yes");
  CHECK(plan->at.loop.var.name() == "io");
  REQUIRE(plan->loops.size() == 1);
  CHECK(plan->loops[0].var.name() == "i");
  CHECK(plan->nest.as<For>()->var.name() == "i");
  CHECK(print(plan->region.lo[0]) == "io * 8");
  CHECK(print(plan->region.extent[0]) == "10");
}

TEST_CASE("A reduction is computed where it is read") {
  const Program p = program_of(R"(
    size m, n, k input x: f32[m, k] input w: f32[k, n] output y: f32[m, n] {
      alloc c: f32[m, n]
      for i in 0..m {
        for j in 0..n {
          c[i, j] = 0.0
          for r in 0..k { c[i, j] += x[i, r] * w[r, j] }
        }
      }
      for i2 in 0..m {
        for j2 in 0..n { y[i2, j2] = max(c[i2, j2], 0.0) }
      }
    })");
  const auto plan = may_compute_at(p, find_buffer(p, "c"), loop_named(p, "i2"));
  REQUIRE(text_of(plan) == "yes");
  CHECK(print(plan->region.lo[0]) == "i2");
  CHECK(print(plan->region.extent[0]) == "1");
  CHECK(print(plan->region.extent[1]) == "n");
}

TEST_CASE("What stands in the way of computing a stage elsewhere") {
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }"), "t", "i") == "yes");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }"), "x", "i") ==
        "x is a parameter of the program, not a local buffer");
  CHECK(compute_at(around_t("for jo in 0..n { for ji in 0..1 { t[jo + ji] = 0.0 } }"), "t", "i") ==
        "the nest of t accesses t[jo + ji], where index 0 is not a loop over the whole dimension: "
        "compute t at a loop before its own loops are split or fused");
  CHECK(compute_at(around_t("for j in 1..n { t[j] = 0.0 }"), "t", "i") == "yes");
  CHECK(compute_at(around_t("for j in 0..cast<i64>(x[0]) { t[j] = 0.0 }"), "t", "i") ==
        "the nest of t accesses t[j], where index 0 is not a loop over the whole dimension: "
        "compute t at a loop before its own loops are split or fused");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = 0.0 }\nfor k in 0..n { t[k] += x[k] }"), "t",
                   "i") ==
        "t is written by several nests: compute it at a loop before its own nest is taken apart");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j]\n z[j] = 1.0 }"), "t", "i") ==
        "the nest of t also writes z");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "for k in 0..n { x[k] = 0.0 }"), "t",
                   "i") == "the nest of t reads x, which is written again before the new place");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "", "x[i] = t[i]"), "t", "i") ==
        "the nest of t reads x, which is written again before the new place");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "z[0] = t[0]"), "t", "i") ==
        "t is also used outside of loop i");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "", "t[i] += y[i]"), "t", "i") ==
        "t is also written inside loop i");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "", "y[i] = 0.0"), "t", "i") ==
        "nothing inside loop i reads t");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }", "for h in 0..n { z[h] = 0.0 }"), "t",
                   "h") == "nothing inside loop h reads t");
  CHECK(compute_at(around_t("for j in 0..n { t[j] = x[j] }"), "t", "j") ==
        "no nest before loop j computes t");
  CHECK(compute_at("size n output y: f32[n] { alloc t: f32[n]\n for i in 0..n { y[i] = t[i] }\n"
                   "for j in 0..n { t[j] = 0.0 } }",
                   "t", "i") == "t is computed after the loop that it should move to");
  CHECK(
      compute_at(around_t("for j in 0..n { t[j] = x[j] }", "", "for j2 in 0..i { y[j2] = t[j2] }"),
                 "t", "i") == "yes");
  CHECK(compute_at("output y: f32[8] { alloc t: f32[8]\n for j in 0..8 { t[j] = 0.0 }\n"
                   "vector for i in 0..8 { y[i] = t[i] } }",
                   "t", "i") ==
        "loop i is vector code, which cannot hold an allocation: compute t at a loop around it");
  CHECK(compute_at("output y: f32[8] { alloc t: f32[8]\n parallel for j in 0..8 { t[j] = 0.0 }\n"
                   "parallel for i in 0..8 { y[i] = t[i] } }",
                   "t", "i") ==
        "loop j of the nest of t is parallel, and the new place stands inside a parallel loop");
}

TEST_CASE("A stage that outlives an iteration of a loop around its nest stays") {
  CHECK(compute_at(R"(
    size n input x: f32[n, n] output y: f32[n, n] {
      alloc t: f32[n]
      for b in 0..n {
        for j in 0..n { t[j] += x[b, j] }
        for i in 0..n { y[b, i] = t[i] }
      }
    })",
                   "t", "i") ==
        "t is declared outside of loop b, and its nest stands inside: it may keep values from one "
        "iteration to the next");
}

TEST_CASE("Data does not say which part of a stage is computed") {
  CHECK(compute_at(R"(
    size n input idx: i64[n] output y: f32[n] {
      alloc t: f32[n]
      for j in 0..n { t[j] = 1.0 }
      for i in 0..n { if i < 5 { y[i] = t[idx[i]] } }
    })",
                   "t", "i") == "which part of t is read depends on data: idx");
}

TEST_CASE("A check that need not hold where nothing is read does not bound a region") {
  CHECK(compute_at(R"(
    output y: f32[3] {
      alloc t: f32[3]
      for j in 0..3 { t[j] = 1.0 }
      for i in 0..3 { y[i] = select(1 <= i, t[check(i - 1, 3)], 0.0) }
    })",
                   "t", "i") == "which part of t is read is checked at run time: check(i - 1, 3)");
}

TEST_CASE("A vector over the whole dimension is not cut to a region") {
  CHECK(
      compute_at(R"(
    output y: f32[8] {
      alloc t: f32[8]
      vector for j in 0..8 { t[j] = 1.0 }
      for i in 0..8 { y[i] = t[i] }
    })",
                 "t", "i") ==
      "loop j of the nest of t is a vector over the whole dimension: compute t at a loop before it "
      "is vectorized");
}

TEST_CASE("A scan is not computed in parts") {
  CHECK(compute_at(around_t("for j in 0..n { t[j] = select(j < 1, 0.0, t[j - 1]) }"), "t", "i") ==
        "the nest of t accesses t[j - 1], where index 0 is not a loop over the whole dimension: "
        "compute t at a loop before its own loops are split or fused");
  CHECK(compute_at(around_t("alloc s: f32[1]\nfor j in 0..n { s[0] = x[j]\n t[j] = s[0] }"), "t",
                   "i") == "the nest of t also writes s");
}

TEST_CASE("The producer's own buffers do not carry values between elements") {
  const char* row = R"(
    size n input x: f32[n, n] output y: f32[n, n] {
      alloc t: f32[n, n]
      for i in 0..n {
        alloc s: f32[n]
        for r in 0..n { s[r] = x[i, r] }
        for j in 0..n { t[i, j] = s[j] }
      }
      for i2 in 0..n {
        for j2 in 0..n { y[i2, j2] = t[i2, j2] }
      }
    })";
  CHECK(compute_at(row, "t", "j2") == "yes");
  const char* scan = R"(
    size n input x: f32[n, n] output y: f32[n, n] {
      alloc t: f32[n, n]
      for i in 0..n {
        alloc s: f32[1]
        s[0] = 0.0
        for j in 0..n {
          s[0] += x[i, j]
          t[i, j] = s[0]
        }
      }
      for i2 in 0..n {
        for j2 in 0..n { y[i2, j2] = t[i2, j2] }
      }
    })";
  CHECK(compute_at(scan, "t", "j2") ==
        "the nest of t passes values between iterations of loop j through s");
}

}  // namespace
}  // namespace tenon
