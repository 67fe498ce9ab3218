#include <catch2/catch.hpp>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

TEST_CASE("A loop is cut where the guard stops to hold for all inner iterations") {
  CHECK(body_after(partition_loops, R"(
    program p
      input x: f32[127]
      output y: f32[127]
    {
      for io in 0..11 {
        unroll for ii in 0..12 { if io * 12 + ii < 127 { y[io * 12 + ii] = x[io * 12 + ii] } }
      }
    })") ==
        "for io in 0..10 {\n"
        "  unroll for ii in 0..12 {\n"
        "    y[io * 12 + ii] = x[io * 12 + ii]\n"
        "  }\n"
        "}\n"
        "unroll for ii_1 in 0..12 {\n"
        "  if ii_1 + 120 < 127 {\n"
        "    y[ii_1 + 120] = x[ii_1 + 120]\n"
        "  }\n"
        "}\n");
}

TEST_CASE("Two ragged loops give four parts, with buffers of their own") {
  const std::string body = body_of(run(partition_loops, matmul(25, 33, 7, 12, 32)));
  CHECK(body.find("alloc linear: f32[12, 32]") != std::string::npos);
  CHECK(body.find("alloc linear_3: f32[12, 32]") != std::string::npos);
  CHECK(body.find("alloc linear_4: f32[12, 32]") == std::string::npos);
}

TEST_CASE("A size that is not known gives cuts that are computed") {
  CHECK(body_after(partition_loops, R"(
    program p
      size n
      output y: f32[n]
    {
      for io in 0..(n + 15) // 16 {
        vector for ii in 0..16 { if io * 16 + ii < n { y[io * 16 + ii] = 1.0 } }
      }
    })") ==
        "for io in 0..n // 16 {\n"
        "  vector for ii in 0..16 {\n"
        "    y[io * 16 + ii] = 1.0\n"
        "  }\n"
        "}\n"
        "for io_1 in n // 16..(n + 15) // 16 {\n"
        "  vector for ii_1 in 0..16 {\n"
        "    if io_1 * 16 + ii_1 < n {\n"
        "      y[io_1 * 16 + ii_1] = 1.0\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("Padding is cut off at both ends") {
  CHECK(body_after(partition_loops, R"(
    program p
      input x: f32[100]
      output y: f32[100]
    {
      for io in 0..10 {
        unroll for ii in 0..10 {
          y[io * 10 + ii] = select((0 <= io * 10 + ii - 1) & (io * 10 + ii - 1 < 98), x[io * 10 + ii - 1], 0.0)
        }
      }
    })") ==
        "unroll for ii in 0..10 {\n"
        "  y[ii] = select(0 <= ii - 1 & ii - 1 < 98, x[ii - 1], 0.0)\n"
        "}\n"
        "for io in 1..9 {\n"
        "  unroll for ii_1 in 0..10 {\n"
        "    y[io * 10 + ii_1] = x[io * 10 + ii_1 - 1]\n"
        "  }\n"
        "}\n"
        "unroll for ii_2 in 0..10 {\n"
        "  y[ii_2 + 90] = select(0 <= ii_2 + 89 & ii_2 + 89 < 98, x[ii_2 + 89], 0.0)\n"
        "}\n");
}

TEST_CASE("A guard of a cheap stage does not multiply the expensive one") {
  const Program p = parsed(R"(
    program p
      input x: f32[30, 8]
      output y: f32[30, 8]
    {
      for i in 0..32 {
        alloc t: f32[8]
        vector for a in 0..8 { if i + a < 33 { t[a] = 1.0 } }
        for k in 0..30 {
          vector for b in 0..8 { t[b] += x[k, b] }
        }
        vector for c in 0..8 { if i < 30 { y[i, c] = t[c] } }
      }
    })");
  CHECK(body_of(run(partition_loops, p)) == body_of(p));
}

