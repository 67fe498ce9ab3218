#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/analysis/bounds.h"

namespace tenon {
namespace {

std::string refusal(std::string_view text) {
  const absl::StatusOr<Program> result = with_checked_bounds(test::parsed(text));
  REQUIRE_FALSE(result.ok());
  return std::string(result.status().message());
}

void unchanged(std::string_view text) {
  const Program program = test::parsed(text);
  const absl::StatusOr<Program> result = with_checked_bounds(program);
  INFO(result.status());
  REQUIRE(result.ok());
  CHECK(print(*result) == print(program));
}

TEST_CASE("accesses that are proved stay as they are") {
  unchanged(R"(program p
  size n
  input x: f32[n]
  output y: f32[n]
{ for i in 0..n { y[i] = x[n - 1 - i] } })");
  unchanged(R"(program p
  size n
  input x: f32[n]
  output y: f32[n]
{ for i in 0..n { y[i] = select(0 < i, x[i - 1], 0.0) } })");
  unchanged(R"(program p
  size n
  input x: f32[n]
  input ids: i32[n]
  output y: f32[n]
{ for i in 0..n { y[i] = x[check(cast<i64>(ids[i]), n)] } })");
  unchanged(R"(program p
  size h
  input x: f32[h]
  output y: f32[(h + 2 - 3) // 2 + 1]
{ for i in 0..(h + 2 - 3) // 2 + 1 { y[i] = select(0 <= i * 2 - 1 & i * 2 - 1 < h, x[i * 2 - 1], 0.0) } })");
  unchanged(R"(program p
  input x: f32[100]
  output y: f32[100]
{ for io in 0..13 { for ii in 0..8 { if io * 8 + ii < 100 { y[io * 8 + ii] = x[io * 8 + ii] } } } })");
}

TEST_CASE("what is wrong in a loop that never runs is not wrong") {
  const auto with_bounds = [](const std::string& bounds) {
    return "program p\n  size n\n  input x: f32[n]\n  output y: f32[0]\n{ for i in " + bounds +
           " { y[i % 6 % 5] = x[i] } }";
  };
  unchanged(with_bounds("0..0"));
  unchanged(with_bounds("n..n - 1"));
  CHECK(refusal(with_bounds("0..min(n, 1)")) ==
        "y[i % 6 % 5] = x[i] leaves y: index i % 6 % 5 (dimension 0) is not always in [0, 0)");
  CHECK(refusal("program p\n  size n\n  input at: i64[n]\n  output y: f32[n]\n"
                "{ y[n] = 0.0\n for i in 0..0 { y[i] = 0.0 } }") ==
        "y[n] = 0.0 leaves y: index n (dimension 0) is not always in [0, n)");
}

TEST_CASE("a read that leaves its buffer is refused") {
  CHECK(refusal(R"(program p
  size n
  input x: f32[n]
  output y: f32[n]
{ for i in 0..n { y[i] = x[i + 1] } })") ==
        "x[i + 1] leaves x: index i + 1 (dimension 0) is not always in [0, n)\n"
        "  legal here: select(inside, x[i + 1], padding)");
  CHECK(refusal(R"(program p
  size n
  input x: f32[n]
  output y: f32[n]
{ for i in 0..n { y[i] = select(i < 3, 0.0, x[i - 4]) } })") ==
        "x[i - 4] leaves x: index i - 4 (dimension 0) is not always in [0, n)\n"
        "  legal here: select(inside, x[i - 4], padding)");
}

TEST_CASE("a write that leaves its buffer is refused") {
  CHECK(refusal(R"(program p
  output y: f32[4]
{ for i in 0..5 { y[i] = 1.0 } })") ==
        "y[i] = 1.0 leaves y: index i (dimension 0) is not always in [0, 4)");
}

TEST_CASE("a read about which nothing is known is checked when the kernel runs") {
  const absl::StatusOr<Program> result = with_checked_bounds(test::parsed(R"(program p
  size m, n
  input x: f32[m, n]
  input s: i64[1]
  output y: f32[n]
{ for i in 0..n { y[i] = x[s[0], i] } })"));
  REQUIRE(result.ok());
  CHECK(print(*result).find("y[i] = x[check(s[0], m), i]") != std::string::npos);
  test::checked(*result);
}

TEST_CASE("a check against another bound is not taken for the buffer's own") {
  const absl::StatusOr<Program> result = with_checked_bounds(test::parsed(R"(program p
  input ids: i64[4]
  input x: f32[10]
  output y: f32[4]
{ for i in 0..4 { y[i] = x[check(ids[i], 1000)] } })"));
  REQUIRE(result.ok());
  CHECK_THAT(print(*result), Catch::Contains("x[check(check(ids[i], 1000), 10)]"));
  unchanged(R"(program p
  input ids: i64[4]
  input x: f32[10]
  output y: f32[4]
{ for i in 0..4 { y[i] = x[check(ids[i], 5)] } })");
}

TEST_CASE("explicit vectors are refused: nothing is proved about their lanes") {
  CHECK(
      refusal(R"(program p
  input x: f32[8]
  output y: f32[8]
{ y[ramp(0, 1, 8)] = broadcast(1.0, 8) })") ==
      "y[ramp(0, 1, 8)] = broadcast(1.0, 8) is an access by explicit vectors, which only lowering "
      "makes\n  legal here: vector for");
  CHECK(refusal(R"(program p
  input x: f32[8]
  output s: f32[]
{
  s[] = 0.0
  s[] += x[ramp(1000, 1, 8)]
})") == "x[ramp(1000, 1, 8)] is an access by explicit vectors, which only lowering makes\n"
        "  legal here: vector for");
}

TEST_CASE("a loop bound from memory keeps what bounds it, also where that memory is written") {
  unchanged(R"(program p
  size m
  input x: f32[16]
  input z: f32[m]
  inout s: i64[2]
  output y: f32[1]
{
  s[0] = 3
  y[0] = 0.0
  for r in 0..s[1] % 17 { y[0] += x[r] }
  for q in 0..check(s[1], m + 1) { y[0] += z[q] }
  for u in 0..check(s[1] % (m + 1), m + 1) { y[0] += z[u] }
  for v in 0..min(s[1], m) { y[0] += z[v] }
})");
}

}  // namespace
}  // namespace tenon
