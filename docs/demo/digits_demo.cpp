// Tenon in one page: a trained network reads 360 handwritten digits.
//
// Every layer is one tensor function, out = max(x w^T + b, 0), written once in the expression
// language for any size. A schedule says how to compute it fast, and a Jit compiles it for the
// sizes of each layer, while the program runs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "eigen_linear.h"
#include "npy.h"
#include "stopwatch.h"
#include "tenon/tenon.h"

namespace tn = tenon;

namespace {

constexpr float kNoFloor = -std::numeric_limits<float>::infinity();

// What to compute. m rows of k values become m rows of n values; `floor` is 0 for a ReLU, and minus
// infinity for a layer without one.
struct LinearRelu {
  tn::Size m{"m"}, n{"n"}, k{"k"};
  tn::Program program;

  LinearRelu() {
    tn::Tensor x = tn::input("x", tn::f32, {m, k});
    tn::Tensor w = tn::weight("w", tn::f32, {n, k});
    tn::Tensor b = tn::input("b", tn::f32, {n});
    tn::Expr floor = tn::scalar("floor", tn::f32);

    tn::Tensor linear = tn::compute("linear", {m, n}, [&](tn::Expr i, tn::Expr j) {
      return tn::sum(k, [&](tn::Expr r) { return x(i, r) * w(j, r); });
    });
    tn::Tensor out = tn::compute(
        "out", {m, n}, [&](tn::Expr i, tn::Expr j) { return tn::max(linear(i, j) + b(j), floor); });
    program = tn::program("linear_relu", {x, w, b, floor}, {out});
  }

  // How to compute it: a tile of rows and columns (14 x 32 with AVX-512, 6 x 16 with AVX2) stays in
  // registers while the sum runs.
  tn::Schedule schedule(int64_t rows, int64_t columns, int64_t depth) const {
    tn::Schedule s(program, {{m, rows}, {n, columns}, {k, depth}});
    auto [i, j] = s.loops<2>("out");
    const auto [tile_rows, tile_columns] = tn::Target::host().matmul_tile(tn::f32);
    s.register_tile("linear", {i, j}, {tile_rows, tile_columns});
    return s;
  }
};

// Ends the program with the message when something went wrong.
template <class T>
T value_of(absl::StatusOr<T> result) {
  if (result.ok()) return *std::move(result);
  std::cerr << result.status().message() << "\n";
  std::exit(1);
}

void require_ok(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << status.message() << "\n";
  std::exit(1);
}

struct Layer {
  int64_t n, k;
  float floor;
  std::vector<float> weights, bias;
};

Layer read_layer(const std::string& folder, int number, int64_t n, int64_t k, float floor) {
  const std::string suffix = std::to_string(number) + ".npy";
  return {n, k, floor, read_npy<float>(folder + "/w" + suffix, static_cast<size_t>(n * k)),
          read_npy<float>(folder + "/b" + suffix, static_cast<size_t>(n))};
}

// The whole network: compiles (or finds) the kernel of each layer and runs it.
std::vector<float> classify(tn::Jit& jit, const LinearRelu& function, std::vector<Layer>& layers,
                            std::vector<float> values, int64_t rows, bool report) {
  for (Layer& layer : layers) {
    tn::Kernel kernel = value_of(jit.compile(function.schedule(rows, layer.n, layer.k)));
    tn::Packed weights =
        value_of(kernel.pack("w", tn::View(layer.weights.data(), {layer.n, layer.k})));
    std::vector<float> out(static_cast<size_t>(rows * layer.n));
    require_ok(kernel({tn::View(values.data(), {rows, layer.k}), weights,
                       tn::View(layer.bias.data(), {layer.n}), layer.floor},
                      {tn::View(out.data(), {rows, layer.n})}));
    if (report) {
      std::printf("  %3lld x %3lld x %3lld   %5.1f ms to compile   %5zu bytes of code\n",
                  static_cast<long long>(rows), static_cast<long long>(layer.n),
                  static_cast<long long>(layer.k), kernel.times().total, kernel.code_bytes());
    }
    values = std::move(out);
  }
  return values;
}

int count_right(const std::vector<float>& logits, const std::vector<uint8_t>& labels) {
  int right = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>(10 * i);
    right += std::max_element(row, row + 10) - row == labels[i];
  }
  return right;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const float difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;  // a NaN counts as a difference
  }
  return largest;
}