TEST_CASE("A guard that is the same for a whole inner loop is no reason to cut") {
  const Program p = parsed(R"(
    program p
      output y: f32[30, 8]
    {
      for io in 0..8 {
        for ii in 0..4 {
          vector for c in 0..8 { if io * 4 + ii < 30 { y[io * 4 + ii, c] = 1.0 } }
        }
      }
    })");
  CHECK(body_of(run(partition_loops, p)) == body_of(p));
}

TEST_CASE("A parallel loop stays one loop, and its iterations find their part") {
  CHECK(body_after(partition_loops, R"(
    program p
      output y: f32[29]
    {
      parallel for io in 0..2 {
        vector for ii in 0..16 { if io * 16 + ii < 29 { y[io * 16 + ii] = 1.0 } }
      }
    })") ==
        "parallel for io in 0..2 {\n"
        "  if io < 1 {\n"
        "    vector for ii in 0..16 {\n"
        "      y[io * 16 + ii] = 1.0\n"
        "    }\n"
        "  }\n"
        "  if 1 <= io {\n"
        "    vector for ii_1 in 0..16 {\n"
        "      if ii_1 + 16 < 29 {\n"
        "        y[ii_1 + 16] = 1.0\n"
        "      }\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("A guard that never holds for all lanes cuts nothing") {
  const Program p = parsed(R"(
    program p
      output y: f32[5]
    {
      for io in 0..3 {
        vector for ii in 0..16 { if io * 16 + ii < 5 { y[io * 16 + ii] = 1.0 } }
      }
    })");
  CHECK(body_of(run(partition_loops, p)) == body_of(p));
}

TEST_CASE("Panels in groups are cut at constants") {
  // 11 panels of 16 columns, the last one ragged, in groups of four.
  const std::string body = body_after(partition_loops, R"(
    program p
      output y: f32[170]
    {
      for jg in 0..3 {
        for jo in 0..4 {
          vector for j in 0..16 {
            if jg * 64 + jo * 16 + j < 170 { y[jg * 64 + jo * 16 + j] = 1.0 }
          }
        }
      }
    })");
  CHECK(body ==
        "for jg in 0..2 {\n"
        "  for jo in 0..4 {\n"
        "    vector for j in 0..16 {\n"
        "      y[jg * 64 + jo * 16 + j] = 1.0\n"
        "    }\n"
        "  }\n"
        "}\n"
        "for jo_1 in 0..2 {\n"
        "  vector for j_1 in 0..16 {\n"
        "    y[jo_1 * 16 + j_1 + 128] = 1.0\n"
        "  }\n"
        "}\n"
        "for jo_2 in 2..4 {\n"
        "  vector for j_2 in 0..16 {\n"
        "    if jo_2 * 16 + j_2 + 128 < 170 {\n"
        "      y[jo_2 * 16 + j_2 + 128] = 1.0\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("A loop is cut at what its inner loops' bounds say, without the names bound inside") {
  const Program p = parsed(R"(
    program p
      input x: f32[40]
      output y: f32[19]
      instruction same
        assembly "# the same" "=x,0" (a)
        program same
          input a: f32[16]
          output b: f32[16]
        {
          for i in 0..16 { b[i] = a[i] }
        }
    {
      for i in 0..19 {
        let v = i + 2
        instruction same for k in 0..16 {
          for j in 0..v // 16 * 16 + 1 { if k + j <= v { y[i] = x[k + j] } }
        }
      }
    })");
  check_pass(partition_loops, p);
}

TEST_CASE("Partitioning keeps the meaning") {
  for (const Sample& sample : corpus()) {
    for (int64_t n : {1, 3, 4, 5, 11, 16, 49}) {
      INFO(sample.name << ", n = " << n);
      check_pass(partition_loops, instance(sample.text, n, 4));
      check_pass(partition_loops, symbolic_instance(sample.text, 4), {{"n", n}});
    }
  }
  for (const auto& [m, n] : {std::pair{13, 29}, {24, 64}, {25, 33}, {1, 1}}) {
    check_pass(partition_loops, matmul(m, n, 5, 12, 32));
    check_pass(partition_loops, matmul_of_any_m(n, 5, 12, 32), {{"m", m}});
  }
}
