// What is written to an inout: where it is read as it was, in which order, and what is refused.
#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/dsl/dsl.h"
#include "tenon/interp/interp.h"

namespace tenon {
namespace {

const Size m("m"), n("n"), k("k");

std::string refusal(const std::vector<ProgramInput>& inputs, const std::vector<Tensor>& outputs) {
  const absl::StatusOr<Program> built = build_program("p", inputs, outputs);
  REQUIRE_FALSE(built.ok());
  return std::string(built.status().message());
}

std::vector<float> run(const Program& p, std::vector<Array> arrays, size_t result) {
  std::vector<InterpArgument> arguments;
  for (Array& array : arrays) arguments.emplace_back(&array);
  const absl::Status status = interpret(p, {}, arguments);
  INFO(p << status.message());
  REQUIRE(status.ok());
  return arrays[result].values<float>();
}

TEST_CASE("a step of an optimiser stores over what it reads, without a copy") {
  const Tensor g = input("g", f32, {n}), w = inout("w", f32, {n});
  const Program p =
      test::checked(program("p", {g}, {compute(w, [&](Expr i) { return w(i) - g(i) * 0.5f; })}));
  CHECK(print(p) == R"(program p
  size n
  input g: f32[n]
  inout w: f32[n]
{
  for i in 0..n {
    w[i] = w[i] - g[i] * 0.5
  }
}
)");
  CHECK(run(p, {Array::of<float>({3}, {2, 4, 6}), Array::of<float>({3}, {1, 1, 1})}, 1) ==
        std::vector<float>{0, -1, -2});
}

TEST_CASE("other elements are read from a copy of what was there") {
  const Tensor s = inout("s", f32, {n});
  const Program p =
      test::checked(program("p", {}, {compute(s, [&](Expr i) { return s(n - 1 - i) + s(i); })}));
  CHECK(print(p->body, p) == R"(alloc s_before: f32[n]
for i in 0..n {
  s_before[i] = s[i]
}
for i_1 in 0..n {
  s[i_1] = s_before[n - 1 - i_1] + s_before[i_1]
}
)");
  CHECK(run(p, {Array::of<float>({3}, {1, 2, 4})}, 0) == std::vector<float>{5, 4, 5});
}

TEST_CASE(
    "a reduction over the old contents is a stage before, or needs a copy when it is the value") {
  const Tensor s = inout("s", f32, {n});
  const auto total = [&] { return sum(n, [&](Expr r) { return s(r); }); };
  const Program inside =
      test::checked(program("p", {}, {compute(s, [&](Expr i) { return s(i) / total(); })}));
  CHECK(print(inside->body, inside) == R"(alloc s_sum: f32[]
s_sum[] = -0.0
for r in 0..n {
  s_sum[] += s[r]
}
for i in 0..n {
  s[i] = s[i] / s_sum[]
}
)");
  CHECK(run(inside, {Array::of<float>({2}, {1, 3})}, 0) == std::vector<float>{0.25f, 0.75f});
  const Program whole =
      test::checked(program("p", {}, {compute(s, [&](Expr) { return total(); })}));
  CHECK(print(whole->body, whole) == R"(alloc s_before: f32[n]
for i in 0..n {
  s_before[i] = s[i]
}
for i_1 in 0..n {
  s[i_1] = -0.0
  for r in 0..n {
    s[i_1] += s_before[r]
  }
}
)");
  CHECK(run(whole, {Array::of<float>({2}, {1, 3})}, 0) == std::vector<float>{4, 4});
}

TEST_CASE("a cache takes a row, and keeps the others") {
  const Tensor cache = inout("cache", f32, {m, k}), row = input("row", f32, {k}),
               at = input("at", i64, {});
  const auto place = [&](Expr j) -> Values { return {at(), j}; };
  const Program p = test::checked(
      program("p", {row, at}, {update(cache, scatter(k, place, [&](Expr j) { return row(j); }))}));
  CHECK(print(p->body, p) == R"(for r in 0..k {
  cache[check(at[], m), r] = row[r]
}
)");
  const std::vector<Array> arrays = {Array::of<float>({2}, {8, 9}), Array::of<int64_t>({}, {1}),
                                     Array::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})};
  CHECK(run(p, arrays, 2) == std::vector<float>{1, 2, 8, 9, 5, 6});
}

TEST_CASE("scatters combine in place, and read what was there from a copy") {
  const Tensor s = inout("s", f32, {n});
  const auto here = [](Expr) { return 0; };
  const auto value = [&](Expr r) { return s(r); };
  const Program sums =
      test::checked(program("p", {}, {update(s, scatter(n, here, value, Reducer::kSum))}));
  CHECK(print(sums->body, sums) == R"(alloc s_before: f32[n]
for i in 0..n {
  s_before[i] = s[i]
}
for r in 0..n {
  s[0] += s_before[r]
}
)");
  CHECK(run(sums, {Array::of<float>({3}, {1, 2, 4})}, 0) == std::vector<float>{8, 2, 4});
  // The old value that a combine gets is the place's own, after the scatters before.
  const auto twice = [](Expr old, Expr v) { return old * 2.0f + v; };
  const auto one = [](Expr) { return 1.0f; };
  const Program steps = test::checked(
      program("p", {}, {update(s, {scatter(n, here, one), scatter(2, here, one, twice)})}));
  CHECK(print(steps->body, steps) == R"(for r in 0..n {
  s[0] = 1.0
}
for r_1 in 0..2 {
  s[0] = s[0] * 2.0 + 1.0
}
)");
  CHECK(run(steps, {Array::of<float>({2}, {5, 6})}, 0) == std::vector<float>{7, 6});
}

