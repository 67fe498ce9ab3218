#include "tenon/analysis/interval.h"

#include <catch2/catch.hpp>
#include <random>

#include "analysis/evaluate.h"
#include "analysis/random_expr.h"
#include "analysis/span.h"
#include "analysis/wide.h"
#include "tenon/ir/fold.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/program.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

struct Names {
  Var n{"n"}, m{"m"}, io{"io"}, ii{"ii"}, r{"r"}, s{"s"}, data{"data"};
  Facts facts = Facts()
                    .with_size(n)
                    .with_size(m)
                    .inside(LoopRange{io, 0, ceildiv(m, 12)})
                    .inside(LoopRange{ii, 0, 12});
};

std::string text(const Interval& i) {
  const auto end = [](const std::optional<int64_t>& e) { return e ? std::to_string(*e) : "?"; };
  return end(i.lo) + ".." + end(i.hi);
}

TEST_CASE_METHOD(Names, "constant bounds come from loops, sizes and conditions") {
  CHECK(text(bounds(Expr(ii) * 2 - 1, facts)) == "-1..21");
  CHECK(text(bounds(Expr(io) + 1, facts)) == "1..?");
  CHECK(text(bounds(Expr(ii) - io, facts)) == "?..11");
  CHECK(text(bounds(Expr(io) * 12 + ii, facts)) == "0..?");
  CHECK(text(bounds(Expr(io) % 8, facts)) == "0..7");
  CHECK(text(bounds(Expr(ii) / 5, facts)) == "0..2");
  CHECK(text(bounds(-Expr(ii) / 5, facts)) == "-3..0");
  CHECK(text(bounds(min(Expr(io), 9), facts)) == "0..9");
  CHECK(text(bounds(max(Expr(ii), 9), facts)) == "9..11");
  CHECK(text(bounds(Expr(n), facts.given(Expr(n) <= 40).given(3 < Expr(n)))) == "4..40");
  CHECK(text(bounds(Expr(n), facts.given(Expr(n) == 7))) == "7..7");
  CHECK(text(bounds(select(Expr(ii) < 3, 5, Expr(ii)), facts)) == "3..11");
  CHECK(text(bounds(select(3 < Expr(ii), Expr(ii) - 4, Expr(ii) + 1), facts)) == "0..7");
  CHECK(text(bounds(select(Expr(ii) < 12, Expr(ii), 99), facts)) == "0..11");
  CHECK(text(bounds(select(Expr(ii) == 2, Expr(ii), select(5 < Expr(ii), 7, Expr(ii))), facts)) ==
        "0..7");
  // The condition of an arm is followed to one variable, and the way ends.
  const Facts knot = facts.given(Expr(n) <= select(Expr(n) < 3, Expr(n), 5));
  CHECK(text(bounds(select(Expr(n) < 9, Expr(n), 0), knot)) == "0..8");
  CHECK(text(bounds(Expr(ii) < 12, facts)) == "1..1");
  CHECK(text(bounds(binary(BinaryOp::kCheck, data, 10), facts)) == "0..9");
}

TEST_CASE_METHOD(Names, "names have the range of their value") {
  const Facts bound = facts.bound(Bind{r, Expr(ii) * 3}).bound(Bind{s, Expr(r) + 1});
  CHECK(text(bounds(Expr(s), bound)) == "1..34");
}

TEST_CASE_METHOD(Names, "data has the range of its type, and its sums may wrap") {
  CHECK(text(bounds(Expr(data), facts)) == "?..?");
  CHECK(text(bounds(Expr(data) % 8, facts)) == "0..7");
  CHECK(text(bounds((Expr(data) + 1) % 8, facts)) == "0..7");
  CHECK(text(bounds(min(Expr(data), 5), facts)) == "?..5");
  CHECK(text(bounds(min(Expr(data), 5) - 1, facts)) == "?..?");
  const Buffer bytes("bytes", u8), counts("counts", i32);
  CHECK(text(bounds(cast(i64, load(bytes, {ii})) + 1, facts)) == "1..256");
  CHECK(text(bounds(load(bytes, {ii}) + load(bytes, {ii}), facts)) == "0..255");
  CHECK(text(bounds(cast(i64, load(counts, {ii})) * 2, facts)) == "-4294967296..4294967294");
}

