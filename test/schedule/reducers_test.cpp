// Steps on reductions by functions.
#include "support/reducers.h"

#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

// Per row of x, over two axes: the index of the greatest element.
Program arg_of_rows() {
  const Size m("m"), n("n"), k("k");
  const Tensor x = input("x", f32, {m, n, k});
  const Tensor at = compute("at", {m}, [&](Expr i) {
    return argmax({n, k}, [&](Expr r, Expr s) { return x(i, r, s); });
  });
  return checked(program("arg", {x}, {at}));
}

Program greatest(const std::string& update) {
  return parsed(
      "program p\n  size m, n\n  input x: f32[m, n]\n  output y: f32[1]\n"
      "  reducer greatest(s: f32) = (-inf) update (v: f32) -> (" +
      update +
      ") combine (t) -> (select(s < t, t, s))\n{\n  y[0] = -inf\n"
      "  for i in 0..m { for j in 0..n { (y)[0] greatest= (x[i, j]) } }\n}\n");
}

TEST_CASE("Lanes of an argmax meet, whatever the order of rows") {
  const Program p = arg_of_rows();
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}, {"k", 11}}));
  const std::vector<Loop> loops = s->all_loops("at");
  REQUIRE(loops.size() == 3);
  const auto [so, si] = s->split(loops[2], 4);
  s.check();
  s->vectorize(si);
  s.check();
  CHECK(s->program()->reassociated);
  s->parallelize(loops[0]);
  s.check();
}

TEST_CASE("Loops over what is reduced keep their order when the update needs it") {
  Schedule s(arg_of_rows());
  const std::vector<Loop> loops = s.all_loops("at");
  s.reorder({loops[2], loops[1]});
  CHECK(
      refusal_of(s) ==
      "schedule step 1: reorder(s, r) refused\n"
      "  iteration (r = 0, s = 1) must run before (r = 1, s = 0): both touch at_best[0], with n = 2, "
      "k = 2");
}

TEST_CASE("They change places when it does not, which is a reassociation") {
  const Program p = greatest("select(s < v, v, s)");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const std::vector<Loop> loops = s->all_loops("y");
  s->reorder({loops[1], loops[0]});
  s.check();
  CHECK(s->program()->reassociated);
}

TEST_CASE("Rows of a reduction by functions are independent") {
  const Program p = arg_of_rows();
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 2}, {"k", 3}}));
  const std::vector<Loop> loops = s->all_loops("at");
  const auto [outer, inner] = s->split(loops[0], 2);
  s.check();
  s->fission(inner, 2);
  s.check();
  CHECK_FALSE(s->program()->reassociated);
}

TEST_CASE("Results of one reduction keep one index list") {
  Schedule s(arg_of_rows());
  s.set_layout("at_best", [](Index i) { return Index{i[0] / 4, i[0] % 4}; });
  CHECK(refusal_of(s) ==
        "schedule step 1: set_layout(at_best, [d0 // 4, d0 % 4]) refused\n"
        "  at_best and at are results of one reduction and share its index list");
}

}  // namespace
}  // namespace tenon::test
