#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/analysis/bounds.h"
#include "tenon/dsl/dsl.h"
#include "tenon/interp/interp.h"

namespace tenon {
namespace {

const Size m("m"), n("n");

std::string refusal(const Tensor& x, const Tensor& y) {
  const absl::StatusOr<Program> built = build_program("p", {x}, {y});
  REQUIRE_FALSE(built.ok());
  return std::string(built.status().message());
}

TEST_CASE("pieces are written each into its part") {
  Tensor x = input("x", f32, {m, n}), w = input("w", f32, {m, 3});
  const Tensor twice = compute("twice", {m, n}, [&](Index i) { return x(i) * 2.0f; });
  const Program p = test::checked(program("p", {x, w}, {concat("y", 1, {twice, w, x})}));
  CHECK(print(p->body, p) == R"(alloc twice: f32[m, n]
for i in 0..m {
  for j in 0..n {
    twice[i, j] = x[i, j] * 2.0
  }
}
for i_1 in 0..m {
  for j_1 in 0..n {
    y[i_1, j_1] = twice[i_1, j_1]
  }
}
for i_2 in 0..m {
  for j_2 in 0..3 {
    y[i_2, n + j_2] = w[i_2, j_2]
  }
}
for i_3 in 0..m {
  for j_3 in 0..n {
    y[i_3, n + j_3 + 3] = x[i_3, j_3]
  }
}
)");
  CHECK(print(p->params[2].shape[1]) == "n * 2 + 3");
  CHECK(with_checked_bounds(p).ok());
  Array a = Array::of<float>({1, 2}, {1, 2}), b = Array::of<float>({1, 3}, {7, 8, 9});
  Array y(f32, {1, 7});
  REQUIRE(interpret(p, {}, {&a, &b, &y}) == absl::OkStatus());
  CHECK(y.values<float>() == std::vector<float>{2, 4, 7, 8, 9, 1, 2});
}

TEST_CASE("a slice reads the tensor that it is a part of") {
  Tensor x = input("x", f32, {m, n});
  const Tensor left = slice(x, -1, 0, n / 2), right = slice(x, -1, n / 2, n);
  const Tensor y = compute("y", left.shape(), [&](Index i) { return left(i) + right(i); });
  const Tensor z = compute("z", {m}, [&](Expr i) {
    const Tensor odd = slice(x, 1, 1, n, 2);
    return sum(odd.size(1), [&](Expr r) { return odd(i, r); });
  });
  const Program p = test::checked(program("p", {x}, {y, z}));
  CHECK(print(p->body, p) == R"(for i in 0..m {
  for j in 0..n // 2 {
    y[i, j] = x[i, j] + x[i, n // 2 + j]
  }
}
for i_1 in 0..m {
  z[i_1] = -0.0
  for r in 0..n // 2 {
    z[i_1] += x[i_1, r * 2 + 1]
  }
}
)");
  const absl::StatusOr<Program> safe = with_checked_bounds(p);
  REQUIRE(safe.ok());
  CHECK(print(*safe) == print(p));
}

TEST_CASE("an index of a slice that is data is checked against the slice") {
  Tensor x = input("x", f32, {n}), ids = input("ids", i32, {m});
  const Tensor part = slice(x, 0, 1, 3);
  const Program p = test::checked(program(
      "p", {x, ids}, {compute("y", {m}, [&](Expr i) { return part(ids(i)); })}, {require(n >= 3)}));
  Array a = Array::of<float>({4}, {1, 2, 3, 4}), y(f32, {1});
  Array good = Array::of<int32_t>({1}, {1}), bad = Array::of<int32_t>({1}, {2});
  REQUIRE(interpret(p, {}, {&a, &good, &y}) == absl::OkStatus());
  CHECK(y.at<float>(0) == 3);
  CHECK(interpret(p, {}, {&a, &bad, &y}).code() == absl::StatusCode::kOutOfRange);
}

TEST_CASE("views of views") {
  Tensor x = input("x", f32, {n});
  const Tensor middle = pad_constant(slice(slice(x, 0, 1, n), 0, 0, 2), 0.0f);
  const Program p = test::checked(program(
      "p", {x}, {compute("y", {4}, [&](Expr i) { return middle(i - 1); })}, {require(n >= 3)}));
  REQUIRE(with_checked_bounds(p).ok());
  Array a = Array::of<float>({4}, {1, 2, 3, 4}), y(f32, {4});
  REQUIRE(interpret(p, {}, {&a, &y}) == absl::OkStatus());
  CHECK(y.values<float>() == std::vector<float>{0, 2, 3, 0});
}

