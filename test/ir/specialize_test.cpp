#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

using test::checked;
using test::parsed;

constexpr char kText[] = R"(program p
  size m, n, s
  input x: f32[m, n + 1] strides [s * 2, 1]
  weight w: f32[(n + 31) // 32, 32] packs [n] by (i) -> (i // 32, i % 32)
  output y: f32[m, n]
  require n % 2 == 0
  require m <= 100
{
  alloc t: f32[n // 2] in shared at n * 4
  for i in 0..m {
    for j in 0..n {
      if j < n - 1 {
        y[i, j] = x[i, j + n // 2 % 2] + select(n < 3, w[0, j], 2.0) where i < m
      }
    }
  }
}
)";

std::vector<std::pair<Var, int64_t>> values(
    const Program& p, std::initializer_list<std::pair<const char*, int64_t>> named) {
  std::vector<std::pair<Var, int64_t>> result;
  for (const auto& [name, value] : named) {
    for (const Var& size : p->sizes) {
      if (size.name() == name) result.emplace_back(size, value);
    }
  }
  REQUIRE(result.size() == named.size());
  return result;
}

std::string error(const Program& p, const std::vector<std::pair<Var, int64_t>>& v) {
  const absl::StatusOr<Program> special = specialize(p, v);
  return special.ok() ? "" : std::string(special.status().message());
}

TEST_CASE("sizes become constants everywhere and constants are folded") {
  const Program p = parsed(kText);
  const Program q = checked(specialize(p, values(p, {{"m", 8}, {"n", 64}, {"s", 10}})));
  CHECK(print(q) == R"(program p
  input x: f32[8, 65] strides [20, 1]
  weight w: f32[2, 32] packs [64] by (i) -> (i // 32, i % 32)
  output y: f32[8, 64]
{
  alloc t: f32[32] in shared at 256
  for i in 0..8 {
    for j in 0..64 {
      if j < 63 {
        y[i, j] = x[i, j + 0] + 2.0 where i < 8
      }
    }
  }
}
)");
}

TEST_CASE("sizes without a value stay") {
  const Program p = parsed(kText);
  const Program q = checked(specialize(p, values(p, {{"n", 64}})));
  CHECK(q->sizes.size() == 2);
  CHECK(q->requirements.size() == 1);
  CHECK(print(q->requirements[0]) == "m <= 100");
  CHECK(print(q->params[0].shape[0]) == "m");
}

TEST_CASE("specialising in two steps is specialising at once") {
  const Program p = parsed(kText);
  const auto all = values(p, {{"m", 8}, {"n", 64}, {"s", 10}});
  const Program q = checked(specialize(p, {all[1]}));
  CHECK(structurally_equal(checked(specialize(q, {all[0], all[2]})), checked(specialize(p, all))));
}

TEST_CASE("no values change nothing but foldable constants") {
  const Program p = parsed(kText);
  CHECK(structurally_equal(checked(specialize(p, {})), p));
}

TEST_CASE("the identities of loops and buffers are kept") {
  const Program p = parsed(kText);
  const Program q = checked(specialize(p, values(p, {{"m", 8}, {"n", 64}, {"s", 10}})));
  CHECK(q->params[0].buffer == p->params[0].buffer);
  const auto loop = [](const Program& program) {
    return program->body.as<Seq>()->stmts[1].as<For>()->var;
  };
  CHECK(loop(q) == loop(p));
}

TEST_CASE("a size of zero is a value like others") {
  const Program p = parsed(kText);
  CHECK(print(checked(specialize(p, values(p, {{"m", 0}})))->params[2].shape[0]) == "0");
}

TEST_CASE("a negative value is refused") {
  const Program p = parsed(kText);
  CHECK(error(p, values(p, {{"m", -1}})) == "size m must be at least 0, and the value given is -1");
}

TEST_CASE("a size of another program is refused, and the own ones are named") {
  const Program p = parsed(kText);
  CHECK(error(p, {{Var("m"), 3}}) == "program p has no size m\n  legal here: m; n; s");
  CHECK(error(p, {{Var(), 3}}) == "a value is given for an empty size");
  const auto n = values(p, {{"n", 64}});
  CHECK(error(*specialize(p, n), n) == "program p has no size n\n  legal here: m; s");
}

TEST_CASE("two values for one size are refused") {
  const Program p = parsed(kText);
  CHECK(error(p, values(p, {{"n", 64}, {"n", 32}})) == "size n is given two values, 64 and 32");
}

TEST_CASE("a requirement that becomes false is refused with the values") {
  const Program p = parsed(kText);
  CHECK(error(p, values(p, {{"n", 63}, {"m", 8}})) ==
        "program p requires n % 2 == 0, which does not hold for n = 63, m = 8");
  CHECK(error(p, values(p, {{"m", 101}})) ==
        "program p requires m <= 100, which does not hold for m = 101");
}

TEST_CASE("a shape that becomes negative is refused") {
  const Program p = parsed("program p\nsize n\ninput x: f32[n - 3]\noutput y: f32[n]\n{\n}");
  CHECK(error(p, {{p->sizes[0], 2}}) ==
        "parameter x has the extent n - 3, which is negative for n = 2");
  CHECK(error(p, {{p->sizes[0], 3}}).empty());
}

TEST_CASE("parameters are found by buffer and by name") {
  const Program p = parsed(kText);
  CHECK(find_param(p, "w") == &p->params[1]);
  CHECK(find_param(p, p->params[2].buffer) == &p->params[2]);
  CHECK(find_param(p, "nothing") == nullptr);
  CHECK(find_param(p, Buffer("w", f32)) == nullptr);
}

TEST_CASE("a program with another body keeps everything else") {
  const Program p = parsed(kText);
  const Program q = p.with_body(seq({}));
  CHECK(is_empty(q->body));
  CHECK(!is_empty(p->body));
  CHECK(q->params.size() == p->params.size());
  CHECK(q.name() == "p");
}

}  // namespace
}  // namespace tenon
