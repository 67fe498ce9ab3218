// Reductions by functions, as the interpreter runs them.
#include <catch2/catch.hpp>
#include <cmath>

#include "support/check.h"
#include "tenon/dsl/dsl.h"
#include "tenon/interp/interp.h"

namespace tenon {
namespace {

using Catch::Contains;
using test::checked;

std::string body_of(const Program& p) {
  const std::string text = print(checked(p));
  return text.substr(text.find("{\n"));
}

constexpr float kInf = INFINITY;

template <class T>
std::vector<T> run(const Program& p, Array x, std::vector<int64_t> shape) {
  Array out(type_of<T>(), std::move(shape));
  const absl::Status status = interpret(p, {}, {&x, &out});
  INFO(print(p) << status);
  REQUIRE(status.ok());
  return out.values<T>();
}

// The index of the extremum in one row of values.
int64_t index_of(const std::vector<float>& values, Tie tie, bool least) {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const auto element = [&](Expr r) { return x(r); };
  const Tensor at =
      compute("at", {}, [&] { return least ? argmin(n, element, tie) : argmax(n, element, tie); });
  const Program p = checked(program("arg", {x}, {at}));
  return run<int64_t>(p, Array::of({static_cast<int64_t>(values.size())}, values), {})[0];
}

int64_t first_max(const std::vector<float>& v) { return index_of(v, Tie::kFirst, false); }
int64_t last_max(const std::vector<float>& v) { return index_of(v, Tie::kLast, false); }
int64_t first_min(const std::vector<float>& v) { return index_of(v, Tie::kFirst, true); }
int64_t last_min(const std::vector<float>& v) { return index_of(v, Tie::kLast, true); }

TEST_CASE("argmax and argmin take the first of equal elements, or the last") {
  const std::vector<float> v = {1, 4, 4, 2, -4, 4, 0, -4};
  CHECK(first_max(v) == 1);
  CHECK(last_max(v) == 5);
  CHECK(first_min(v) == 4);
  CHECK(last_min(v) == 7);
  CHECK(first_max({0.0f, -0.0f}) == 0);
  CHECK(last_max({0.0f, -0.0f}) == 1);
}

TEST_CASE("infinities are elements, and nothing has no index") {
  CHECK(first_max({-kInf, -kInf}) == 0);
  CHECK(last_max({-kInf, -kInf}) == 1);
  CHECK(first_min({kInf}) == 0);
  CHECK(first_max({}) == -1);
  CHECK(last_min({}) == -1);
}

TEST_CASE("a NaN is the greatest and the least") {
  CHECK(first_max({1, NAN, kInf, NAN}) == 1);
  CHECK(last_max({1, NAN, kInf, NAN, 2}) == 3);
  CHECK(first_min({1, NAN, -kInf}) == 1);
  CHECK(last_min({NAN, 3}) == 0);
}

TEST_CASE("an index counts the domain, the last axis fastest, and comes with its value") {
  const Tensor x = input("x", i32, {3, 4});
  const Extremum best = max_with_index({3, 4}, [&](Expr r, Expr s) { return x(r, s); });
  const Tensor y =
      compute("y", {2}, [&](Expr i) { return select(i == 0, best.index, cast(i64, best.value)); });
  const Program p = checked(program("top", {x}, {y}));
  CHECK(run<int64_t>(p, Array::of<int32_t>({3, 4}, {0, 1, 2, 3, 4, 9, 1, 9, 8, 0, 0, 0}), {2}) ==
        std::vector<int64_t>{5, 9});
}

TEST_CASE("the results of one reduction are one nest") {
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m, n});
  const Tensor y = compute("y", {m}, [&](Expr i) {
    const Extremum best = max_with_index({n}, [&](Expr r) { return x(i, r); });
    return best.value + cast(f32, best.index);
  });
  CHECK(body_of(program("top", {x}, {y})) == R"({
  alloc y_best: f32[m]
  alloc y_at: i64[m]
  for i in 0..m {
    y_best[i] = -inf
    y_at[i] = -1
    for r in 0..n {
      (y_best, y_at)[i] argmax= (x[i, r], r)
    }
  }
  for i_1 in 0..m {
    y[i_1] = y_best[i_1] + cast<f32>(y_at[i_1])
  }
}
)");
}

TEST_CASE("a result that is the whole definition is accumulated in place") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Tensor at = compute("at", {}, [&] { return argmin(n, [&](Expr r) { return x(r); }); });
  CHECK(body_of(program("arg", {x}, {at})) == R"({
  alloc at_best: f32[]
  at_best[] = inf
  at[] = -1
  for r in 0..n {
    (at_best, at)[] argmin= (x[r], r)
  }
}
)");
}

Reduction welford() {
  return reducer(
      "welford", {0.0f, 0.0f, 0.0f}, {f32},
      [](const Values& s, const Values& v) -> Values {
        const Expr n = s[0] + 1.0f, delta = v[0] - s[1], mean = s[1] + delta / n;
        return {n, mean, s[2] + delta * (v[0] - mean)};
      },
      [](const Values& a, const Values& b) -> Values {
        const Expr n = a[0] + b[0], delta = b[1] - a[1];
        const Expr part = select(n == 0.0f, 0.0f, b[0] / n);
        return {n, a[1] + delta * part, a[2] + b[2] + delta * delta * a[0] * part};
      });
}

