// The kernel that everything is built around: what must be true of its machine code.
#include <catch2/catch.hpp>

#include "support/native.h"
#include "tenon/dsl/dsl.h"
#include "tenon/jit/jit.h"

namespace tenon {
namespace {

struct Shape {
  int64_t m, n, k;
};

Program linear_relu(const Size& m, const Size& n, const Size& k) {
  Tensor x = input("x", f32, {m, k});
  Tensor w = weight("w", f32, {n, k});
  Tensor b = input("b", f32, {n});
  Tensor linear = compute("linear", {m, n}, [&](Expr i, Expr j) {
    return sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
  });
  Tensor out =
      compute("out", {m, n}, [&](Expr i, Expr j) { return max(linear(i, j) + b(j), 0.0f); });
  return program("linear_relu", {x, w, b}, {out});
}

TEST_CASE("the tile of a register-tiled product lives in registers, whole and ragged") {
  const Size m("m"), n("n"), k("k");
  const Program program = linear_relu(m, n, k);
  const Shape shapes[] = {{128, 768, 768}, {127, 767, 769}, {50, 500, 500}, {13, 29, 17},
                          {1, 1, 1},       {7, 100, 64},    {12, 32, 1}};
  for (const Target& target : test::native_targets()) {
    JitOptions options;
    options.target = target;
    Jit jit(options);
    // Two registers of columns, and as many rows as leave room for operands.
    const int64_t columns = 2 * target.lanes(f32);
    const int64_t rows = target.vector_registers() == 32 ? 12 : 6;
    for (const Shape& shape : shapes) {
      Schedule s(program, {{m, shape.m}, {n, shape.n}, {k, shape.k}});
      auto [i, j] = s.loops<2>("out");
      s.register_tile("linear", {i, j}, {rows, columns});
      const absl::StatusOr<Kernel> kernel = jit.compile(s);
      INFO(target.to_string() << " " << shape.m << "x" << shape.n << "x" << shape.k << " "
                              << kernel.status());
      REQUIRE(kernel.ok());
      CHECK(kernel->surviving_allocas().empty());
      CHECK(kernel->workspace().shared_bytes == 0);
      CHECK(kernel->workspace().bytes_per_worker == 0);
    }
  }
}

TEST_CASE("a local array that is indexed at run time is reported as living in memory") {
  const Size n("n");
  Tensor x = input("x", f32, {n});
  Tensor t = compute("t", {n}, [&](Expr i) { return x(i) + 1.0f; });
  Tensor y = compute("y", {n}, [&](Expr i) { return t(n - 1 - i) * 2.0f; });
  Jit jit;
  const absl::StatusOr<Kernel> kernel = jit.compile(program("p", {x}, {y}), {{n, 100}});
  REQUIRE(kernel.ok());
  CHECK(kernel->surviving_allocas() == std::vector<std::string>{"t"});
}

}  // namespace
}  // namespace tenon
