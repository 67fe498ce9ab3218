#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

using test::checked;
using test::parsed;

constexpr char kLinearRelu[] = R"(program linear_relu
  size m, n, k
  input x: f32[m, k]
  weight w: f32[n, k]
  input b: f32[n]
  scalar eps: f32
  output out: f32[m, n]
  require n % 2 == 0
{
  alloc linear: f32[m, n]
  for i in 0..m {
    for j in 0..n {
      linear[i, j] = -0.0
      for r in 0..k {
        linear[i, j] += x[i, r] * w[j, r]
      }
    }
  }
  for i_1 in 0..m {
    parallel for j_1 in 0..n {
      if i_1 < 3 {
        out[i_1, j_1] = max(linear[i_1, j_1] + b[j_1], 0.0)
      }
    }
  }
}
)";

// linear_relu, built from nodes.
Program linear_relu() {
  const Var m("m"), n("n"), k("k"), eps("eps", f32), i("i"), j("j"), r("r"), i2("i"), j2("j");
  const Buffer x("x", f32), w("w", f32), b("b", f32), out("out", f32), linear("linear", f32);
  ProgramData p;
  p.name = "linear_relu";
  p.sizes = {m, n, k};
  p.params = {{Role::kInput, x, {}, {m, k}, {}, {}},
              {Role::kWeight, w, {}, {n, k}, {}, {}},
              {Role::kInput, b, {}, {n}, {}, {}},
              {Role::kScalar, {}, eps, {}, {}, {}},
              {Role::kOutput, out, {}, {m, n}, {}, {}}};
  p.requirements = {Expr(n) % 2 == 0};
  const Stmt reduction =
      make_for(r, 0, k, ForKind::kSerial,
               accumulate(linear, {i, j}, Reducer::kSum, load(x, {i, r}) * load(w, {j, r})));
  const Stmt first =
      make_for(i, 0, m, ForKind::kSerial,
               make_for(j, 0, n, ForKind::kSerial, seq({store(linear, {i, j}, -0.0f), reduction})));
  const Stmt write = store(out, {i2, j2}, max(load(linear, {i2, j2}) + load(b, {j2}), 0.0f));
  const Stmt second = make_for(i2, 0, m, ForKind::kSerial,
                               make_for(j2, 0, n, ForKind::kParallel, make_if(i2 < 3, write)));
  p.body = seq({alloc(linear, {m, n}), first, second});
  return Program(std::move(p));
}

TEST_CASE("a program prints as readable loops") {
  CHECK(print(checked(linear_relu())) == kLinearRelu);
}

TEST_CASE("a printed program reads back as the same program") {
  CHECK(structurally_equal(parsed(kLinearRelu), linear_relu()));
}

}  // namespace
}  // namespace tenon
