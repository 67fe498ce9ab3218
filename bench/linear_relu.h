// out = max(x w^T + b, 0), and how an expert schedules it: shared by the benchmarks.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tenon/tenon.h"

namespace tenon::bench {

struct Shape {
  int64_t m, n, k;
  std::string name() const {
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  }
  double flops() const { return 2.0 * static_cast<double>(m * n * k); }
};

// --- The kernel.

struct LinearRelu {
  Size m{"m"}, n{"n"}, k{"k"};
  Program program;

  LinearRelu() {
    Tensor x = input("x", f32, {m, k});
    Tensor w = weight("w", f32, {n, k});
    Tensor b = input("b", f32, {n});
    Tensor linear = compute("linear", {m, n}, [&](Expr i, Expr j) {
      return sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
    });
    Tensor out =
        compute("out", {m, n}, [&](Expr i, Expr j) { return max(linear(i, j) + b(j), 0.0f); });
    program = tenon::program("linear_relu", {x, w, b}, {out});
  }
};

using Tile = Target::Tile;

// The expert's choice. As many accumulators as registers allow, and rows divided evenly: 50 rows
// are 13 + 13 + 13 + 11 rather than 14 + 14 + 14 + 8.
inline Tile tile_for(const Shape& shape, const Target& target) {
  const Tile most = target.matmul_tile(f32);
  const int64_t tiles = (shape.m + most.rows - 1) / most.rows;
  return {(shape.m + tiles - 1) / tiles, most.columns};
}

inline Schedule schedule_for(const LinearRelu& f, const Shape& shape, const Tile& tile) {
  Schedule s(f.program, {{f.m, shape.m}, {f.n, shape.n}, {f.k, shape.k}});
  auto [i, j] = s.loops<2>("out");
  s.register_tile("linear", {i, j}, {tile.rows, tile.columns});
  return s;
}

// --- A benchmark has nobody to return an error to.

[[noreturn]] inline void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

inline void require_ok(const absl::Status& status) {
  if (!status.ok()) stop(std::string(status.message()));
}

template <class T>
T value_of(absl::StatusOr<T> result) {
  require_ok(result.status());
  return *std::move(result);
}

}  // namespace tenon::bench
