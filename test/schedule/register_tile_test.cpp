#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "support/golden.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

void tiled(Followed& s, std::vector<int64_t> factors, const char* stage = "linear") {
  const std::vector<Loop> loops = s->loops("out");
  const RegisterTile tile =
      s->register_tile(stage, {loops.end() - 2, loops.end()}, std::move(factors));
  s.check();
  s->parallelize(tile.outer(1));
  s.check();
}

TEST_CASE("A matrix product gets a register tile") {
  const Program p = linear_relu();
  const Sizes sizes = sizes_of(p, {{"m", 24}, {"n", 64}, {"k", 5}});
  Followed s(p, sizes, sizes);
  tiled(s, {12, 32});
  check_golden("schedule/register_tile", print(s->program()));
  std::string steps;
  for (const Step& step : s->trace().steps()) {
    steps += std::string(2 * static_cast<size_t>(step.depth), ' ') + step.text + "\n";
  }
  check_golden("schedule/register_tile_steps", steps);
}

TEST_CASE("A register tile of sizes that do not divide is guarded") {
  const Program p = linear_relu();
  for (const auto& [m, n, k] :
       {std::tuple{1, 1, 1}, {13, 29, 17}, {7, 100, 3}, {25, 33, 1}, {12, 32, 0}}) {
    const Sizes sizes = sizes_of(p, {{"m", m}, {"n", n}, {"k", k}});
    Followed s(p, sizes, sizes);
    tiled(s, {12, 32});
    Followed narrow(p, sizes, sizes);
    tiled(narrow, {3, 8});
  }
}

TEST_CASE("Any factors make a register tile") {
  const Program p = linear_relu();
  const Sizes sizes = sizes_of(p, {{"m", 11}, {"n", 26}, {"k", 3}});
  for (const auto& [rows, columns] :
       {std::pair{1, 1}, {1, 16}, {4, 1}, {5, 7}, {2, 24}, {11, 13}, {64, 256}}) {
    Followed s(p, sizes, sizes);
    tiled(s, {rows, columns});
  }
}

TEST_CASE("A register tile of symbolic sizes serves all of them") {
  const Program p = linear_relu();
  for (const auto& [m, n] : {std::pair{1, 1}, {13, 29}, {24, 64}}) {
    const Sizes sizes = sizes_of(p, {{"m", m}, {"n", n}, {"k", 4}});
    Followed all(p, sizes);
    tiled(all, {12, 32});
    Followed rows(p, sizes, sizes_of(p, {{"n", n}, {"k", 4}}));
    tiled(rows, {12, 32});
  }
}

TEST_CASE("Leading loops stay outside of a register tile") {
  const Size h("h"), m("m"), n("n"), k("k");
  const Tensor x = input("x", f32, {h, m, k}), y = input("y", f32, {h, k, n});
  const Tensor dot = compute("dot", {h, m, n}, [&](Expr g, Expr i, Expr j) {
    return sum(k, [&](Expr r) { return x(g, i, r) * y(g, r, j); });
  });
  const Tensor out =
      compute("out", {h, m, n}, [&](Expr g, Expr i, Expr j) { return dot(g, i, j) * 0.5f; });
  const Program p = program("batched", {x, y}, {out});
  const Sizes sizes = sizes_of(p, {{"h", 2}, {"m", 5}, {"n", 9}, {"k", 3}});
  Followed s(p, sizes, sizes);
  tiled(s, {4, 8}, "dot");
  check_golden("schedule/register_tile_batched", print(s->program()));
}

TEST_CASE("An output that is accumulated in place gets a register tile through a local copy") {
  const Size m("m"), n("n"), k("k");
  const Tensor x = input("x", f32, {m, k}), w = weight("w", f32, {k, n});
  const Tensor out = compute("out", {m, n}, [&](Expr i, Expr j) {
    return sum(k, [&](Expr r) { return x(i, r) * w(r, j); });
  });
  const Program p = program("matmul", {x, w}, {out});
  const Sizes sizes = sizes_of(p, {{"m", 5}, {"n", 19}, {"k", 3}});
  Followed s(p, sizes, sizes);
  tiled(s, {4, 16}, "out");
  check_golden("schedule/register_tile_in_place", print(s->program()));
}

