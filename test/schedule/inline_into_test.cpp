#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

TEST_CASE("A stage is replaced by its definition") {
  const Program p = chain();
  Followed s(p, sizes_of(p, {{"n", 5}}));
  const Loop i = s->loops<1>("t")[0];
  s->inline_into("t");
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..n {
    out[i] = x[i] * 2.0 + 1.0
  }
)");
  s->unroll(i);
  CHECK(refusal_of(s.schedule()) ==
        "schedule step 2: unroll(i) refused\n"
        "  loop i no longer exists: step 1 inlined t");
}

TEST_CASE("A stage that reads itself at other indices through another is inlined in turn") {
  const Program p = parsed(R"(
program taps
  input x: f32[12]
  output out: f32[8]
{
  alloc a: f32[10]
  alloc b: f32[9]
  for i in 0..10 { a[i] = x[i] + x[i + 2] }
  for j in 0..9 { b[j] = a[j] * a[j + 1] }
  for k in 0..8 { out[k] = b[k] - b[k + 1] }
})");
  Followed s(p, {});
  s->inline_into("b");
  s.check();
  s->inline_into("a");
  s.check();
  CHECK(body_of(s->program()).find("alloc") == std::string::npos);
}

TEST_CASE("A reduction is not inlined") {
  const Program p = linear_relu();
  Schedule s(p);
  s.inline_into("linear");
  CHECK(refusal_of(s) ==
        "schedule step 1: inline_into(linear) refused\n"
        "  linear is a reduction: only a stage that one store defines can be inlined\n"
        "  legal here: compute_at(linear, ...)");
}

TEST_CASE("An output is not inlined") {
  const Program p = chain();
  Schedule s(p);
  s.inline_into("out");
  CHECK(refusal_of(s) ==
        "schedule step 1: inline_into(out) refused\n"
        "  out is a parameter of the program, not a local buffer");
}

TEST_CASE("Inlining that makes an expression too deep is refused") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const auto longer = [&](const char* name, const Tensor& from) {
    return compute(name, {n}, [&](Expr i) {
      Expr e = from(i);
      for (int k = 0; k < 1200; ++k) e = e + 1.0f;
      return e;
    });
  };
  const Tensor first = longer("first", x);
  Schedule s(program("p", {x}, {longer("second", first)}));
  s.inline_into("first");
  CHECK(
      refusal_of(s) ==
      "schedule step 1: inline_into(first) refused\n"
      "  the expression is nested more than 2000 operations deep; store a part of it in a buffer");
}

}  // namespace
}  // namespace tenon::test