std::string over(const Expr& e, const std::vector<LoopRange>& inner, const Facts& facts) {
  const std::optional<SymbolicInterval> bounds = bounds_over(e, inner, facts);
  return bounds ? print(bounds->lo) + " .. " + print(bounds->hi) : "unknown";
}

TEST_CASE_METHOD(Names, "inner loops are eliminated by their ends, innermost first") {
  const std::vector<LoopRange> tile = {{r, 0, 3}, {s, 0, 12}};
  CHECK(over(Expr(io) * 12 + s, tile, facts) == "io * 12 .. io * 12 + 11");
  CHECK(over(Expr(io) * 12 + ii - r, tile, facts) == "io * 12 + ii - 2 .. io * 12 + ii");
  CHECK(over(Expr(io) + r + s, tile, facts) == "io .. io + 13");
  CHECK(over(Expr(s), {{r, 0, n}, {s, r, Expr(r) + n}}, facts) == "0 .. n * 2 - 2");
  CHECK(over(Expr(n) * r, {{r, 0, 4}}, facts) == "0 .. n * 3");
  CHECK(over((Expr(io) * 12 + s) / 4, tile, facts) == "io * 3 .. io * 3 + 2");
  CHECK(over(min(Expr(io) * 12 + s, Expr(m) - 1), tile, facts) ==
        "io * 12 .. min(m - 1, io * 12 + 11)");
  CHECK(over((Expr(io) + s) % 5, tile, facts) == "0 .. 4");
  CHECK(over(Expr(io), tile, facts) == "io .. io");
  const Buffer x("x", i64);
  CHECK(over(load(x, {s}), tile, facts) == "unknown");
  CHECK(over(binary(BinaryOp::kCheck, load(x, {s}), n), tile, facts.given(1 <= Expr(n))) ==
        "0 .. n - 1");
  // What the Program may write in the meantime bounds nothing elsewhere.
  CHECK(over(Expr(s), {{s, 0, load(x, {io})}}, facts) == "unknown");
  CHECK(over(Expr(s), {{s, 0, load(x, {io})}}, facts.with_fixed(x)) == "0 .. x[io] - 1");
}

TEST_CASE_METHOD(Names, "the arms of a select are bounded where they are taken") {
  const Expr i(r), q(s);
  const std::vector<LoopRange> row = {{r, 0, n}}, tile = {{r, 0, n}, {s, 0, 12}};
  const Facts some = facts.given(1 <= Expr(n));
  CHECK(over(select(i < 1, 0, i - 1), row, facts.given(2 <= Expr(n))) == "0 .. n - 2");
  CHECK(over(select(i == 0, 0, i - 1), row, facts.given(2 <= Expr(n))) == "0 .. n - 2");
  CHECK(over(select(i != Expr(n) - 1, i + 1, 0), row, facts.given(2 <= Expr(n))) == "0 .. n - 1");
  CHECK(over(select(i + 1 < n, i + 1, i), row, some) == "min(n - 1, 1) .. n - 1");
  CHECK(over(select(i * 4 + 2 <= 13, i, 0), {{r, 0, 8}}, facts) == "0 .. 2");
  CHECK(over(select(14 <= i * 4, i, 7), {{r, 0, 8}}, facts) == "4 .. 7");
  CHECK(over(select((2 <= i) & (i < 5), i - 2, 2), {{r, 0, 8}}, facts) == "0 .. 2");
  // A loop that goes later narrows its range then.
  CHECK(over(select(i < 1, q, i * 12 + q - 12), tile, some) == "0 .. max(n * 12 - 13, 11)");
  // Data tells nothing, and neither does a sum that may wrap.
  const Buffer x("x", i64);
  CHECK(over(select(load(x, {io}) < i, i, 0), row, some.with_fixed(x)) == "0 .. n - 1");
  CHECK(over(select(i + data < 5, i, 0), row, some.with_fixed(data)) == "0 .. n - 1");
}

