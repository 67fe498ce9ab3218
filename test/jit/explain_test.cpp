#include <catch2/catch.hpp>
#include <sstream>

#include "jit/programs.h"
#include "support/native.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

Explanation explained(const Schedule& s, const Target& target) {
  JitOptions options;
  options.target = target;
  Jit jit(options);
  const absl::StatusOr<Kernel> kernel = jit.compile(s);
  INFO(kernel.status());
  REQUIRE(kernel.ok());
  const absl::StatusOr<Explanation> e = kernel->explain();
  REQUIRE(e.ok());
  return *e;
}

TEST_CASE("the explanation of a good tile: work counted, nothing in memory, nothing guarded") {
  const test::LinearRelu f;
  for (const Target& target : test::native_targets()) {
    const auto [rows, columns] = target.matmul_tile(f32);
    Schedule s(f.program, {{f.m, 4 * rows}, {f.n, 2 * columns}, {f.k, 64}});
    auto [i, j] = s.loops<2>("out");
    s.register_tile("linear", {i, j}, {rows, columns});
    const Explanation e = explained(s, target);
    std::ostringstream text;
    text << e;
    INFO(text.str());
    CHECK(e.kernel == "linear_relu");
    CHECK(e.target == target.to_string());
    // Two operations per product, two more per output.
    CHECK(e.operations == 4 * rows * 2 * columns * (2 * 64 + 2));
    CHECK(e.argument_bytes ==
          4 * (4 * rows * 64 + 2 * columns * 64 + 2 * columns + 4 * rows * 2 * columns));
    CHECK(e.arrays_in_memory.empty());
    CHECK(e.vectors_reloaded == 0);
    CHECK(e.guards.empty());
    CHECK(e.guarded == 0);
    CHECK(e.hints.empty());
    CHECK(text.str().find("no guard and no mask in an innermost loop") != std::string::npos);
  }
}

TEST_CASE("the explanation of a tile that is too large names spills") {
  const test::LinearRelu f;
  for (const Target& target : test::native_targets()) {
    const auto [rows, columns] = target.matmul_tile(f32);
    Schedule s(f.program, {{f.m, 128}, {f.n, 256}, {f.k, 64}});
    auto [i, j] = s.loops<2>("out");
    s.register_tile("linear", {i, j}, {2 * rows, columns});
    const Explanation e = explained(s, target);
    CHECK(e.vectors_reloaded > 0);
    REQUIRE(!e.hints.empty());
    CHECK(e.hints[0].kind == Hint::Kind::kTileTooLarge);
  }
}

TEST_CASE("guards of ragged tails are named with their share") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Tensor y = compute("y", {n}, [&](Expr i) {
    return select(x(i) > 0.0f, sum(i + 1, [&](Expr r) { return x(r); }), 0.0f);
  });
  const Explanation e = explained(Schedule(program("p", {x}, {y})), Target());
  CHECK(e.operations == std::nullopt);
  CHECK(e.argument_bytes == std::nullopt);
  CHECK(e.guarded > 0);
  CHECK(!e.guards.empty());
  std::ostringstream text;
  text << e;
  CHECK(text.str().find("(symbolic sizes)") != std::string::npos);
}

TEST_CASE("instructions that stayed loops are named with what the target lacks") {
  const Instruction scale = instructions::find("vpmulhrsw_256");
  const Size n("n");
  const Tensor x = input("x", i16, {n}), y = input("y", i16, {n});
  const Tensor z = compute("z", {n}, [&](Expr i) {
    return cast(i16, (cast(i32, x(i)) * cast(i32, y(i)) + 16384) >> 15);
  });
  Schedule s(program("p", {x, y}, {z}), {{n, 64}});
  s.tensorize(s.split(s.loops<1>("z")[0], 16).second, scale);
  INFO(s.status());
  REQUIRE(s.status().ok());
  for (const Target& target : test::native_targets()) {
    const Explanation e = explained(s, target);
    std::ostringstream text;
    text << e;
    if (target.has("avx2")) {
      CHECK(e.left_as_loops.empty());
      CHECK(text.str().find("left as loops") == std::string::npos);
    } else {
      CHECK(text.str().find("  left as loops: vpmulhrsw_256: the target has no avx2\n") !=
            std::string::npos);
    }
  }
}

TEST_CASE("an empty kernel has no explanation") {
  CHECK(Kernel().explain().status().message() == "an empty tenon::Kernel is explained");
}

}  // namespace
}  // namespace tenon
