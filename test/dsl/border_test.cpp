#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/analysis/bounds.h"
#include "tenon/dsl/dsl.h"
#include "tenon/interp/interp.h"

namespace tenon {
namespace {

const Size m("m"), n("n");
const Tensor x = input("x", f32, {n});

// The elements -5 to n + 5 of a padded row, of which no access is checked when it runs.
std::vector<float> around(const Tensor& padded, const std::vector<float>& row) {
  const Program p = test::checked(
      program("p", {x}, {compute("y", {n + 10}, [&](Expr i) { return padded(i - 5); })},
              {require(n >= 1)}));
  const absl::StatusOr<Program> safe = with_checked_bounds(p);
  INFO(safe.status().message());
  REQUIRE(safe.ok());
  CHECK(print(*safe) == print(p));
  const auto size = static_cast<int64_t>(row.size());
  Array in = Array::of<float>({size}, row), out(f32, {size + 10});
  REQUIRE(interpret(p, {}, {&in, &out}) == absl::OkStatus());
  return out.values<float>();
}

TEST_CASE("what stands beyond the border") {
  CHECK(around(pad_constant(x, 9.0f), {1, 2, 3}) ==
        std::vector<float>{9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 9, 9, 9});
  CHECK(around(pad_edge(x), {1, 2, 3}) ==
        std::vector<float>{1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3});
  CHECK(around(pad_reflect(x), {1, 2, 3}) ==
        std::vector<float>{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2});
  CHECK(around(pad_wrap(x), {1, 2, 3}) ==
        std::vector<float>{2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2});
}

TEST_CASE("a dimension of one or two elements reflects and wraps as well") {
  const std::vector<float> ones(11, 1);
  CHECK(around(pad_reflect(x), {1}) == ones);
  CHECK(around(pad_wrap(x), {1}) == ones);
  CHECK(around(pad_edge(x), {1}) == ones);
  CHECK(around(pad_reflect(x), {1, 2}) == std::vector<float>{2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1});
}

TEST_CASE("the inside of a padded tensor is read directly") {
  Tensor a = input("a", f32, {m, n});
  const auto text = [&](const Tensor& padded) {
    const Program p =
        program("p", {a}, {compute("y", {m, n}, [&](Expr i, Expr j) { return padded(i, j - 1); })});
    return print(p->body, p);
  };
  CHECK(text(pad_constant(a, 0.0f, {-1})) == R"(for i in 0..m {
  for j in 0..n {
    y[i, j] = select(0 <= j - 1 & j - 1 < n, a[i, j - 1], 0.0)
  }
}
)");
  CHECK(text(pad_edge(a, {1})) == R"(for i in 0..m {
  for j in 0..n {
    y[i, j] = select(0 <= j - 1 & j - 1 < n, a[i, j - 1], a[i, min(max(j - 1, 0), n - 1)])
  }
}
)");
}

TEST_CASE("an index that is data may stand beyond the border") {
  Tensor ids = input("ids", i32, {m});
  const Tensor y = compute("y", {m}, [&](Expr i) { return pad_edge(x)(ids(i)); });
  const Tensor z = compute("z", {m}, [&](Expr i) { return pad_constant(x, -1.0f)(ids(i)); });
  const Program p = test::checked(program("p", {x, ids}, {y, z}, {require(n >= 1)}));
  Array in = Array::of<float>({2}, {3, 4}), at = Array::of<int32_t>({4}, {-9, 0, 1, 99});
  Array a(f32, {4}), b(f32, {4});
  REQUIRE(interpret(p, {}, {&in, &at, &a, &b}) == absl::OkStatus());
  CHECK(a.values<float>() == std::vector<float>{3, 3, 4, 4});
  CHECK(b.values<float>() == std::vector<float>{-1, 3, 4, -1});
}

TEST_CASE("wrong paddings are reported") {
  const auto refusal = [](const Tensor& padded) {
    const absl::StatusOr<Program> built =
        build_program("p", {x}, {compute("y", {n}, [&](Expr i) { return padded(i); })});
    REQUIRE_FALSE(built.ok());
    return std::string(built.status().message());
  };
  CHECK(refusal(pad_edge(x, {1})) ==
        "in the definition of y: pad_edge: x has 1 dimension, and dimension 1 is asked for");
  CHECK(refusal(pad_constant(x, Expr())) ==
        "in the definition of y: pad_constant of x: the value is empty");
  CHECK(refusal(pad_constant(x, cast(i32, Expr(1)))) ==
        "in the definition of y: pad_constant of x, which is f32, with a value of type i32; cast "
        "it");
  const absl::StatusOr<Program> built = build_program("p", {x}, {pad_edge(x)});
  CHECK(std::string(built.status().message()) ==
        "program p: an output is a view of x; an output is computed (a copy, if need be)");
  const Tensor y = compute("y", {n}, [&](Expr i) { return x(i); });
  CHECK(std::string(build_program("p", {pad_edge(x)}, {y}).status().message()) ==
        "program p: an input is a view of x; the tensor itself is passed in");
}

TEST_CASE("an edge needs an element") {
  const Program p = program("p", {x}, {compute("y", {4}, [](Expr i) { return pad_edge(x)(i); })});
  const absl::Status status = with_checked_bounds(p).status();
  CHECK(std::string(status.message()).find("leaves x") != std::string::npos);
}

}  // namespace
}  // namespace tenon
