// Softmax and attention as the benchmarks schedule them: the machine code of every level computes
// the bits of the interpreter, and these are the values of the formula in double precision.
#include "bench/row_kernels.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/native.h"
#include "tenon/lower/lower.h"

namespace tenon::test {
namespace {

Array filled(const std::vector<int64_t>& shape, double step) {
  std::vector<float> values;
  for (int64_t e = 0; e < Array(f32, shape).elements(); ++e) {
    values.push_back(static_cast<float>(3 * std::sin(step * static_cast<double>(e))));
  }
  return Array::of<float>(shape, values);
}

// The last array is the output.
void check_kernel(const Schedule& s, const Target& target, std::vector<Array> arrays,
                  const std::vector<double>& expected) {
  INFO(target.to_string() << "\n" << s.program() << s.status());
  REQUIRE(s.status().ok());
  const auto lowered = lower(s.program(), target);
  REQUIRE(lowered.ok());
  std::vector<Array> native = arrays;
  const auto pointers = [](std::vector<Array>& all) {
    std::vector<InterpArgument> arguments;
    for (Array& one : all) arguments.emplace_back(&one);
    return arguments;
  };
  REQUIRE(interpret(s.program(), {}, pointers(arrays)).ok());
  REQUIRE(run_native(*lowered, target, {}, pointers(native)).ok());
  CHECK(same_values(arrays.back(), native.back()));
  double worst = 0;
  for (size_t e = 0; e < expected.size(); ++e) {
    const double got = native.back().at<float>(static_cast<int64_t>(e));
    worst = std::max(worst, std::abs(got - expected[e]));
  }
  CHECK(worst < 1e-5);
}

// softmax of the first `count` values; the others become 0.
std::vector<double> softmax(std::vector<double> row, int64_t count) {
  double peak = row[0], total = 0;
  for (int64_t t = 0; t < count; ++t) peak = std::max(peak, row[static_cast<size_t>(t)]);
  for (size_t t = 0; t < row.size(); ++t) {
    row[t] = static_cast<int64_t>(t) < count ? std::exp(row[t] - peak) : 0;
    total += row[t];
  }
  for (double& value : row) value /= total;
  return row;
}

TEST_CASE("softmax in six lines is right at every width and length") {
  const bench::Softmax f;
  for (const Target& target : native_targets()) {
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{3, 1}, {2, 5}, {5, 16}, {3, 197}}) {
      const Array x = filled({m, n}, 0.7);
      std::vector<double> expected;
      for (int64_t i = 0; i < m; ++i) {
        std::vector<double> row;
        for (int64_t j = 0; j < n; ++j) row.push_back(x.at<float>(i * n + j));
        for (const double value : softmax(row, n)) expected.push_back(value);
      }
      check_kernel(f.schedule(m, n), target, {x, Array(f32, {m, n})}, expected);
    }
  }
}

std::vector<double> attention(const Array& q, const Array& k, const Array& v, int64_t heads,
                              int64_t length, int64_t d, bool causal) {
  std::vector<double> out;
  const auto at = [&](const Array& a, int64_t h, int64_t i, int64_t c) {
    return static_cast<double>(a.at<float>((h * length + i) * d + c));
  };
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t i = 0; i < length; ++i) {
      std::vector<double> scores;
      for (int64_t t = 0; t < length; ++t) {
        double dot = 0;
        for (int64_t c = 0; c < d; ++c) dot += at(q, h, i, c) * at(k, h, t, c);
        scores.push_back(dot / std::sqrt(static_cast<double>(d)));
      }
      const std::vector<double> weights = softmax(scores, causal ? i + 1 : length);
      for (int64_t c = 0; c < d; ++c) {
        double sum = 0;
        for (int64_t t = 0; t < length; ++t) {
          sum += weights[static_cast<size_t>(t)] * at(v, h, t, c);
        }
        out.push_back(sum);
      }
    }
  }
  return out;
}

TEST_CASE("attention in twelve lines is right for whole and ragged blocks, causal or not") {
  constexpr int64_t kHeads = 2, kWidth = 32;
  for (const bool causal : {false, true}) {
    const bench::Attention f(causal);
    for (const int64_t length : {1, 7, 48, 53}) {
      const std::vector<int64_t> shape = {kHeads, length, kWidth};
      const Array q = filled(shape, 0.37), k = filled(shape, 1.1), v = filled(shape, 1.9);
      const std::vector<double> expected = attention(q, k, v, kHeads, length, kWidth, causal);
      for (const Target& target : native_targets()) {
        const Schedule s =
            f.schedule({{f.heads, kHeads}, {f.queries, length}, {f.keys, length}, {f.d, kWidth}},
                       target.matmul_tile(f32));
        check_kernel(s, target, {q, k, v, Array(f32, shape)}, expected);
      }
    }
  }
}

}  // namespace
}  // namespace tenon::test
