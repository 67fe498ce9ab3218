#include "tenon/schedule/lint.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "tenon/dsl/dsl.h"
#include "tenon/schedule/schedule.h"

namespace tenon {
namespace {

const Target kV3 = *Target::parse("x86-64-v3");

std::string hints_of(const Schedule& s, const Target& target = kV3) {
  INFO(s.status());
  REQUIRE(s.status().ok());
  std::ostringstream text;
  for (const Hint& hint : lint(s.program(), target)) text << hint;
  return text.str();
}

struct Matmul {
  Size m{"m"}, n{"n"}, k{"k"};
  Tensor a = input("a", f32, {m, k}), b = weight("b", f32, {k, n});
  Tensor c = compute("c", {m, n}, [&](Expr i, Expr j) {
    return sum(k, [&](Expr r) { return a(i, r) * b(r, j); });
  });
  Tensor out = compute("out", {m, n}, [&](Expr i, Expr j) { return max(c(i, j), 0.0f); });
  Schedule schedule(int64_t rows = 96, int64_t columns = 96) const {
    return Schedule(program("matmul", {a, b}, {out}), {{m, rows}, {n, columns}, {k, 40}});
  }
};

TEST_CASE("naive loops could have lanes, and a reduction needs rfactor for them") {
  CHECK(hints_of(Matmul().schedule()) == R"(c[i, j] += a[i, r] * b[r, j]
  r takes one element at a time; a vector holds 8 of f32
  split(r, 8), then rfactor(ri), and vectorize it; or vectorize a loop that the target uses
out[i_1, j_1] = max(c[i_1, j_1], 0.0)
  j_1 takes one element at a time; a vector holds 8 of f32
  split(j_1, 8), then vectorize(ji)
)");
}

TEST_CASE("a reduction through memory is named with the loop that makes it so") {
  Schedule s = Matmul().schedule();
  auto [i, j, k] = [&] {
    const std::vector<Loop> loops = s.all_loops("c");
    return std::array{loops[0], loops[1], loops[2]};
  }();
  s.decompose_init(i);
  const std::vector<Loop> loops = s.all_loops("c");
  auto [jo, ji] = s.split(loops[1], 8);
  s.reorder({loops[2], jo, ji});
  s.vectorize(ji);
  const std::vector<Hint> hints = lint(s.program(), kV3);
  REQUIRE(!hints.empty());
  const auto found = std::find_if(hints.begin(), hints.end(), [](const Hint& hint) {
    return hint.kind == Hint::Kind::kReductionInMemory;
  });
  REQUIRE(found != hints.end());
  CHECK(found->reason == "every iteration of r goes through c in memory again, by its loop jo");
  CHECK(found->advice == "register_tile keeps the sums in registers; or put r inside of jo");
}

TEST_CASE("a register tile has nothing to improve, at every width") {
  for (const char* name : {"x86-64-v3", "x86-64-v4"}) {
    const Target target = *Target::parse(name);
    const auto [rows, columns] = target.matmul_tile(f32);
    for (int64_t size : {96, 37}) {
      Schedule s = Matmul().schedule(size, size);
      auto [i, j] = s.loops<2>("out");
      s.register_tile("c", {i, j}, {rows, columns});
      CHECK(hints_of(s, target) == "");
    }
  }
}

TEST_CASE("a tile larger than the registers is named") {
  Schedule s = Matmul().schedule();
  auto [i, j] = s.loops<2>("out");
  s.register_tile("c", {i, j}, {12, 16});
  const std::vector<Hint> hints = lint(s.program(), kV3);
  REQUIRE(hints.size() == 1);
  CHECK(hints[0].kind == Hint::Kind::kTileTooLarge);
  CHECK(hints[0].reason ==
        "one iteration of r adds to 24 vectors of c; the target has 16 registers");
}

TEST_CASE("a vector reduction that folds in every iteration is sent to rfactor") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Tensor y = compute("y", {}, [&] { return sum(n, [&](Expr r) { return x(r); }); });
  Schedule s(program("total", {x}, {y}), {{n, 64}});
  auto [ro, ri] = s.split(s.all_loops("y")[0], 8);
  Schedule direct = s;
  direct.vectorize(ri);
  CHECK(hints_of(direct) == R"(y[] += x[ro * 8 + ri]
  the lanes of ri are folded into one element in every iteration of ro
  rfactor(ri) before vectorize: partial sums in lanes, folded once
)");
  const Partials partial = s.rfactor(ri);
  s.vectorize(ri);
  s.vectorize(partial.init[0]);
  s.vectorize(partial.fold[0]);
  CHECK(hints_of(s) == "");
}

TEST_CASE("lanes that lie apart in memory are named with their distance") {
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m, n}), at = input("at", i32, {m});
  const Tensor y = compute("y", {n, m}, [&](Expr j, Expr i) { return x(i, j); });
  Schedule s(program("transpose", {x}, {y}));
  auto [j, i] = s.loops<2>("y");
  s.vectorize(s.split(i, 8).second);
  CHECK(hints_of(s) == R"(y[i, jo * 8 + ji] = x[jo * 8 + ji, i]
  the lanes of ji lie n elements apart in x
  vectorize another loop, or give x a layout in which they are neighbours
)");

  const Tensor z = compute("z", {m}, [&](Expr k) { return x(k / 2, 0) + x(0, 2 * k % 4); });
  Schedule t(program("gather", {x}, {z}, {require(n >= 4)}));
  t.vectorize(t.split(t.loops<1>("z")[0], 8).second);
  const std::vector<Hint> hints = lint(t.program(), kV3);
  REQUIRE(hints.size() == 1);
  CHECK(hints[0].reason == "the lanes of ii lie anywhere in x: each is an access of its own");
}

TEST_CASE("vectors that do not fill the target's are named") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Tensor y = compute("y", {n}, [&](Expr i) { return x(i) + 1; });
  Schedule s(program("add", {x}, {y}));
  s.vectorize(s.split(s.loops<1>("y")[0], 12).second);
  CHECK(hints_of(s) == R"(y[io * 12 + ii] = x[io * 12 + ii] + 1.0
  ii has 12 lanes of f32; a vector of the target holds 8
  a multiple of 8 fills them
)");
}

TEST_CASE("a stage that a loop declares anew is not carried through it") {
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m, n});
  const Tensor peak =
      compute("peak", {m}, [&](Expr i) { return max_over(n, [&](Expr r) { return x(i, r); }); });
  const Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) { return x(i, j) - peak(i); });
  Schedule s(program("centred", {x}, {y}), {{m, 4}, {n, 64}});
  auto [i, j] = s.loops<2>("y");
  s.compute_at("peak", i);
  s.lanes(s.all_loops("peak").back());
  s.vectorize(s.split(j, 16).second);
  CHECK(hints_of(s) == "");
}

TEST_CASE("what cannot be better is left alone") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  // A loop shorter than a vector, and a serial loop whose iterations depend on each other.
  const Tensor small = compute("y", {4}, [&](Expr i) { return x(i); });
  CHECK(hints_of(Schedule(program("small", {x}, {small}), {{n, 4}})) == "");
  const absl::StatusOr<Program> chain = parse(R"(program chain
    input x: f32[64]
    output y: f32[65]
  {
    y[0] = 0.0
    for i in 0..64 { y[i + 1] = y[i] * 0.5 + x[i] }
  })");
  REQUIRE(chain.ok());
  CHECK(hints_of(Schedule(*chain)) == "");
}

}  // namespace
}  // namespace tenon
