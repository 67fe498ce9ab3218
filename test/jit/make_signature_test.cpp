#include "jit/make_signature.h"

#include <catch2/catch.hpp>

#include "jit/programs.h"
#include "support/check.h"
#include "tenon/lower/lower.h"

namespace tenon {
namespace {

// The value of the expression by way of the size program.
int64_t value_of(const Expr& e, const std::vector<Var>& sizes, const std::vector<int64_t>& values) {
  const absl::StatusOr<SizeProgram> program = make_size_program(e, sizes);
  INFO(program.status());
  REQUIRE(program.ok());
  REQUIRE(verify(*program, static_cast<int>(sizes.size())).ok());
  return evaluate(*program, values);
}

TEST_CASE("size programs agree with the interpreter") {
  const Size a("a"), b("b");
  const Expr x(a), y(b);
  const std::vector<Expr> all = {
      Expr(7),
      x,
      y + 1,
      x - y,
      x * y,
      x / y,
      x % y,
      ceildiv(x, y),
      min(x, y),
      max(x, y),
      (x + 2 * y - 3) / 2 + 1,
      select(x < y, x, y + 10),
      select(x <= y, x, y + 10),
      select(x == y, x, y + 10),
      select(x != y, x, y + 10),
      select((x < y) & (y < 5), x, y),
      select((x < y) | (y < 5), x, y),
      select(~(x < y), x, y),
  };
  for (const Expr& e : all) {
    for (int64_t va = -7; va <= 7; ++va) {
      for (int64_t vb = -7; vb <= 7; ++vb) {
        INFO(print(e) << " with a = " << va << ", b = " << vb);
        REQUIRE(value_of(e, {a, b}, {va, vb}) == evaluate_int(e, {{a, va}, {b, vb}}));
      }
    }
  }
}

TEST_CASE("what a call cannot compute is refused") {
  const Size a("a"), other("other");
  const Buffer x("x", i64);
  const auto refused = [&](const Expr& e) {
    return std::string(make_size_program(e, {a}).status().message());
  };
  CHECK(refused(load(x, {Expr(a)})) ==
        "x[a] cannot be computed when a kernel is called: it must be made of sizes and constants "
        "with + - * // % min max select and comparisons");
  CHECK_FALSE(refused(Expr(other)).empty());
  CHECK_FALSE(refused(truncdiv(a, 2)).empty());
  CHECK_FALSE(refused(Expr(a) + other).empty());
}

TEST_CASE("a signature says what the user passes") {
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m, n}), w = weight("w", i8, {n});
  const Expr s = scalar("s", f64);
  const Tensor y = compute("y", {m, 2 * Expr(n)}, [&](Expr i, Expr j) {
    return x(i, j / 2) + cast(f32, w(j / 2)) + cast(f32, s);
  });
  const Program p = program("shapes", {x, w, s}, {y}, {require(m < 100)});
  const std::vector<StrideClass> strides = {StrideClass::kGeneral, StrideClass::kDense,
                                            StrideClass::kDense, StrideClass::kInnerUnit};
  const Program bound = bind_strides(p, strides);
  absl::StatusOr<Signature> made = make_signature(p, bound, {"index 0 of x"});
  INFO(made.status());
  REQUIRE(made.ok());
  CHECK(made->kernel == "shapes");
  CHECK(made->sizes == std::vector<std::string>{"m", "n"});
  CHECK(made->size_slots == 2 + 2 + 1);
  REQUIRE(made->params.size() == 4);
  CHECK(made->params[0].strides == StrideClass::kGeneral);
  CHECK(made->params[0].hidden_strides == std::vector<int>{2, 3});
  CHECK(made->params[1].role == ParamSignature::Role::kWeight);
  CHECK(made->params[1].type == i8);
  CHECK(made->params[1].strides == StrideClass::kDense);
  CHECK(made->params[1].hidden_strides.empty());
  CHECK(made->params[2].role == ParamSignature::Role::kScalar);
  CHECK(made->params[2].type == f64);
  CHECK(made->params[3].role == ParamSignature::Role::kOutput);
  CHECK(made->params[3].strides == StrideClass::kInnerUnit);
  CHECK(made->params[3].hidden_strides == std::vector<int>{4, -1});
  CHECK(evaluate(made->params[3].shape[1], {5, 7}) == 14);
  REQUIRE(made->requirements.size() == 1);
  CHECK(made->requirements[0].text == "m < 100");
  CHECK(made->checks == std::vector<std::string>{"index 0 of x"});
  CHECK(finalize(*made).ok());
}

TEST_CASE("a packed weight has a logical and a stored shape, and a layout") {
  const test::LinearRelu linear;
  const Program p = linear.scheduled(8, 40, 6).program();
  const Signature made = *make_signature(p, p, {});
  const ParamSignature& w = made.params[1];
  CHECK(w.layout != 0);
  REQUIRE(w.shape.size() == 2);
  CHECK(evaluate(w.shape[0], {}) == 40);
  CHECK(evaluate(w.shape[1], {}) == 6);
  REQUIRE(w.packed_shape.size() == 3);
  CHECK(evaluate(w.packed_shape[0], {}) == 2);
  CHECK(evaluate(w.packed_shape[2], {}) == 32);
}

}  // namespace
}  // namespace tenon
