#include "kernel.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tenon/tenon.h"
namespace tn = tenon;

std::string compile_and_run() {
  tn::Size m("m"), n("n"), k("k");
  tn::Tensor x = tn::input("x", tn::f32, {m, k});
  tn::Tensor w = tn::weight("w", tn::f32, {n, k});
  tn::Tensor b = tn::input("b", tn::f32, {n});
  tn::Tensor linear = tn::compute("linear", {m, n}, [&](tn::Expr i, tn::Expr j) {
    return tn::sum(k, [&](tn::Expr r) { return x(i, r) * w(j, r); });
  });
  tn::Tensor out = tn::compute(
      "out", {m, n}, [&](tn::Expr i, tn::Expr j) { return tn::max(linear(i, j) + b(j), 0.0f); });
  constexpr size_t kM = 17, kN = 40, kK = 9;
  tn::Schedule s(tn::program("linear_relu", {x, w, b}, {out}), {{m, kM}, {n, kN}, {k, kK}});
  auto [i, j] = s.loops<2>("out");
  s.register_tile("linear", {i, j}, {4, 16});

  tn::Jit jit;
  absl::StatusOr<tn::Kernel> kernel = jit.compile(s);
  if (!kernel.ok()) return kernel.status().ToString();

  std::vector<float> X(kM * kK), W(kN * kK), B(kN), Out(kM * kN);
  for (size_t p = 0; p < X.size(); ++p) X[p] = static_cast<float>(p % 7) - 3;
  for (size_t p = 0; p < W.size(); ++p) W[p] = static_cast<float>(p % 5) - 2;
  for (size_t p = 0; p < B.size(); ++p) B[p] = static_cast<float>(p % 3);
  absl::StatusOr<tn::Packed> packed = kernel->pack("w", tn::View(W.data(), {kN, kK}));
  if (!packed.ok()) return packed.status().ToString();
  const absl::Status status =
      (*kernel)({tn::View(X.data(), {kM, kK}), *packed, tn::View(B.data(), {kN})},
                {tn::View(Out.data(), {kM, kN})});
  if (!status.ok()) return status.ToString();
  for (size_t row = 0; row < kM; ++row) {
    for (size_t column = 0; column < kN; ++column) {
      float sum = 0;
      for (size_t r = 0; r < kK; ++r) sum += X[row * kK + r] * W[column * kK + r];
      if (Out[row * kN + column] != std::max(sum + B[column], 0.0f)) return "a wrong value";
    }
  }

  // An error made inside the library arrives whole, with its Diagnostic.
  const absl::Status refused =
      (*kernel)({tn::View(X.data(), {kM, kK}), *packed, tn::View(B.data(), {kN - 1})},
                {tn::View(Out.data(), {kM, kN})});
  if (refused.ok()) return "a wrong shape was accepted";
  if (!tn::diagnostic_of(refused)) return "the error lost its diagnostic";
  return "";
}
