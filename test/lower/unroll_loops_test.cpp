#include <catch2/catch.hpp>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

TEST_CASE("An unrolled loop becomes one copy per iteration with constant indices") {
  CHECK(body_after(unroll_loops, R"(
    program p
      input x: f32[8]
      output y: f32[4]
    {
      unroll for i in 0..2 {
        unroll for j in 0..2 { y[i * 2 + j] = x[i * 4 + j * 2 + 1] }
      }
    })") ==
        "y[0] = x[1]\n"
        "y[1] = x[3]\n"
        "y[2] = x[5]\n"
        "y[3] = x[7]\n");
}

TEST_CASE("Each copy has loops and buffers of its own") {
  CHECK(body_after(unroll_loops, R"(
    program p
      input x: f32[2, 3]
      output y: f32[2, 3]
    {
      unroll for i in 0..2 {
        alloc t: f32[3]
        for j in 0..3 { t[j] = x[i, j] }
        for k in 0..3 { y[i, k] = t[k] }
      }
    })") ==
        "alloc t: f32[3]\n"
        "for j in 0..3 {\n"
        "  t[j] = x[0, j]\n"
        "}\n"
        "for k in 0..3 {\n"
        "  y[0, k] = t[k]\n"
        "}\n"
        "alloc t_1: f32[3]\n"
        "for j_1 in 0..3 {\n"
        "  t_1[j_1] = x[1, j_1]\n"
        "}\n"
        "for k_1 in 0..3 {\n"
        "  y[1, k_1] = t_1[k_1]\n"
        "}\n");
}

TEST_CASE("An unrolled loop starts where it says, also at an expression") {
  CHECK(body_after(unroll_loops, R"(
    program p
      output y: i64[9]
    {
      for o in 0..3 { unroll for i in o * 3..o * 3 + 3 { y[i] = i } }
    })") ==
        "for o in 0..3 {\n"
        "  y[o * 3] = o * 3\n"
        "  y[o * 3 + 1] = o * 3 + 1\n"
        "  y[o * 3 + 2] = o * 3 + 2\n"
        "}\n");
}

TEST_CASE("Without a constant number of iterations the loop becomes serial") {
  CHECK(body_after(unroll_loops, R"(
    program p
      size n
      output y: i64[n]
    {
      unroll for i in 0..n { y[i] = i }
    })") ==
        "for i in 0..n {\n"
        "  y[i] = i\n"
        "}\n");
}

TEST_CASE("Unrolling keeps the meaning") {
  for (const Sample& sample : corpus()) {
    INFO(sample.name);
    check_pass(unroll_loops, instance(sample.text, 13, 4));
  }
}