// One row of the table: the naive loops, the schedule and Eigen on the same data.
void compare_speed(tn::Jit& jit, const LinearRelu& function, int64_t m, int64_t n, int64_t k) {
  std::vector<float> x(static_cast<size_t>(m * k)), w(static_cast<size_t>(n * k)),
      b(static_cast<size_t>(n)), out(static_cast<size_t>(m * n));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17) / 16 - 0.5f;
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 13) / 12 - 0.5f;
  const tn::View X(x.data(), {m, k}), W(w.data(), {n, k}), B(b.data(), {n}),
      Out(out.data(), {m, n});

  const tn::Sizes sizes = {{function.m, m}, {function.n, n}, {function.k, k}};
  const tn::Kernel naive = value_of(jit.compile(function.program, sizes));
  const tn::Kernel fast = value_of(jit.compile(function.schedule(m, n, k)));
  const tn::Packed packed = value_of(fast.pack("w", W));
  const std::vector<double> slow_times =
      time_side_by_side({[&] {
                          require_ok(naive({X, W, B, 0.0f}, {Out}));
                        }},
                        3);
  const std::vector<double> times = time_side_by_side(
      {[&] {
         require_ok(fast({X, packed, B, 0.0f}, {Out}));
       },
       [&] { eigen_linear(x.data(), w.data(), b.data(), 0, out.data(), m, n, k); }},
      200);
  const double flops = 2.0 * static_cast<double>(m * n * k);
  const auto show = [&](double seconds) {
    std::printf("  %9.1f us %6.1f GFLOP/s", seconds * 1e6, flops / seconds / 1e9);
  };
  std::printf("  %4lldx%3lldx%3lld", static_cast<long long>(m), static_cast<long long>(n),
              static_cast<long long>(k));
  show(slow_times[0]);
  show(times[0]);
  show(times[1]);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string data = argc > 1 ? argv[1] : TENON_DEMO_DATA;
  constexpr int64_t kImages = 360;
  const std::vector<uint8_t> pixels = read_npy<uint8_t>(data + "/images.npy", kImages * 64);
  const std::vector<uint8_t> labels = read_npy<uint8_t>(data + "/labels.npy", kImages);
  const std::vector<float> expected = read_npy<float>(data + "/logits.npy", kImages * 10);
  std::vector<Layer> layers = {read_layer(data, 1, 256, 64, 0), read_layer(data, 2, 128, 256, 0),
                               read_layer(data, 3, 10, 128, kNoFloor)};
  std::vector<float> images(pixels.begin(), pixels.end());
  for (float& value : images) value /= 16;  // grey values 0 to 16

  const LinearRelu function;
  std::cout << "What to compute: the loops as the expressions say them.\n\n" << function.program;
  const tn::Schedule first = function.schedule(kImages, 256, 64);
  require_ok(first.status());
  std::cout << "\nHow: one derived step, and the primitive steps that it made, each checked.\n\n"
            << first.trace() << "\nThe same program after it, for the first layer.\n\n"
            << first.program();

  tn::Jit jit;
  std::cout << "\nClassifying 360 images on " << jit.target().to_string() << ".\n\n";
  const std::vector<float> logits = classify(jit, function, layers, images, kImages, true);
  const int right = count_right(logits, labels);
  const float difference = largest_difference(logits, expected);
  const tn::JitStats compiled = jit.stats();
  const std::vector<float> again = classify(jit, function, layers, images, kImages, false);
  const tn::JitStats cached = jit.stats();
  std::printf("\n  images right: %d of %lld\n", right, static_cast<long long>(kImages));
  std::printf("  largest difference from the reference logits: %.2g\n", difference);
  std::printf("  second pass: %lld cache hits, %lld compiles\n",
              static_cast<long long>(cached.hits - compiled.hits),
              static_cast<long long>(cached.misses - compiled.misses));

  std::cout << "\nTime per call, one thread (best of many, side by side):\n\n"
            << "    m x n x k        unscheduled loops            scheduled by Tenon          "
               "Eigen 3.4\n";
  compare_speed(jit, function, 128, 768, 768);
  for (const Layer& layer : layers) compare_speed(jit, function, kImages, layer.n, layer.k);

  const bool good = right == 336 && difference <= 1e-4f && again == logits &&
                    cached.hits - compiled.hits == 3 && cached.misses == compiled.misses;
  if (!good) std::cerr << "\nThis is not what the demonstration must show.\n";
  return good ? 0 : 1;
}