TEST_CASE("mean and variance in one pass") {
  const Tensor x = input("x", f32, {2, 4});
  const Reduction by = welford();
  const Tensor y = compute("y", {2, 2}, [&](Expr i, Expr j) {
    const auto [n, mean, m2] = reduce<3>(by, 4, [&](Expr r) { return x(i, r); });
    return select(j == 0, mean, m2 / n);
  });
  const Program p = checked(program("stats", {x}, {y}));
  CHECK(run<float>(p, Array::of<float>({2, 4}, {1, 2, 3, 6, 80000, 80001, 80002, 80003}), {2, 2}) ==
        std::vector<float>{3, 3.5, 80001.5, 1.25});
}

TEST_CASE("any and all") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Tensor y = compute("y", {2}, [&](Expr i) {
    const Expr some = any(n, [&](Expr r) { return x(r) > 2.0f; });
    const Expr every = all(n, [&](Expr r) { return x(r) > 2.0f; });
    return cast(i32, select(i == 0, some, every));
  });
  const Program p = checked(program("truth", {x}, {y}));
  CHECK(run<int32_t>(p, Array::of<float>({3}, {1, 2, 3}), {2}) == std::vector<int32_t>{1, 0});
  CHECK(run<int32_t>(p, Array::of<float>({2}, {5, 3}), {2}) == std::vector<int32_t>{1, 1});
  CHECK(run<int32_t>(p, Array::of<float>({2}, {0, NAN}), {2}) == std::vector<int32_t>{0, 0});
  CHECK(run<int32_t>(p, Array::of<float>({0}, {}), {2}) == std::vector<int32_t>{0, 1});
}

TEST_CASE("a reduction by functions inside another definition's condition") {
  const Tensor x = input("x", f32, {5}), flag = input("flag", i32, {3});
  const Tensor y = compute("y", {3}, [&](Expr i) {
    return select(flag(i) != 0, argmax(5, [&](Expr r) { return x(r) * cast(f32, i - 1); }),
                  Expr(-7));
  });
  const Program p = checked(program("lazy", {x, flag}, {y}));
  Array values = Array::of<float>({5}, {0, 3, -2, 5, 1}),
        flags = Array::of<int32_t>({3}, {1, 0, 1});
  Array out(i64, {3});
  REQUIRE(interpret(p, {}, {&values, &flags, &out}).ok());
  CHECK(out.values<int64_t>() == std::vector<int64_t>{2, -7, 3});
}

TEST_CASE("what is wrong with a reduction by functions is said when the program is built") {
  const Tensor x = input("x", f32, {5}), k = input("k", i64, {5});
  const auto error = [&](const Expr& e) {
    return program("p", {x, k}, {compute("y", {}, [&] { return e; })})->error;
  };
  const auto identity = [](const Values& s, const Values&) { return s; };
  const auto add = [](const Values& s, const Values& v) { return Values{s[0] + v[0]}; };
  const Reduction sum_of = reducer("total", {0.0f}, {f32}, add, add);
  CHECK(error(reduce<1>(sum_of, 5, [&](Expr r) { return x(r); })[0]).empty());
  CHECK_THAT(error(reduce<2>(sum_of, 5, [&](Expr r) { return x(r); })[0]),
             Contains("reducer total has 1 results, and 2 are asked for"));
  CHECK_THAT(error(reduce<1>(sum_of, 5, [&](Expr r) { return k(r); })[0]),
             Contains("reducer total takes a value of type f32, and i64 is given; cast it"));
  CHECK_THAT(error(reduce<1>(sum_of, 5,
                             [&](Expr r) {
                               return Values{x(r), x(r)};
                             })[0]),
             Contains("reducer total takes 1 values of an element, and 2 are given"));
  CHECK_THAT(error(reduce<1>(sum_of, 5, [&](Expr) { return Expr(); })[0]), Contains("empty"));
  CHECK_THAT(error(reduce<1>(sum_of, x(0), [&](Expr r) { return x(r); })[0]),
             Contains("an extent has type f32"));
  CHECK_THAT(error(reduce<1>(reducer("first", {0.0f}, {f32}, add, identity), 5,
                             [&](Expr r) { return x(r); })[0]),
             Contains("reducer first: combine"));
  CHECK_THAT(error(reduce<1>(reducer("none", {0.0f}, {f32}, nullptr, add), 5,
                             [&](Expr r) { return x(r); })[0]),
             Contains("reducer none: the state has 1 value, update has 0"));
  CHECK_THAT(error(any(5, [&](Expr r) { return x(r); })), Contains("any takes bool values"));
  CHECK_THAT(error(argmax(5, [&](Expr r) { return x(r) > 0.0f; })), Contains("bool"));
}

}  // namespace
}  // namespace tenon