TEST_CASE("several tensors come out of one nest, and those that nobody reads are not there") {
  Tensor x = input("x", f32, {m, n});
  auto [total, mean] = compute<2>({"total", "mean"}, {m}, [&](Expr i) -> Values {
    const Expr all = sum(n, [&](Expr r) { return x(i, r); });
    return {all, all / cast(f32, n)};
  });
  const Program both = test::checked(program("both", {x}, {mean, total}));
  CHECK(print(both->body, both) == R"(for i in 0..m {
  total[i] = -0.0
  for r in 0..n {
    total[i] += x[i, r]
  }
  mean[i] = total[i] / cast<f32>(n)
}
)");
  const Program one = test::checked(program("one", {x}, {total}));
  CHECK(print(one->body, one) == R"(for i in 0..m {
  total[i] = -0.0
  for r in 0..n {
    total[i] += x[i, r]
  }
}
)");
  auto [best, at] = compute<2>({"best", "at"}, {m}, [&](Expr i) -> Values {
    const Extremum e = max_with_index(n, [&](Expr r) { return x(i, r); });
    return {e.value, e.index};
  });
  const Program argmax_of = test::checked(program("p", {x}, {at, best}));
  CHECK(print(argmax_of->body, argmax_of) == R"(for i in 0..m {
  best[i] = -inf
  at[i] = -1
  for r in 0..n {
    (best, at)[i] argmax= (x[i, r], r)
  }
}
)");
}

TEST_CASE("a result that another tensor reads is declared once") {
  Tensor x = input("x", f32, {n});
  auto [a, b] = compute<2>({"a", "b"}, {n}, [&](Expr i) -> Values {
    return {x(i) + 1.0f, x(i) * 2.0f};
  });
  const Program p = test::checked(
      program("p", {x}, {compute("y", {n}, [&, s = a, t = b](Expr i) { return s(i) - t(i); })}));
  CHECK(print(p->body, p) == R"(alloc a: f32[n]
alloc b: f32[n]
for i in 0..n {
  a[i] = x[i] + 1.0
  b[i] = x[i] * 2.0
}
for i_1 in 0..n {
  y[i_1] = a[i_1] - b[i_1]
}
)");
}

TEST_CASE("wrong pieces, slices and numbers of results are reported") {
  Tensor x = input("x", f32, {m, n});
  const Tensor i8_one = input("bytes", i8, {m, n}), row = input("row", f32, {n});
  const std::string in_y = "in the definition of y: ";
  CHECK(refusal(x, concat("y", 2, {x})) ==
        in_y + "concat y: x has 2 dimensions, and dimension 2 is asked for");
  CHECK(refusal(x, concat("y", 0, {})) == in_y + "concat y has no pieces");
  CHECK(refusal(x, concat("y", 0, {x, row})) ==
        in_y + "concat y: row has 1 dimensions and x has 2");
  CHECK(refusal(x, concat("y", 0, {x, i8_one})) ==
        in_y + "concat y: bytes is i8 and x is f32; cast one of them");
  CHECK(refusal(x, concat("y", 0, {x, slice(x, 1, 0, 3)})) ==
        in_y + "concat y: dimension 1 is 3 in x and n in x");
  const auto of = [&](const Tensor& part) {
    return compute("y", {m, n}, [&](Index i) { return part(i); });
  };
  CHECK(refusal(x, of(slice(x, -3, 0, 1))) ==
        in_y + "slice: x has 2 dimensions, and dimension -3 is asked for");
  CHECK(refusal(x, of(slice(x, 0, 0, m, 0))) ==
        in_y + "slice of x: the step is 0; it is at least 1");
  CHECK(refusal(x, of(slice(x, 0, 0.5f, m))) ==
        in_y + "slice of x: a bound has type f32; it must be an integer");
  const auto two = compute<2>({"y", "z"}, {m}, [&](Expr i) -> Values { return {x(i, 0)}; });
  CHECK(refusal(x, two[0]) == in_y + "the definition of 2 tensors returns 1 expressions");
}

}  // namespace
}  // namespace tenon
