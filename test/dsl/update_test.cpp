#include <catch2/catch.hpp>

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
