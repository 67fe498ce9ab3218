#include <catch2/catch.hpp>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

TEST_CASE("An unrolled loop ends where its guard does") {
  CHECK(body_after(trim_loops, R"(
    program p
      input x: f32[127]
      output y: f32[127]
    {
      unroll for i in 0..12 { if 120 + i < 127 { y[120 + i] = x[120 + i] } }
    })") ==
        "unroll for i in 0..7 {\n"
        "  y[120 + i] = x[120 + i]\n"
        "}\n");
}

TEST_CASE("A loop loses iterations in which every inner guard fails, and keeps the guard") {
  CHECK(body_after(trim_loops, R"(
    program p
      output y: f32[29]
    {
      for jo in 0..8 {
        vector for j in 0..16 { if jo * 16 + j < 29 { y[jo * 16 + j] = 1.0 } }
      }
    })") ==
        "for jo in 0..2 {\n"
        "  vector for j in 0..16 {\n"
        "    if jo * 16 + j < 29 {\n"
        "      y[jo * 16 + j] = 1.0\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("A serial loop may get a bound that is computed") {
  CHECK(body_after(trim_loops, R"(
    program p
      size n
      output y: f32[n]
    {
      for io in 0..(n + 11) // 12 {
        for ii in 0..12 { if io * 12 + ii < n { y[io * 12 + ii] = 1.0 } }
      }
    })") ==
        "for io in 0..(n + 11) // 12 {\n"
        "  for ii in 0..min(12, n - io * 12) {\n"
        "    y[io * 12 + ii] = 1.0\n"
        "  }\n"
        "}\n");
}

TEST_CASE("An unrolled loop is not trimmed to a bound that is computed") {
  const char* text = R"(
    program p
      size n
      output y: f32[n]
    {
      for io in 0..(n + 3) // 4 {
        unroll for ii in 0..4 { if io * 4 + ii < n { y[io * 4 + ii] = 1.0 } }
      }
    })";
  const Program p = parsed(text);
  CHECK(body_of(run(trim_loops, p)) == body_of(p));
}

TEST_CASE("A vector loop is trimmed to a power of two only") {
  const auto trimmed = [](const std::string& n) {
    const std::string body = body_after(trim_loops, "program p\n  output y: f32[" + n +
                                                        "]\n{\n  vector for v in 0..16 " +
                                                        "{ if v < " + n + " { y[v] = 1.0 } }\n}\n");
    return body.substr(0, body.find(" {"));
  };
  CHECK(trimmed("8") == "vector for v in 0..8");
  CHECK(trimmed("7") == "vector for v in 0..16");
  CHECK(trimmed("1") == "vector for v in 0..1");
}

TEST_CASE("Statements with other guards keep the loop as long as the longest") {
  CHECK(body_after(trim_loops, R"(
    program p
      output y: f32[9]
      output z: f32[9]
    {
      for i in 0..12 {
        if i < 5 { y[i] = 1.0 }
        if i < 9 { z[i] = 2.0 }
      }
    })") ==
        "for i in 0..9 {\n"
        "  if i < 5 {\n"
        "    y[i] = 1.0\n"
        "  }\n"
        "  z[i] = 2.0\n"
        "}\n");
}

TEST_CASE("A loop starts where its guard does") {
  CHECK(body_after(trim_loops, R"(
    program p
      output y: f32[9]
    {
      for i in 0..9 { if 3 <= i { y[i] = 1.0 } }
    })") ==
        "for i in 3..9 {\n"
        "  y[i] = 1.0\n"
        "}\n");
}

TEST_CASE("A loop with a statement without a guard stays") {
  const Program p = parsed(R"(
    program p
      output y: f32[9]
      output z: f32[9]
    {
      for i in 0..9 {
        y[i] = 1.0
        if i < 4 { z[i] = 1.0 }
      }
    })");
  CHECK(body_of(run(trim_loops, p)) == body_of(p));
}

TEST_CASE("Guards on data do not trim") {
  const Program p = parsed(R"(
    program p
      input n: i64[1]
      output y: f32[9]
    {
      for i in 0..9 { if i < n[0] { y[i] = 1.0 } }
    })");
  CHECK(body_of(run(trim_loops, p)) == body_of(p));
}

TEST_CASE("A loop that never runs disappears") {
  CHECK(body_after(trim_loops, R"(
    program p
      output y: f32[9]
    {
      y[0] = 1.0
      for i in 0..9 { if i + 9 < 9 { y[i] = 1.0 } }
    })") == "y[0] = 1.0\n");
}

TEST_CASE("Trimming keeps the meaning") {
  for (const Sample& sample : corpus()) {
    for (int64_t n : {1, 3, 4, 5, 11, 16}) {
      INFO(sample.name << ", n = " << n);
      check_pass(trim_loops, instance(sample.text, n, 4));
      check_pass(trim_loops, symbolic_instance(sample.text, 4), {{"n", n}});
    }
  }
}

TEST_CASE("A guard on a name that is bound inside of the loop is read through") {
  CHECK(body_after(trim_loops, R"(
    program p
      output y: f32[100]
    { for i in 0..100 {
        let v = i * 2
        if v + i < 90 { y[i] = 1.0 }
      } })") ==
        "for i in 0..30 {\n"
        "  let v = i * 2\n"
        "  y[i] = 1.0\n"
        "}\n");
  const char* data = R"(
    program p
      input x: i64[100]
      output y: f32[100]
    { for i in 0..100 {
        let v = x[i]
        if v + i < 90 { y[i] = 1.0 }
      } })";
  CHECK(body_after(trim_loops, data) == body_of(parsed(data)));
}
