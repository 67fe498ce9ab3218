// Functions far away from zero.
//
// D11, apache/tvm PR 16438, and the same in triton PR 8551: tanh through (e^2x - 1) / (e^2x + 1)
// gave
//   NaN for large arguments.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cases/everywhere.h"

namespace tenon {
namespace {

using test::CaseData;
using test::Everywhere;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// The function at the values of `at`, against C's in double precision.
void check_function(Expr (*function)(const Expr&), double (*reference)(double),
                    const std::vector<float>& at, int64_t ulp) {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  Everywhere e;
  e.program = program("apply", {x}, {compute("y", {n}, [&](Expr i) { return function(x(i)); })});
  e.length = n;
  e.data = [&](int64_t length) {
    Array in(f32, {length}), out(f32, {length});
    for (int64_t i = 0; i < length; ++i) {
      const float value = at[static_cast<size_t>(i) % at.size()];
      in.set_bits(i, std::bit_cast<uint32_t>(value));
      out.set_bits(i, std::bit_cast<uint32_t>(static_cast<float>(reference(value))));
    }
    return CaseData{{in}, {out}};
  };
  e.difference = [&](const Array& expected, const Array& got) {
    return test::difference_in_ulp(expected, got, ulp);
  };
  e.run();
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

TEST_CASE("D11: tanh") {
  check_function(tanh, std::tanh,
                 {50, -50, 1e-4f, kInf, -kInf, kNan, 0, -0.0f, 9.01f, -20, 88, 1e38f, 1e-30f}, 2);
}

TEST_CASE("D11: sigmoid") {
  // Each step is rounded, so that the quotient may be off by a few units.
  check_function(sigmoid, sigmoid_of, {50, 1e-4f, kInf, -kInf, kNan, 0, -0.0f, 9, -20, 88, -80}, 4);
}

TEST_CASE("D11: sigmoid where it becomes subnormal is small and never NaN") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  Everywhere e;
  e.program = program("apply", {x}, {compute("y", {n}, [&](Expr i) { return sigmoid(x(i)); })});
  e.length = n;
  e.data = [](int64_t length) {
    Array in(f32, {length});
    for (int64_t i = 0; i < length; ++i) {
      in.set_bits(i, std::bit_cast<uint32_t>(-88.0f - static_cast<float>(i)));
    }
    return CaseData{{in}, {Array(f32, {length})}};
  };
  e.difference = [](const Array&, const Array& got) -> std::string {
    for (const float value : got.values<float>()) {
      if (!(value >= 0 && value < 1e-38f)) return std::to_string(value);
    }
    return "";
  };
  e.run();
}

TEST_CASE("D11: erf, exp, log and their limits") {
  const std::vector<float> at = {50, -50, 1e-4f, kInf, -kInf, kNan, 0, -0.0f, 1, -104, 89, 2.5f, 4};
  check_function(erf, std::erf, at, 2);
  check_function(exp, std::exp, at, 2);
  check_function(log, std::log, at, 2);
}

}  // namespace
}  // namespace tenon
