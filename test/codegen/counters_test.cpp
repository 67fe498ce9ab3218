// Loops that count in multiples of their variable: the same values, and no product in the loop.
#include <catch2/catch.hpp>

#include "support/check.h"
#include "support/native.h"

using namespace tenon;

namespace {

// for i in lo..hi: out[i - lo] = of, which reads i, the sizes m and n, and x.
Program counting(const std::string& lo, const std::string& hi, const std::string& of) {
  return test::parsed(
      "program counting\n  size m, n\n  input x: i64[64]\n  output out: i64[64]\n{\n  for i in " +
      lo + ".." + hi + " {\n    out[i - " + lo + "] = " + of + "\n  }\n}\n");
}

std::string difference(const Program& program, int64_t m, int64_t n) {
  Array x(i64, {64}), out(i64, {64});
  for (int64_t i = 0; i < 64; ++i) x.set_bits(i, static_cast<uint64_t>(i * i + 1));
  return test::native_difference(program, {{program->sizes[0], m}, {program->sizes[1], n}},
                                 {&x, &out});
}

// The loop of the function in LLVM's form, from the label "i" to the branch back.
std::string loop_of(const Program& program) {
  const auto code =
      test::engine_for(*Target::parse("x86-64-v3")).compile(program, {.keep_text = true});
  REQUIRE(code.ok());
  const std::string& text = (*code)->llvm_ir();
  const size_t label = text.find("\ni:");
  REQUIRE(label != std::string::npos);
  return text.substr(label, text.find("\tbr ", label) - label);
}

}  // namespace

TEST_CASE("multiples of a loop's variable, by constants, sizes and sums of them") {
  for (const char* of : {
           "i * 3",
           "i * 3 + i * 5 + 2",
           "i * m",
           "i * m + i * 2 + n",
           "i * m + i",
           "(i + 1) * m",
           "i * m * n",
           "i * (m + n) + i * n + i",
           "i * 2 + i * 3 * m + i * n - i * 7",
           "i * -3",
           "-3 * i + m * i",
           "x[i * 3 // 3] + i * 3",
           "x[(i * 3 + 1) % 64] + i * 3 + 1",
           "i * i",
           "i * x[i]",
           "x[i * 2 + 1] * x[i * 2] + x[i * 2 + i] + x[i * 4] + x[i * 5] + x[i * 6]",
           "min(i * m, i * n)",
           "select(i * 4 < m, i * m, i * n)",
       }) {
    for (const auto& [lo, hi] : {std::pair("0", "10"),
                                 {"3", "8"},
                                 {"0", "n"},
                                 {"m", "n"},
                                 {"m", "m"},
                                 {"2", "3"},
                                 {"0", "min(m, 4)"}}) {
      const Program program = counting(lo, hi, of);
      INFO(print(program));
      CHECK(difference(program, 2, 9) == "");
      CHECK(difference(program, 0, 1) == "");
    }
  }
}

TEST_CASE("multiples that leave 64 bits wrap as products do") {
  const std::string huge = std::to_string(int64_t{1} << 60);
  CHECK(difference(counting("0", "10", "i * " + huge), 0, 0) == "");
  CHECK(difference(counting("0", "10", "i * m"), int64_t{1} << 60, 0) == "");
  CHECK(difference(counting("0", "10", "i * m + i * n"), int64_t{1} << 62, int64_t{1} << 62) == "");
  CHECK(difference(counting("-5", "9", "i * m - i * " + huge), INT64_MAX, 0) == "");
}

TEST_CASE("a loop whose variable is used in one multiple counts in that") {
  const Program program = test::parsed(
      "program rows\n  input x: f32[1600]\n  output out: f32[1600]\n{\n  for i in 0..100 {\n"
      "    out[ramp(i * 16, 1, 16)] = x[ramp(i * 16, 1, 16)] * broadcast(2.0, 16)\n  }\n}\n");
  const std::string loop = loop_of(program);
  INFO(loop);
  CHECK(loop.find(" mul ") == std::string::npos);
  CHECK(loop.find(" shl ") == std::string::npos);
  CHECK(loop.find(", 16\n") != std::string::npos);  // the step
}

TEST_CASE("rows of symbolic length cost an addition, not a product") {
  const Program program = test::parsed(
      "program column\n  size m\n  input x: f32[m * m]\n  output out: f32[m]\n{\n  for i in 0..m "
      "{\n"
      "    out[i] = x[i * m] + x[i * m + m - 1]\n  }\n}\n");
  const std::string loop = loop_of(program);
  INFO(loop);
  CHECK(loop.find(" mul ") == std::string::npos);
}
