// Inout parameters and tables in kernels: arguments, calls of functions, and the cache.
#include <catch2/catch.hpp>

#include "jit/programs.h"
#include "support/check.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using test::compiled;
using test::message;

// w[i] = w[i] - g[i]
struct Step {
  Size n{"n"};
  Program program;
  Step() {
    const Tensor g = input("g", f32, {n}), w = inout("w", f32, {n});
    program = tenon::program("step", {g}, {compute(w, [&](Expr i) { return w(i) - g(i); })});
  }
};

TEST_CASE("an inout is passed among the outputs and changed there") {
  Jit jit;
  const Step step;
  const Kernel kernel = compiled(jit, step.program);
  REQUIRE(kernel.signature().params.size() == 2);
  CHECK(kernel.signature().params[1].role == ParamSignature::Role::kInOut);
  std::vector<float> g = {1, 2, 3}, w = {10, 10, 10};
  REQUIRE(kernel({View(g.data(), {3})}, {View(w.data(), {3})}).ok());
  CHECK(w == std::vector<float>{9, 8, 7});
  REQUIRE(kernel({View(g.data(), {3})}, {View(w.data(), {3})}).ok());
  CHECK(w == std::vector<float>{8, 6, 4});
  CHECK(message(kernel({View(g.data(), {3})}, {})) ==
        "kernel step: expected 1 input (g: f32[n]) and 1 output (w: f32[n]), got 1 input and 0 "
        "outputs");
  CHECK(message(kernel({View(g.data(), {3})}, {View(w.data(), {2})})) ==
        "kernel step: argument w (output 0): expected f32[n] with n = 3 (dimension 0 of g), got "
        "f32[2]: dimension 0 must be 3");
}

TEST_CASE("an inout shares no memory with another argument, nor with itself") {
  Jit jit;
  const Step step;
  CompileOptions options;
  options.strides = {{"g", StrideClass::kGeneral}, {"w", StrideClass::kGeneral}};
  const Kernel kernel = compiled(jit, step.program, {}, options);
  std::vector<float> memory(8, 1);
  const View all(memory.data(), {4}), later(memory.data() + 3, {4});
  CHECK(message(kernel({all}, {later})) ==
        "kernel step: argument w (output 0): its memory overlaps argument g (input 0)");
  CHECK(message(kernel({all}, {View(memory.data() + 4, {4}, {0})})) ==
        "kernel step: argument w (output 0): elements of this output overlap each other: f32[4] "
        "strides [0]");
  CHECK(memory == std::vector<float>(8, 1));
  REQUIRE(kernel({all}, {View(memory.data() + 4, {4})}).ok());
  // Every second element, in place.
  REQUIRE(kernel({View(memory.data(), {4}, {2})}, {View(memory.data() + 1, {4}, {2})}).ok());
  CHECK(memory == std::vector<float>{1, 0, 1, 0, 0, 0, 0, 0});
}

TEST_CASE("only what no kernel writes is taken to stay as it is") {
  Jit jit;
  const Size n("n");
  CompileOptions options;
  options.keep_text = true;
  const Tensor x = input("x", f32, {n}), w = inout("w", f32, {n});
  const auto twice = [&](const Tensor& t) { return [=](Expr i) { return t(i) * 2.0f; }; };
  const Kernel aside =
      compiled(jit, program("aside", {x}, {compute("y", {n}, twice(x))}), {}, options);
  const Kernel in_place =
      compiled(jit, program("in_place", {}, {compute(w, twice(w))}), {}, options);
  CHECK_THAT(aside.llvm_ir(), Catch::Contains("!invariant.load"));
  CHECK_THAT(in_place.llvm_ir(), !Catch::Contains("!invariant.load"));
}

TEST_CASE("a function with an inout reads its sizes off the arguments") {
  Jit jit;
  const Size n("n"), m("m");
  const Tensor cache = inout("cache", f32, {m, n}), row = input("row", f32, {n}),
               at = input("at", i64, {});
  const auto place = [&](Expr r) -> Values { return {at(), r}; };
  const Function append =
      function(program("append", {row, at},
                       {update(cache, scatter(n, place, [&](Expr r) { return row(r); }))}),
               [](Schedule& s, const Sizes&) { s.split(s.loops<1>("cache")[0], 2); });
  std::vector<float> rows = {5, 6}, memory(6, 0);
  for (int64_t position = 0; position < 3; ++position) {
    rows[0] += 1;
    REQUIRE(jit.call(append, {View(rows.data(), {2}), View(&position, {})},
                     {View(memory.data(), {3, 2})}) == absl::OkStatus());
  }
  CHECK(memory == std::vector<float>{6, 6, 7, 6, 8, 6});
  int64_t outside = 3;
  const absl::Status status =
      jit.call(append, {View(rows.data(), {2}), View(&outside, {})}, {View(memory.data(), {3, 2})});
  CHECK(status.code() == absl::StatusCode::kOutOfRange);
  CHECK(memory == std::vector<float>{6, 6, 7, 6, 8, 6});
}

Program lookup(const std::vector<float>& values) {
  const Size n("n");
  const Tensor codes = input("codes", u8, {n}), levels = table("levels", values);
  return program("lookup", {codes}, {compute("y", {n}, [&](Expr i) { return levels(codes(i)); })});
}

float decoded(const Kernel& kernel, uint8_t code) {
  float y = -1;
  const absl::Status status = kernel({View(&code, {1})}, {View(&y, {1})});
  INFO(status);
  REQUIRE(status.ok());
  return y;
}

TEST_CASE("the values of a table belong to the key of a kernel") {
  Jit jit;
  const Kernel one = compiled(jit, lookup({1, 2})), same = compiled(jit, lookup({1, 2})),
               other = compiled(jit, lookup({1, 3}));
  CHECK(jit.stats().compiles == 2);
  CHECK(one.entry() == same.entry());
  CHECK(decoded(one, 1) == 2);
  CHECK(decoded(other, 1) == 3);
  CHECK(one.signature().params.size() == 2);  // nobody passes it
  uint8_t code = 2;
  float y = 0;
  CHECK(one({View(&code, {1})}, {View(&y, {1})}).code() == absl::StatusCode::kOutOfRange);
}

TEST_CASE("a table lies in the kernel, which refers to nothing outside") {
  Jit jit;
  std::vector<float> values(4096);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Kernel large = compiled(jit, lookup(values)), small = compiled(jit, lookup({1, 2}));
  CHECK(decoded(large, 255) == 255);
  CHECK(large.code_bytes() >= small.code_bytes() + 16000);
  CHECK_THAT(
      message(
          jit.compile(lookup({1, 2}), {}, {.strides = {{"levels", StrideClass::kDense}}}).status()),
      Catch::Contains("no tensor parameter named levels"));
}

}  // namespace
}  // namespace tenon
