#include "jit/programs.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

namespace tenon::test {

Scale::Scale(double factor, const std::string& name) {
  const Tensor x = input("x", f32, {n});
  const Tensor y = compute("y", {n}, [&](Expr i) { return x(i) * factor; });
  program = tenon::program(name, {x}, {y});
}

LinearRelu::LinearRelu() {
  const Tensor x = input("x", f32, {m, k});
  const Tensor w = weight("w", f32, {n, k});
  const Tensor b = input("b", f32, {n});
  const Tensor linear = compute("linear", {m, n}, [&](Expr i, Expr j) {
    return sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
  });
  const Tensor out =
      compute("out", {m, n}, [&](Expr i, Expr j) { return max(linear(i, j) + b(j), 0.0f); });
  program = tenon::program("linear_relu", {x, w, b}, {out});
}

void LinearRelu::tile(Schedule& s) const {
  const auto [i, j] = s.loops<2>("out");
  s.register_tile("linear", {i, j}, {4, 32});
}

Schedule LinearRelu::scheduled(int64_t rows, int64_t columns, int64_t depth) const {
  Schedule s(program, {{m, rows}, {n, columns}, {k, depth}});
  tile(s);
  return s;
}

LinearData::LinearData(int64_t rows, int64_t columns, int64_t depth)
    : m(rows),
      n(columns),
      k(depth),
      x(static_cast<size_t>(m * k)),
      w(static_cast<size_t>(n * k)),
      b(static_cast<size_t>(n)),
      out(static_cast<size_t>(m * n)),
      expected(out.size()) {
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 5) - 2;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 3);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = b[static_cast<size_t>(j)];
      for (int64_t r = 0; r < k; ++r) {
        sum += x[static_cast<size_t>(i * k + r)] * w[static_cast<size_t>(j * k + r)];
      }
      expected[static_cast<size_t>(i * n + j)] = std::max(sum, 0.0f);
    }
  }
}

Embed::Embed() {
  const Tensor table = input("table", f32, {10, d});
  const Tensor id = input("id", i64, {n});
  const Tensor out = compute("out", {n, d}, [&](Expr i, Expr j) { return table(id(i), j); });
  program = tenon::program("embed", {table, id}, {out});
}

Reverse::Reverse() {
  const Tensor x = input("x", f32, {n});
  const Tensor copy = compute("copy", {n}, [&](Expr i) { return x(i) * 2.0f; });
  const Tensor y = compute("y", {n}, [&](Expr i) { return copy(n - 1 - i); });
  program = tenon::program("reverse", {x}, {y});
}

Kernel compiled(absl::StatusOr<Kernel> kernel) {
  INFO(kernel.status());
  REQUIRE(kernel.ok());
  return *kernel;
}

Kernel compiled(Jit& jit, const Program& program, const Sizes& sizes,
                const CompileOptions& options) {
  return compiled(jit.compile(program, sizes, options));
}

void check_scale(const Kernel& kernel, int64_t n, float factor) {
  std::vector<float> x(static_cast<size_t>(n)), y(x.size(), -1);
  std::iota(x.begin(), x.end(), 1.0f);
  const absl::Status status = kernel({View(x.data(), {n})}, {View(y.data(), {n})});
  INFO(status);
  REQUIRE(status.ok());
  for (size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == factor * x[i]);
}

std::string message(const absl::Status& status) { return std::string(status.message()); }

}  // namespace tenon::test
