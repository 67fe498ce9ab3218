#include <catch2/catch.hpp>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

TEST_CASE("Row-major indices become one sum, outer loops first and the constant last") {
  CHECK(body_after(flatten_buffers, R"(
    program p
      input x: f32[4, 5, 6]
      output y: f32[6, 4]
    {
      for k in 0..3 { for j in 0..3 { for i in 0..2 { y[j + 3, i + 2] = x[i + 2, 1 + j, 2 + k] } } }
    })") ==
        "for k in 0..3 {\n"
        "  for j in 0..3 {\n"
        "    for i in 0..2 {\n"
        "      y[j * 4 + i + 14] = x[k + j * 6 + i * 30 + 68]\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("Shapes become one extent, for parameters and locals") {
  const Program p = run(flatten_buffers, parsed(R"(
    program p
      size n
      input x: f32[n, 3]
      weight w: f32[2, n] packs [n, 2] by (a, b) -> (b, a)
      input s: f32[]
      output y: f32[1]
    {
      alloc t: f32[2, 3, n]
      y[0] = x[1, 2] + w[1, 0] + s[] + t[1, 1, 1]
    })"));
  CHECK(print(p) ==
        "program p\n"
        "  size n\n"
        "  input x: f32[n * 3]\n"
        "  weight w: f32[n * 2]\n"
        "  input s: f32[1]\n"
        "  output y: f32[1]\n"
        "{\n"
        "  alloc t: f32[n * 6]\n"
        "  y[0] = x[5] + w[n] + s[0] + t[n * 4 + 1]\n"
        "}\n");
}

TEST_CASE("Strides that are not known multiply the indices") {
  const Program p = parsed(R"(
    program p
      input x: f32[4, 5]
      output y: f32[4, 5]
    {
      for i in 0..4 { for j in 0..5 { y[i, j] = x[i, j] } }
    })");
  const StrideClass classes[] = {StrideClass::kGeneral, StrideClass::kInnerUnit};
  CHECK(print(run(flatten_buffers, bind_strides(p, classes))) ==
        "program p\n"
        "  size x_s0, x_s1, y_s0\n"
        "  input x: f32[x_s1 * 4 + x_s0 * 3 + 1]\n"
        "  output y: f32[y_s0 * 3 + 5]\n"
        "{\n"
        "  for i in 0..4 {\n"
        "    for j in 0..5 {\n"
        "      y[i * y_s0 + j] = x[i * x_s0 + j * x_s1]\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("Lanes along an outer dimension become a strided ramp, other lanes a gather") {
  CHECK(body_after(flatten_buffers, R"(
    program p
      input x: f32[16, 5]
      input i: i64[16]
      output y: f32[16]
    {
      for k in 0..2 {
        y[ramp(0, 1, 16)] = x[ramp(0, 1, 16), k + 3] + x[i[ramp(0, 1, 16)], k]
      }
    })") ==
        "for k in 0..2 {\n"
        "  y[ramp(0, 1, 16)] = x[ramp(k + 3, 5, 16)] + x[i[ramp(0, 1, 16)] * broadcast(5, 16) + "
        "broadcast(k, 16)]\n"
        "}\n");
}

TEST_CASE("A matrix with a gap behind each row is read without the gap") {
  const Program p = parsed(R"(
    program p
      input a: f32[2, 3]
      output c: f32[2]
    {
      for i in 0..2 {
        c[i] = -0.0
        for j in 0..3 { c[i] += a[i, j] }
      }
    })");
  const StrideClass classes[] = {StrideClass::kInnerUnit, StrideClass::kDense};
  const Program lowered = *lower(bind_strides(p, classes), wide_target());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Array a = Array::of<float>({7}, {1, 2, 3, nan, 4, 5, 6});
  Array c(f32, {2});
  REQUIRE(interpret(lowered, Sizes({{lowered->sizes[0], 4}}), {&a, &c}).ok());
  CHECK(c.values<float>() == std::vector<float>{6, 15});
}

TEST_CASE("Flattening keeps the meaning") {
  for (const Sample& sample : corpus()) {
    for (int64_t n : {1, 5, 13}) {
      INFO(sample.name << ", n = " << n);
      check_pass(flatten_buffers, instance(sample.text, n, 4));
      check_pass(flatten_buffers, symbolic_instance(sample.text, 4), {{"n", n}});
    }
  }
}
