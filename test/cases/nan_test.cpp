// Values that compare in no order, and zeros with signs.
//
// D7, onnx/onnx#6003 and microsoft/onnxruntime PR 19984: max and min dropped a NaN depending on
// which
//   operand held it, and on whether a vector or the scalar tail computed it.
// D8, jax-ml/jax#4780: x + 0*y became x, so that a NaN or an infinity in y disappeared.
// D9, uxlfoundation/oneDNN#139: a ReLU computed as x * slope with slope 0 gave -0.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "cases/everywhere.h"

namespace tenon {
namespace {

using test::CaseData;
using test::Everywhere;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// Every pair of these values, starting anywhere.
constexpr float kValues[] = {kNan, 1, 0.0f, -0.0f, -3, kInf, -kInf, 2};
float left(int64_t i) { return kValues[i % 8]; }
float right(int64_t i) { return kValues[(i + i / 8 + 3) % 8]; }

float max_of(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return kNan;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
float min_of(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return kNan;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

Array array_of(Type type, int64_t n, const std::function<float(int64_t)>& value) {
  Array array(type, {n});
  for (int64_t i = 0; i < n; ++i) {
    // All values here are exact in every float type.
    if (type == f64) {
      array.set_bits(i, std::bit_cast<uint64_t>(static_cast<double>(value(i))));
    } else if (type == f32) {
      array.set_bits(i, std::bit_cast<uint32_t>(value(i)));
    } else if (type == f16) {
      array.set_bits(i, Float16(value(i)).bits);
    } else {
      array.set_bits(i, BFloat16(value(i)).bits);
    }
  }
  return array;
}

struct Output {
  std::function<Expr(const Expr& x, const Expr& y)> expression;
  std::function<float(float x, float y)> value;
};

void check_outputs(const std::vector<Output>& outputs) {
  for (const Type type : {f32, f64, f16, bf16}) {
    const Size n("n");
    const Tensor x = input("x", type, {n}), y = input("y", type, {n});
    std::vector<Tensor> tensors;
    for (size_t o = 0; o < outputs.size(); ++o) {
      tensors.push_back(compute("out" + std::to_string(o), {n}, [&](Expr i) {
        return cast(type, outputs[o].expression(x(i), y(i)));
      }));
    }
    Everywhere e;
    e.program = program("special", {x, y}, tensors);
    e.length = n;
    e.constant = type == f32;
    e.data = [&](int64_t length) {
      CaseData data{{array_of(type, length, left), array_of(type, length, right)}, {}};
      for (const Output& output : outputs) {
        data.expected.push_back(
            array_of(type, length, [&](int64_t i) { return output.value(left(i), right(i)); }));
      }
      return data;
    };
    INFO(to_string(type));
    e.run();
  }
}

TEST_CASE("D7: max, min, relu and clip let a NaN through from either side") {
  check_outputs({
      {[](const Expr& x, const Expr& y) { return max(x, y); }, max_of},
      {[](const Expr& x, const Expr& y) { return max(y, x); }, max_of},
      {[](const Expr& x, const Expr& y) { return min(x, y); }, min_of},
      {[](const Expr& x, const Expr&) { return max(x, 0.0f); },
       [](float x, float) { return max_of(x, 0); }},
      {[](const Expr& x, const Expr&) { return max(0.0f, x); },
       [](float x, float) { return max_of(x, 0); }},
      {[](const Expr& x, const Expr&) { return min(max(x, 0.0f), 1.0f); },
       [](float x, float) { return min_of(max_of(x, 0), 1); }},
  });
}

TEST_CASE("D7: a reduction by max or min lets a NaN through from every place") {
  const Size n("n");
  const Tensor x = input("x", f32, {3, n});
  const Tensor high =
      compute("high", {3}, [&](Expr i) { return max_over(n, [&](Expr r) { return x(i, r); }); });
  const Tensor low =
      compute("low", {3}, [&](Expr i) { return min_over(n, [&](Expr r) { return x(i, r); }); });
  Everywhere e;
  e.program = program("extremes", {x}, {high, low});
  e.length = n;
  e.schedule = [](Schedule& s, int64_t lanes, bool parallel) {
    for (const char* stage : {"high", "low"}) {
      s.vectorize(s.split(s.all_loops(stage).back(), lanes).second);
      if (parallel) s.parallelize(s.loops(stage).front());
    }
  };
  // Rows: no NaN, a NaN in the middle, a NaN at the end.
  e.data = [](int64_t length) {
    Array in(f32, {3, length});
    std::vector<float> most(3, -kInf), least(3, kInf);
    for (int64_t row = 0; row < 3; ++row) {
      for (int64_t r = 0; r < length; ++r) {
        const bool nan = (row == 1 && r == length / 2) || (row == 2 && r == length - 1);
        const float value = nan ? kNan : static_cast<float>((r * 7 + row) % 11) - 5;
        in.set_bits(row * length + r, std::bit_cast<uint32_t>(value));
        most[static_cast<size_t>(row)] = max_of(most[static_cast<size_t>(row)], value);
        least[static_cast<size_t>(row)] = min_of(least[static_cast<size_t>(row)], value);
      }
    }
    return CaseData{{in}, {Array::of<float>({3}, most), Array::of<float>({3}, least)}};
  };
  e.run();
}

TEST_CASE("D8: what a NaN or an infinity makes NaN is NaN") {
  check_outputs({
      {[](const Expr& x, const Expr& y) { return x + 0.0f * y; },
       [](float x, float y) { return x + 0.0f * y; }},
      {[](const Expr& x, const Expr& y) { return y * 0.0f + x; },
       [](float x, float y) { return x + 0.0f * y; }},
      {[](const Expr& x, const Expr&) { return x - x; }, [](float x, float) { return x - x; }},
      {[](const Expr& x, const Expr&) { return x / x; }, [](float x, float) { return x / x; }},
      {[](const Expr& x, const Expr&) { return 0.0f * x; },
       [](float x, float) { return 0.0f * x; }},
      {[](const Expr& x, const Expr&) { return 0.0f / x; },
       [](float x, float) { return 0.0f / x; }},
      {[](const Expr& x, const Expr&) { return x + 0.0f; },
       [](float x, float) { return x + 0.0f; }},
      {[](const Expr& x, const Expr&) { return x - 0.0f; },
       [](float x, float) { return x - 0.0f; }},
      {[](const Expr& x, const Expr&) { return 0.0f - x; },
       [](float x, float) { return 0.0f - x; }},
      {[](const Expr& x, const Expr& y) { return x - y + y; },
       [](float x, float y) { return x - y + y; }},
      {[](const Expr& x, const Expr&) { return select(x == x, 1.0f, 2.0f); },
       [](float x, float) { return x == x ? 1.0f : 2.0f; }},
      {[](const Expr& x, const Expr& y) { return select(x < y, 1.0f, 2.0f); },
       [](float x, float y) { return x < y ? 1.0f : 2.0f; }},
      {[](const Expr& x, const Expr& y) { return select(~(x < y), 1.0f, 2.0f); },
       [](float x, float y) { return !(x < y) ? 1.0f : 2.0f; }},
  });
}

TEST_CASE("D9: a ReLU gives +0 for everything below, and one over it +inf") {
  check_outputs({
      {[](const Expr& x, const Expr&) { return max(x, 0.0f); },
       [](float x, float) { return max_of(x, 0); }},
      {[](const Expr& x, const Expr&) { return 1.0f / max(x, 0.0f); },
       [](float x, float) { return 1 / max_of(x, 0); }},
      // -0 < +0: the ReLU of -0 is +0, in vectors and tails alike.
      {[](const Expr& x, const Expr&) { return max(-abs(x), 0.0f); },
       [](float x, float) { return std::isnan(x) ? kNan : 0.0f; }},
  });
}

}  // namespace
}  // namespace tenon