TEST_CASE("A convolution gets a register tile over columns and channels") {
  const Tensor x = input("x", f32, {6, 11, 3}), w = weight("w", f32, {10, 3, 3, 3});
  const Tensor conv = compute("conv", {4, 9, 10}, [&](Expr y, Expr c, Expr o) {
    return sum({3, 3, 3},
               [&](Expr a, Expr b, Expr r) { return x(y + a, c + b, r) * w(o, a, b, r); });
  });
  const Tensor out =
      compute("out", {4, 9, 10}, [&](Expr y, Expr c, Expr o) { return max(conv(y, c, o), 0.0f); });
  const Program p = program("conv", {x, w}, {out});
  Followed s(p, {});
  tiled(s, {4, 8}, "conv");
  check_golden("schedule/register_tile_conv", print(s->program()));
}

TEST_CASE("One loop makes a row of accumulators") {
  const Size n("n"), k("k");
  const Tensor x = input("x", f32, {k}), w = weight("w", f32, {n, k});
  const Tensor dot =
      compute("dot", {n}, [&](Expr i) { return sum(k, [&](Expr r) { return x(r) * w(i, r); }); });
  const Tensor out = compute("out", {n}, [&](Expr i) { return abs(dot(i)); });
  const Program p = program("matvec", {x, w}, {out});
  const Sizes sizes = sizes_of(p, {{"n", 21}, {"k", 4}});
  Followed s(p, sizes, sizes);
  const std::vector<Loop> loops = s->loops("out");
  s->register_tile("dot", loops, {8});
  s.check();
}

TEST_CASE("A register tile over a loop that fuses two dimensions is refused with the reason") {
  const Program p = linear_relu();
  const Sizes sizes = sizes_of(p, {{"m", 5}, {"n", 19}, {"k", 3}});
  Followed s(p, sizes, sizes);
  const std::vector<Loop> loops = s->loops("out");
  const Loop fused = s->fuse(loops[0], loops[1]);
  s.check();
  s->register_tile("linear", {fused}, {8});
  CHECK(refusal_of(s.schedule()) ==
        "schedule step 2: register_tile(linear, {ij}, {8}) refused\n"
        "  vectorize(i): the lanes of a vector must be a constant number, and loop i runs over "
        "0..(ijo * 8 + 7) // 19 - ijo * 8 // 19 + 1: split it first\n"
        "  legal here: split(i, 16), then vectorize(ii)");
}

TEST_CASE("A register tile that is refused changes nothing") {
  const Program p = linear_relu();
  Schedule s(p);
  const auto [i, j] = s.loops<2>("out");
  const RegisterTile tile = s.register_tile("linear", {i, j}, {12, 0});
  CHECK(refusal_of(s) ==
        "schedule step 1: register_tile(linear, {i_1, j_1}, {12, 0}) refused\n"
        "  split(j_1, 0): the factor of a split must be at least 1 and at most 2147483648, and it "
        "is 0");
  CHECK(s.trace().steps().empty());
  CHECK(structurally_equal(s.program(), Schedule(p).program()));
  CHECK(tile.outer(0).var());
  CHECK(tile.inner(1).var());
  s.parallelize(tile.outer(1));

  Schedule few(p);
  few.register_tile("linear", {i, j}, {12});
  CHECK(refusal_of(few) ==
        "schedule step 1: register_tile(linear, {i_1, j_1}, {12}) refused\n"
        "  one factor per loop is needed, and at least one loop; there are 2 loops and 1 factor");

  Schedule own(p);
  own.register_tile("linear", own.loops("linear"), {12, 32});
  CHECK(refusal_of(own) ==
        "schedule step 1: register_tile(linear, {i, j}, {12, 32}) refused\n"
        "  these are the loops that compute linear; the tile is made of the loops of the statement "
        "that reads it");
}

TEST_CASE("A register tile needs a stage that is read along its last loop") {
  const Size m("m"), n("n"), k("k");
  const Tensor x = input("x", f32, {m, k});
  const Tensor rows =
      compute("rows", {m}, [&](Expr i) { return sum(k, [&](Expr r) { return x(i, r); }); });
  const Tensor out = compute("out", {m, n}, [&](Expr i, Expr j) { return rows(i) + cast(f32, j); });
  Schedule s(program("p", {x}, {out}));
  const auto [i, j] = s.loops<2>("out");
  s.register_tile("rows", {i, j}, {4, 8});
  CHECK(refusal_of(s) ==
        "schedule step 1: register_tile(rows, {i_1, j}, {4, 8}) refused\n"
        "  no read of rows in loop i_1 is indexed by the vector dimension, loop j");
}

}  // namespace
}  // namespace tenon::test
