#include <catch2/catch.hpp>
#include <cmath>

#include "support/check.h"
#include "tenon/analysis/bounds.h"
#include "tenon/dsl/dsl.h"
#include "tenon/interp/interp.h"

namespace tenon {
namespace {

const Size m("m"), n("n"), k("k");

std::string refusal(const std::vector<ProgramInput>& inputs, const Tensor& y) {
  const absl::StatusOr<Program> built = build_program("p", inputs, {y});
  REQUIRE_FALSE(built.ok());
  return std::string(built.status().message());
}

TEST_CASE("a histogram accumulates at indices that are data") {
  Tensor bins = input("bins", i32, {n});
  const Tensor zeros = compute("zeros", {k}, [](Expr) { return cast(i32, Expr(0)); });
  const Program p = test::checked(program(
      "p", {bins},
      {update("counts", zeros,
              scatter(
                  n, [&](Expr r) { return bins(r); }, [](Expr) { return 1; }, Reducer::kSum))}));
  CHECK(print(p->body, p) == R"(alloc zeros: i32[k]
for i in 0..k {
  zeros[i] = 0i32
}
for i_1 in 0..k {
  counts[i_1] = zeros[i_1]
}
for r in 0..n {
  counts[check(cast<i64>(bins[r]), k)] += 1i32
}
)");
  CHECK(with_checked_bounds(p).ok());
  Array in = Array::of<int32_t>({5}, {1, 0, 1, 3, 1}), out(i32, {4});
  REQUIRE(interpret(p, {}, {&in, &out}) == absl::OkStatus());
  CHECK(out.values<int32_t>() == std::vector<int32_t>{1, 3, 0, 1});
  Array bad = Array::of<int32_t>({2}, {1, 4});
  const absl::Status status = interpret(p, {}, {&bad, &out});
  CHECK(status.code() == absl::StatusCode::kOutOfRange);
  CHECK(std::string(status.message()).substr(0, 25) == "index 4 is not in [0, 4),");
}

TEST_CASE("of several values for one place the last one wins") {
  Tensor x = input("x", f32, {m, k}), ids = input("ids", i64, {n}), v = input("v", f32, {n, k});
  const Program p = test::checked(program("p", {x, ids, v},
                                          {update("y", x,
                                                  scatter(
                                                      {n, k},
                                                      [&](Expr r, Expr s) -> Values {
                                                        return {ids(r), s};
                                                      },
                                                      [&](Index r) { return v(r); }))}));
  CHECK(print(p->body, p) == R"(for i in 0..m {
  for j in 0..k {
    y[i, j] = x[i, j]
  }
}
for r in 0..n {
  for s in 0..k {
    y[check(ids[r], m), s] = v[r, s]
  }
}
)");
  Array a = Array::of<float>({3, 1}, {1, 2, 3}), at = Array::of<int64_t>({3}, {2, 0, 2});
  Array values = Array::of<float>({3, 1}, {7, 8, 9}), out(f32, {3, 1});
  REQUIRE(interpret(p, {}, {&a, &at, &values, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{8, 2, 9});
}

TEST_CASE("several scatters run one after the other in one stage, over parts of domains") {
  Tensor x = input("x", f32, {n});
  const auto even = [](Expr r) { return r % 2 == 0; };
  const auto positive = [&](Expr r) { return x(r) > 0.0f; };
  const auto here = [](Expr r) { return r; };
  const auto total = [&](Expr) { return sum(n, [&](Expr s) { return x(s); }); };
  const Program p = test::checked(
      program("p", {x},
              {update("y", x,
                      {scatter(Domain(n).where(even), here, total),
                       scatter(
                           Domain(n).where(positive), [&](Expr r) { return n - 1 - r; },
                           [&](Expr r) { return x(r) + 1.0f; }, Reducer::kMax)})}));
  CHECK(print(p->body, p) == R"(alloc y_sum: f32[]
y_sum[] = -0.0
for r in 0..n {
  y_sum[] += x[r]
}
for i in 0..n {
  y[i] = x[i]
}
for r_1 in 0..(n + 1) // 2 {
  y[r_1 * 2] = y_sum[]
}
for r_2 in 0..n {
  if 0.0 < x[r_2] {
    y[n - 1 - r_2] max= x[r_2] + 1.0
  }
}
)");
  REQUIRE(with_checked_bounds(p).ok());
  Array a = Array::of<float>({3}, {-1, 8, 3}), out(f32, {3});
  REQUIRE(interpret(p, {}, {&a, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{10, 9, 10});
}

TEST_CASE("a function of the old value and the new one") {
  Tensor x = input("x", f32, {m}), ids = input("ids", i32, {n}), v = input("v", f32, {n});
  const Program p = test::checked(
      program("p", {x, ids, v},
              {update("y", x,
                      scatter(
                          n, [&](Expr r) { return ids(r); }, [&](Expr r) { return v(r); },
                          [](Expr old, Expr e) { return old * 0.5f + e; }))}));
  CHECK(print(p->body, p) == R"(for i in 0..m {
  y[i] = x[i]
}
for r in 0..n {
  y[check(cast<i64>(ids[r]), m)] = y[check(cast<i64>(ids[r]), m)] * 0.5 + v[r]
}
)");
  REQUIRE(with_checked_bounds(p).ok());
  Array a = Array::of<float>({2}, {8, 8}), at = Array::of<int32_t>({2}, {1, 1});
  Array values = Array::of<float>({2}, {1, 2}), out(f32, {2});
  REQUIRE(interpret(p, {}, {&a, &at, &values, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{8, 4.5f});
}

TEST_CASE("an update of an update is another stage") {
  Tensor x = input("x", f32, {n}), ids = input("ids", i32, {m});
  const auto at = [&](Expr r) { return ids(r); };
  const Tensor once = update("once", x,
                             scatter(
                                 m, at, [](Expr) { return 2.0f; }, Reducer::kProd));
  const Tensor twice = update("twice", once,
                              scatter(
                                  m, at, [](Expr) { return 1.0f; }, Reducer::kSum));
  const Program p = test::checked(program("p", {x, ids}, {twice}));
  Array a = Array::of<float>({2}, {3, 5}), b = Array::of<int32_t>({2}, {1, 1}), out(f32, {2});
  REQUIRE(interpret(p, {}, {&a, &b, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{3, 22});
}

const Reduction& argmax_reducer() {
  static const Reduction by = reducer(
      "best", {-INFINITY, Expr(-1)}, {f32, i64},
      [](const Values& s, const Values& v) -> Values {
        const Expr takes = (s[1] < 0) | (s[0] < v[0]);
        return {select(takes, v[0], s[0]), select(takes, v[1], s[1])};
      },
      [](const Values& s, const Values& t) -> Values {
        const Expr later = (s[0] == t[0]) & (t[1] < s[1]);
        const Expr takes = (Expr(0) <= t[1]) & ((s[1] < 0) | (s[0] < t[0]) | later);
        return {select(takes, t[0], s[0]), select(takes, t[1], s[1])};
      });
  return by;
}

// The greatest value of each bin, and which element it was.
std::array<Tensor, 2> best_of_bins(const Tensor& bins, const Tensor& v) {
  const Tensor lowest = compute("lowest", {k}, [](Expr) { return Expr(-INFINITY); });
  const Tensor none = compute("none", {k}, [](Expr) { return Expr(-1); });
  return update<2>({"best", "at"}, {lowest, none},
                   scatter(
                       n, [&](Expr r) { return bins(r); },
                       [&](Expr r) -> Values {
                         return {v(r), r};
                       },
                       argmax_reducer()));
}

TEST_CASE("functions of the user's own update several tensors at one index") {
  Tensor bins = input("bins", i32, {n}), v = input("v", f32, {n});
  const auto [best, at] = best_of_bins(bins, v);
  const Program p = test::checked(program("p", {bins, v}, {best, at}));
  CHECK_THAT(print(p->body, p), Catch::Contains(R"(for i_2 in 0..k {
  best[i_2] = lowest[i_2]
  at[i_2] = none[i_2]
}
for r in 0..n {
  (best, at)[check(cast<i64>(bins[r]), k)] best_1= (v[r], r)
}
)"));
  REQUIRE(with_checked_bounds(p).ok());
  Array where = Array::of<int32_t>({6}, {2, 0, 2, 2, 0, 2});
  Array values = Array::of<float>({6}, {5, -1, 7, 7, -3, 6}), out(f32, {4}), places(i64, {4});
  REQUIRE(interpret(p, {}, {&where, &values, &out, &places}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{-1, -INFINITY, 7, -INFINITY});
  CHECK(places.values<int64_t>() == std::vector<int64_t>{1, -1, 2, -1});
}

TEST_CASE("a result that nobody reads is kept for the reducer") {
  Tensor bins = input("bins", i32, {n}), v = input("v", f32, {n});
  const Program p = test::checked(program("p", {bins, v}, {best_of_bins(bins, v)[1]}));
  CHECK_THAT(print(p), Catch::Contains("(at_0, at)["));
  Array where = Array::of<int32_t>({3}, {0, 0, 1}), values = Array::of<float>({3}, {1, 2, 0});
  Array places(i64, {2});
  REQUIRE(interpret(p, {}, {&where, &values, &places}) == absl::OkStatus());
  CHECK(places.values<int64_t>() == std::vector<int64_t>{1, 2});
}

TEST_CASE("mean and variance of every bin in one pass, over a part of the domain") {
  const Reduction welford = reducer(
      "welford", {0.0f, 0.0f, 0.0f}, {f32},
      [](const Values& s, const Values& v) -> Values {
        const Expr count = s[0] + 1.0f, delta = v[0] - s[1], mean = s[1] + delta / count;
        return {count, mean, s[2] + delta * (v[0] - mean)};
      },
      [](const Values& s, const Values& t) -> Values {
        const Expr count = s[0] + t[0], delta = t[1] - s[1];
        const auto some = [&](const Expr& e) { return select(count == 0.0f, 0.0f, e); };
        return {count, s[1] + some(delta * t[0] / count),
                s[2] + t[2] + some(delta * delta * s[0] * t[0] / count)};
      });
  Tensor bins = input("bins", i32, {n}), v = input("v", f32, {n});
  const Tensor zeros = compute("zeros", {k}, [](Expr) { return Expr(0.0f); });
  const auto positive = [&](Expr r) { return v(r) > 0.0f; };
  const auto [count, mean, m2] =
      update<3>({"count", "mean", "m2"}, {zeros, zeros, zeros},
                scatter(
                    Domain(n).where(positive), [&](Expr r) { return bins(r); },
                    [&](Expr r) { return v(r); }, welford));
  const Program p = test::checked(program("p", {bins, v}, {count, mean, m2}));
  Array where = Array::of<int32_t>({5}, {1, 1, 0, 1, 1}),
        values = Array::of<float>({5}, {1, 3, 4, -9, 5}), a(f32, {2}), b = a, c = a;
  REQUIRE(interpret(p, {}, {&where, &values, &a, &b, &c}) == absl::OkStatus());
  CHECK(a.values<float>() == std::vector<float>{1, 3});
  CHECK(b.values<float>() == std::vector<float>{4, 3});
  CHECK(c.values<float>() == std::vector<float>{0, 8});
}

TEST_CASE("several values are stored at one index, and in place a reducer of one result updates") {
  Tensor ids = input("ids", i32, {n}), x = input("x", f32, {k}), y = input("y", i32, {k});
  const auto [a, b] = update<2>({"a", "b"}, {x, y},
                                scatter(
                                    n, [&](Expr r) { return ids(r); },
                                    [&](Expr r) -> Values {
                                      return {0.5f, cast(i32, r)};
                                    }));
  const Program p = test::checked(program("p", {ids, x, y}, {a, b}));
  Array at = Array::of<int32_t>({3}, {1, 0, 1}), from = Array::of<float>({3}, {7, 8, 9});
  Array more = Array::of<int32_t>({3}, {7, 8, 9}), to(f32, {3}), last(i32, {3});
  REQUIRE(interpret(p, {}, {&at, &from, &more, &to, &last}) == absl::OkStatus());
  CHECK(to.values<float>() == std::vector<float>{0.5f, 0.5f, 9});
  CHECK(last.values<int32_t>() == std::vector<int32_t>{1, 2, 9});

  const auto both = [](const Values& s, const Values& t) -> Values { return {s[0] | t[0]}; };
  const Reduction bits = reducer("bits", {cast(i32, Expr(0))}, {i32}, both, both);
  Tensor seen = inout("seen", i32, {k});
  const Program q =
      test::checked(program("q", {ids},
                            {update(seen, scatter(
                                              n, [&](Expr r) { return ids(r); },
                                              [](Expr r) { return cast(i32, r + 1); }, bits))}));
  Array state = Array::of<int32_t>({3}, {0, 8, 4});
  REQUIRE(interpret(q, {}, {&at, &state}) == absl::OkStatus());
  CHECK(state.values<int32_t>() == std::vector<int32_t>{2, 11, 4});
}

TEST_CASE("wrong updates by functions are reported") {
  Tensor bins = input("bins", i32, {n}), v = input("v", f32, {n});
  Tensor f = input("f", f32, {k}), i = input("i", i64, {k}), wide = input("wide", i64, {k, k});
  const auto at = [&](Expr r) { return bins(r); };
  const auto element = [&](Expr r) -> Values { return {v(r), r}; };
  const std::string in_a = "in the definition of a: update a";
  CHECK(refusal({bins, v, f}, update("a", f, scatter(n, at, element, argmax_reducer()))) ==
        in_a + ": reducer best has 2 results, and 1 tensor is updated");
  const auto two = [&](const Tensor& first, const Tensor& second, const Scatter& s) {
    return refusal({bins, v, f, i, wide}, update<2>({"a", "b"}, {first, second}, s)[0]);
  };
  CHECK(two(i, i, scatter(n, at, element, argmax_reducer())) ==
        in_a + ", b: result 0 of reducer best has type f32, and i has i64");
  CHECK(two(f, wide, scatter(n, at, element, argmax_reducer())) ==
        in_a +
            ", b: f is f32[k] and wide is i64[k, k]; tensors that are updated together have one "
            "shape");
  CHECK(two(f, i,
            scatter(
                n, at, [&](Expr r) { return v(r); }, argmax_reducer())) ==
        "in the definition of a: reducer best takes 2 values of an element, and 1 are given");
  CHECK(two(f, i, scatter(n, at, element, Reducer::kSum)) ==
        in_a + ", b: reducer + has 1 result, and 2 tensors are updated");
  CHECK(two(f, i, scatter(n, at, [&](Expr r) { return v(r); })) ==
        in_a + ", b: the function returns 1 value for 2 tensors");
  CHECK(two(f, i, scatter(n, at, element, [](Expr old, Expr) { return old; })) ==
        in_a +
            ", b: a function of old and new updates one tensor; several are updated by a "
            "reducer");
}

TEST_CASE("wrong updates are reported") {
  Tensor x = input("x", f32, {m, n}), flags = input("flags", boolean, {n});
  const auto zero = [](Expr) { return Expr(0.0f); };
  const auto pair = [](Expr r) -> Values { return {r, r}; };
  const std::string in_y = "in the definition of y: ";
  CHECK(refusal({x}, update("y", x,
                            scatter(
                                n, [](Expr r) { return r; }, zero))) ==
        in_y + "update y: x has 2 dimensions and the index has 1");
  CHECK(refusal({x}, update("y", x,
                            scatter(
                                n, [](Expr, Expr r) { return r; }, zero))) ==
        in_y + "a function over 1 dimension takes 1 index or one tn::Index");
  CHECK(refusal({x}, update("y", x,
                            scatter(
                                n,
                                [](Expr r) -> Values {
                                  return {r, 0.5f};
                                },
                                zero))) ==
        in_y + "update y: index 1 has type f32; an index is an integer");
  CHECK(refusal({x}, update("y", x, scatter(n, pair, [](Expr r) { return r; }))) ==
        in_y + "update y: a value has type i64 and x has f32; cast it");
  CHECK(refusal({x}, update("y", x, scatter(n, pair, [](Expr) { return Expr(); }))) ==
        in_y + "update y: the function returns no expression");
  CHECK(refusal({flags}, update("y", flags,
                                scatter(
                                    n, [](Expr r) { return r; }, [&](Expr r) { return flags(r); },
                                    Reducer::kMax))) ==
        in_y + "update y: bool values are not combined; cast them to an integer first");
  const auto combined = [&](auto combine) {
    return update("y", x, scatter(n, pair, zero, combine));
  };
  CHECK(refusal({x}, combined([](Expr, Expr) { return Expr(1); })) ==
        in_y + "update y: combine gives i64 and x has f32; cast it");
  CHECK(refusal({x}, combined([](Expr old, Expr) { return sum(3, [&](Expr) { return old; }); })) ==
        in_y + "update y: combine reduces over the old value");
  CHECK(refusal({x}, update("y", x, scatter(0.5f, pair, zero))) ==
        in_y + "update y: an extent has type f32; it must be an integer");
  // What is written must be in range, or data: then it is checked.
  const Program p = test::checked(
      program("p", {x}, {update("y", x, scatter(n, pair, [](Expr) { return 1.0f; }))}));
  CHECK(std::string(with_checked_bounds(p).status().message()).find("y[r, r] = 1.0 leaves y") !=
        std::string::npos);
}

}  // namespace
}  // namespace tenon