TEST_CASE("what reads the old contents comes first, whatever the order of the outputs") {
  const Tensor s = inout("s", f32, {n});
  const Tensor next = compute(s, [&](Expr i) { return s(i) + 1.0f; });
  const Tensor old = compute("old", {n}, [&](Expr i) { return s(i) * 2.0f; });
  const Tensor both = compute("both", {n}, [&](Expr i) { return old(i) + next(i); });
  const Program p = test::checked(program("p", {}, {next, both, old}));
  CHECK(print(p) == R"(program p
  size n
  inout s: f32[n]
  output both: f32[n]
  output old: f32[n]
{
  for i in 0..n {
    old[i] = s[i] * 2.0
  }
  for i_1 in 0..n {
    s[i_1] = s[i_1] + 1.0
  }
  for i_2 in 0..n {
    both[i_2] = old[i_2] + s[i_2]
  }
}
)");
  const std::vector<Array> arrays = {Array::of<float>({2}, {1, 2}), Array(f32, {2}),
                                     Array(f32, {2})};
  CHECK(run(p, arrays, 0) == std::vector<float>{2, 3});
  CHECK(run(p, arrays, 1) == std::vector<float>{4, 7});
  CHECK(run(p, arrays, 2) == std::vector<float>{2, 4});
}

TEST_CASE("a scan may read what was there, also in a tensor of its step") {
  const Tensor s = inout("s", f32, {n});
  const Tensor next = compute(s, [&](Expr) { return 0.0f; });
  const auto [total] =
      scan<1>({}, n, {carry("total", {}, 0.0f)}, [&](Expr t, const Carried& now) -> Next {
        const Tensor part = compute("part", {}, [&] { return s(t) * 2.0f; });
        return {now[0]() + part()};
      });
  const Program p = test::checked(program("p", {}, {next, total.after("sums")}));
  CHECK(run(p, {Array::of<float>({3}, {1, 2, 3}), Array(f32, {3})}, 1) ==
        std::vector<float>{2, 6, 12});
  CHECK(run(p, {Array::of<float>({3}, {1, 2, 3}), Array(f32, {3})}, 0) ==
        std::vector<float>{0, 0, 0});
}

TEST_CASE("old and new contents that would need each other are refused") {
  const Tensor s = inout("s", f32, {n});
  const Tensor next = compute(s, [&](Expr i) { return s(i) + 1.0f; });
  const Tensor both = compute("both", {n}, [&](Expr i) { return s(i) + next(i); });
  CHECK(refusal({}, {next, both}) ==
        "program p: both reads s as it was before the call, and also what is written to it; let a "
        "tensor of its own compute what both needs of the old contents");
}

TEST_CASE("one definition writes an inout, and it stands among the outputs") {
  const Tensor s = inout("s", f32, {n}), x = input("x", f32, {n});
  const auto zero = [](Expr) { return 0.0f; };
  const Tensor next = compute(s, zero);
  CHECK(refusal({s}, {next}) ==
        "program p: s is an inout; what is written to it stands among the outputs, and it is "
        "passed there");
  CHECK(refusal({}, {s}) ==
        "program p: output s is an inout that nothing is written to; give what compute or update "
        "makes of it");
  CHECK(refusal({}, {next, compute(s, zero)}) ==
        "program p: s is written in place by two definitions; one may hold several scatters");
  CHECK(refusal({}, {compute("y", {n}, [&](Expr i) { return next(i); })}) ==
        "program p reads s as it is written in place, which has to be among its outputs");
  CHECK(refusal({}, {compute("y", {n}, [&](Expr i) { return s(i); })}) ==
        "program p reads s, which is not among its inputs");
}

TEST_CASE("only an inout is written in place, with its type") {
  const Tensor s = inout("s", f32, {n}), x = input("x", f32, {n});
  const auto zero = [](Expr) { return 0.0f; };
  const auto why = [](const std::string& name, const std::string& kind) {
    return "in the definition of " + name + ": " + name + " is " + kind +
           "; only what tn::inout declares is written in place, by one definition";
  };
  CHECK(refusal({x}, {compute(x, zero)}) == why("x", "an input"));
  CHECK(refusal({}, {compute(weight("w", f32, {n}), zero)}) == why("w", "a weight"));
  CHECK(refusal({}, {compute(table("t", {1.0f}), zero)}) == why("t", "a table"));
  CHECK(refusal({}, {compute(compute("y", {n}, zero), zero)}) == why("y", "computed"));
  CHECK(refusal({}, {compute(compute(s, zero), zero)}) == why("s", "written in place already"));
  CHECK(refusal({}, {compute(slice(s, 0, 0, n), zero)}) == why("s", "a view"));
  CHECK(refusal({x}, {update(x, scatter(
                                    n, [](Expr r) { return r; }, zero))}) == why("x", "an input"));
  CHECK(refusal({}, {compute(s, [](Expr i) { return i; })}) ==
        "in the definition of s: the new value of s has type i64 and the tensor f32; cast it");
  CHECK(refusal({}, {compute(s, [](Expr, Expr) { return 1.0f; })}) ==
        "in the definition of s: a function over 1 dimension takes 1 index or one tn::Index");
  CHECK(refusal({}, {update(s, scatter(
                                   n, [](Expr r) { return r; },
                                   [](Expr) { return cast(f64, Expr(1)); }))}) ==
        "in the definition of s: update of s: a value has type f64 and s has f32; cast it");
}

}  // namespace
}  // namespace tenon