TEST_CASE("bounds over loops hold in every iteration") {
  test::Random random(9);
  const Var outer("outer");
  int bounded = 0, tight = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<Var> vars = {outer};
    std::vector<LoopRange> inner;
    for (const char* name : {"p", "q"}) {
      const For loop = random.loop(name, vars);
      inner.push_back({loop.var, loop.lo, loop.hi});
      vars.push_back(loop.var);
    }
    const Expr e = random.index(vars);
    const Facts facts = Facts().inside(LoopRange{outer, 0, 5});
    const std::optional<SymbolicInterval> bounds = bounds_over(e, inner, facts);
    if (!bounds) continue;
    ++bounded;
    CAPTURE(print(e), print(bounds->lo), print(bounds->hi));
    for (const Expr& end : {bounds->lo, bounds->hi}) {
      for (const Var& var : free_vars(end)) REQUIRE(var == outer);
    }
    bool ends_reached = true;
    for (int64_t o = 0; o < 5; ++o) {
      Values values = {{outer, o}};
      const int64_t lo = *evaluate(bounds->lo, values), hi = *evaluate(bounds->hi, values);
      int64_t least = hi + 1, most = lo - 1;
      const auto range = [&](int k) {
        return std::pair(*evaluate(inner[k].lo, values), *evaluate(inner[k].hi, values));
      };
      const auto [p_lo, p_hi] = range(0);
      for (int64_t p = p_lo; p < p_hi; ++p) {
        values = {{outer, o}, {inner[0].var, p}};
        const auto [q_lo, q_hi] = range(1);
        for (int64_t q = q_lo; q < q_hi; ++q) {
          values = {{outer, o}, {inner[0].var, p}, {inner[1].var, q}};
          const int64_t value = *evaluate(e, values);
          REQUIRE(lo <= value);
          REQUIRE(value <= hi);
          least = std::min(least, value), most = std::max(most, value);
        }
      }
      ends_reached = ends_reached && (most < lo || (least == lo && most == hi));
    }
    tight += ends_reached;
  }
  std::printf("bounds_over: %d of 5000 bounded, %d exactly\n", bounded, tight);
  CHECK(bounded > 4500);
}

TEST_CASE("spans of all operators hold every value, brute force on small types") {
  static constexpr BinaryOp kOps[] = {BinaryOp::kFloorDiv, BinaryOp::kFloorMod};
  const auto apply = [](BinaryOp op, int64_t a, int64_t b) {
    return *as_int(fold_constants(binary(op, constant_int(i64, a), constant_int(i64, b))));
  };
  std::mt19937 random(3);
  const auto pick = [&](int lo, int hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  for (int round = 0; round < 20000; ++round) {
    Span a{pick(-9, 9), {}}, b{pick(-6, 6), {}};
    a.hi = *a.lo + pick(0, 6);
    b.hi = *b.lo + pick(0, 6);
    for (BinaryOp op : kOps) {
      const Span span = op == BinaryOp::kFloorDiv ? floor_div(a, b) : floor_mod(a, b);
      for (int64_t x = *a.lo; x <= *a.hi; ++x) {
        for (int64_t y = *b.lo; y <= *b.hi; ++y) {
          const int64_t value = apply(op, x, y);
          if ((span.lo && value < *span.lo) || (span.hi && value > *span.hi)) {
            CAPTURE(*a.lo, *a.hi, *b.lo, *b.hi, x, y, value);
            FAIL(name_of(op));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenon
