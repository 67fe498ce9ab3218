#include <catch2/catch.hpp>

#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

namespace {

std::string inserted(const std::string& body) {
  return body_of(run(insert_prefetches,
                     parsed("program p\n  size n, m\n  input x: f32[n]\n  input w: f32[n, 40]\n"
                            "  input wide: f64[n, m]\n  input at: i64[n]\n  output y: f32[n]\n{\n" +
                            body + "\n}\n")));
}

}  // namespace

TEST_CASE("One request for each line of what a later iteration uses, and one for its end") {
  CHECK(
      inserted("for k in 0..n prefetching w 4 ahead {\n for j in 0..40 { y[k] += w[k, j] }\n }") ==
      "for k in 0..n {\n"
      "  prefetch w[k + 4, 0]\n"
      "  prefetch w[k + 4, 16]\n"
      "  prefetch w[k + 4, 32]\n"
      "  prefetch w[k + 4, 39]\n"
      "  for j in 0..40 {\n"
      "    y[k] += w[k, j]\n"
      "  }\n"
      "}\n");
  CHECK(inserted("for k in 0..n prefetching x 64 ahead, y 1 ahead {\n y[k] = x[k]\n }") ==
        "for k in 0..n {\n"
        "  prefetch x[k + 64]\n"
        "  prefetch y[k + 1]\n"
        "  y[k] = x[k]\n"
        "}\n");
}

TEST_CASE("Vectors, and several accesses, are one box") {
  CHECK(inserted("for k in 0..n - 31 prefetching x 16 ahead {\n"
                 "y[ramp(k, 1, 16)] = x[ramp(k, 1, 16)] + x[ramp(k + 16, 1, 16)]\n }") ==
        "for k in 0..n - 31 {\n"
        "  prefetch x[k + 16]\n"
        "  prefetch x[k + 32]\n"
        "  prefetch x[k + 47]\n"
        "  y[ramp(k, 1, 16)] = x[ramp(k, 1, 16)] + x[ramp(k + 16, 1, 16)]\n"
        "}\n");
}

TEST_CASE("Many lines are a loop") {
  CHECK(inserted("for k in 0..n prefetching wide 1 ahead {\n"
                 " for j in 0..m { y[k] += cast<f32>(wide[k, j]) }\n }") ==
        "for k in 0..n {\n"
        "  for line in 0..(m + 6) // 8 + 1 {\n"
        "    prefetch wide[k + 1, min(m - 1, line * 8)]\n"
        "  }\n"
        "  for j in 0..m {\n"
        "    y[k] += cast<f32>(wide[k, j])\n"
        "  }\n"
        "}\n");
}

TEST_CASE("What does not compare is asked for access by access") {
  CHECK(inserted("for k in 0..n prefetching x 2 ahead {\n y[k] = x[k] + x[m]\n }") ==
        "for k in 0..n {\n"
        "  prefetch x[k + 2]\n"
        "  prefetch x[m]\n"
        "  y[k] = x[k] + x[m]\n"
        "}\n");
}

TEST_CASE("A request reads no memory and needs an access") {
  const std::string data = "for k in 0..n {\n  y[k] = x[at[k]]\n}\n";
  CHECK(inserted("for k in 0..n prefetching x 2 ahead {\n y[k] = x[at[k]]\n }") == data);
  const std::string unused = "for k in 0..n {\n  y[k] = 0.0\n}\n";
  CHECK(inserted("for k in 0..n prefetching x 2 ahead {\n y[k] = 0.0\n }") == unused);
}

TEST_CASE("Elements apart from each other are asked for one by one") {
  const Program p = parsed(
      "program p\n  size n, s\n  input x: f32[n, 3] strides [3 * s, s]\n  output y: f32[n]\n"
      "{\n  for k in 0..n prefetching x 1 ahead {\n    for j in 0..3 {\n"
      "      y[k] += x[k, j]\n    }\n  }\n}\n");
  CHECK(body_of(run(insert_prefetches, p)) ==
        "for k in 0..n {\n"
        "  prefetch x[k + 1, 0]\n"
        "  prefetch x[k + 1, 1]\n"
        "  prefetch x[k + 1, 2]\n"
        "  for j in 0..3 {\n"
        "    y[k] += x[k, j]\n"
        "  }\n"
        "}\n");
}
