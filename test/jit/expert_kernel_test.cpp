// The kernel that everything is built around: what must be true of its machine code.
#include <catch2/catch.hpp>

#include "jit/programs.h"
#include "support/native.h"
#include "tenon/dsl/dsl.h"
#include "tenon/jit/jit.h"

namespace tenon {
namespace {

struct Shape {
  int64_t m, n, k;
};

TEST_CASE("a tile of too many sums is seen to spill") {
  const test::LinearRelu f;
  for (const Target& target : test::native_targets()) {
    JitOptions options;
    options.target = target;
    Jit jit(options);
    Schedule s(f.program, {{f.m, 128}, {f.n, 256}, {f.k, 64}});
    auto [i, j] = s.loops<2>("out");
    const auto [rows, columns] = target.matmul_tile(f32);
    s.register_tile("linear", {i, j}, {2 * rows, columns});
    const absl::StatusOr<Kernel> kernel = jit.compile(s);
    REQUIRE(kernel.ok());
    CHECK(kernel->explain()->vectors_reloaded > 0);
  }
}

TEST_CASE("the tile of a register-tiled product lives in registers, whole and ragged") {
  const test::LinearRelu f;
  const Shape shapes[] = {{128, 768, 768}, {127, 767, 769}, {50, 500, 500}, {13, 29, 17},
                          {1, 1, 1},       {7, 100, 64},    {12, 32, 1}};
  for (const Target& target : test::native_targets()) {
    JitOptions options;
    options.target = target;
    Jit jit(options);
    const auto [rows, columns] = target.matmul_tile(f32);
    for (const Shape& shape : shapes) {
      Schedule s(f.program, {{f.m, shape.m}, {f.n, shape.n}, {f.k, shape.k}});
      auto [i, j] = s.loops<2>("out");
      s.register_tile("linear", {i, j}, {rows, columns});
      const absl::StatusOr<Kernel> kernel = jit.compile(s);
      INFO(target.to_string() << " " << shape.m << "x" << shape.n << "x" << shape.k << " "
                              << kernel.status());
      REQUIRE(kernel.ok());
      CHECK(kernel->surviving_allocas().empty());
      CHECK(kernel->explain()->vectors_reloaded == 0);
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
