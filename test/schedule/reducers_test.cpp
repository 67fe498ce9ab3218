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
  CHECK(refusal_of(s) ==
        "schedule step 1: reorder(s, r) refused\n"
        "  iteration (r = 0, s = 1) must run before (r = 1, s = 0): both touch at_best[0], with n "
        "= 2, "
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

TEST_CASE("Partial results meet by combine, and each lane sees its elements in order") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Tensor at = compute("at", {}, [&] { return argmax(n, [&](Expr r) { return x(r); }); });
  const Program p = checked(program("arg", {x}, {at}));
  for (const int64_t length : {0, 1, 7, 8, 37}) {
    Followed s(p, sizes_of(p, {{"n", length}}));
    const auto [ro, ri] = s->split(s->all_loops("at").back(), 8);
    const Partials partials = s->rfactor(ri);
    s.check();
    CHECK(s->program()->reassociated);
    s->vectorize(ri);
    s.check();
  }
  Schedule s(p);
  const auto [ro, ri] = s.split(s.all_loops("at").back(), 8);
  s.rfactor(ri);
  REQUIRE(s.status().ok());
  CHECK(body_of(s.program()) == R"(  alloc at_best: f32[]
  at_best[] = -inf
  at[] = -1
  alloc at_best_ri: f32[8]
  alloc at_ri: i64[8]
  for ri_init in 0..8 {
    at_best_ri[ri_init] = -inf
    at_ri[ri_init] = -1
  }
  for ro in 0..(n + 7) // 8 {
    for ri in 0..8 {
      if ro * 8 + ri < n {
        (at_best_ri, at_ri)[ri] argmax= (x[ro * 8 + ri], ro * 8 + ri)
      }
    }
  }
  for ri_fold in 0..8 {
    (at_best, at)[] argmax_states= (at_best_ri[ri_fold], at_ri[ri_fold])
  }
)");
}

TEST_CASE("A part of a stage for each iteration needs indices of its own") {
  const Program p = parsed("program p\n  size m, n\n  input x: f32[m, n]\n  output y: i64[m]" +
                           std::string(kArgmax) +
                           "\n{\n  for i in 0..m { alloc b: f32[]\n alloc a: i64[]\n b[] = -inf\n"
                           " a[] = -1\n for j in 0..n { (b, a)[] argmax= (x[i, j], j) }\n"
                           " y[i] = a[] } }\n");
  Schedule s(p);
  s.expand("b", s.loops<1>("y")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: expand(b, i) refused\n"
        "  b and a are results of one reduction and share its index list");
}

// Per row of x: the greatest element, and where it stands, as two stages of one reduction.
Program best_of_rows(bool best_is_output = false) {
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m, n});
  std::vector<Tensor> outputs;
  const Tensor at =
      compute("at", {m}, [&](Expr i) { return argmax(n, [&](Expr r) { return x(i, r); }); });
  outputs.push_back(compute("out", {m}, [&](Expr i) { return cast(f32, at(i)) + 1.0f; }));
  if (best_is_output) outputs.push_back(at);
  return checked(program("best", {x}, outputs));
}

TEST_CASE("Stages that are reduced together are computed at a loop together") {
  const Program p = best_of_rows();
  for (const int64_t m : {0, 1, 8, 11}) {
    for (const char* stage : {"at", "at_best"}) {
      Followed s(p, sizes_of(p, {{"m", m}, {"n", 5}}));
      const auto [io, ii] = s->split(s->loops<1>("out")[0], 4);
      s->compute_at(stage, io);
      s.check();
      s->vectorize(ii);
      s.check();
    }
  }
  Schedule s(p);
  const auto [io, ii] = s.split(s.loops<1>("out")[0], 4);
  s.compute_at("at", io);
  REQUIRE(s.status().ok());
  CHECK(body_of(s.program()) == R"(  for io in 0..(m + 3) // 4 {
    alloc at: i64[4]
    alloc at_best: f32[4]
    for i in 0..4 {
      if io * 4 + i < m {
        at_best[i] = -inf
      }
      if io * 4 + i < m {
        at[i] = -1
      }
      for r in 0..n {
        if io * 4 + i < m {
          (at_best, at)[i] argmax= (x[io * 4 + i, r], r)
        }
      }
    }
    for ii in 0..4 {
      if io * 4 + ii < m {
        out[io * 4 + ii] = cast<f32>(at[ii]) + 1.0
      }
    }
  }
)");
}

TEST_CASE("A stage moves only with what is reduced together with it") {
  Schedule output(best_of_rows(true));
  output.compute_at("at_best", output.loops<1>("out")[0]);
  CHECK(refusal_of(output) ==
        "schedule step 1: compute_at(at_best, i_1) refused\n"
        "  at, which is reduced together with at_best, is a parameter of the program, not a local "
        "buffer");
  const Program p = parsed(
      "program p\n  size m, n\n  input x: f32[m, n]\n  output y: i64[m]\n  output z: f32[m]" +
      std::string(kArgmax) +
      "\n{\n  alloc b: f32[m]\n  alloc a: i64[m]\n"
      "  for i in 0..m { b[i] = -inf\n a[i] = -1\n"
      "    for j in 0..n { (b, a)[i] argmax= (x[i, j], j) } }\n"
      "  for i in 0..m { y[i] = a[i] }\n  for i in 0..m { z[i] = b[i] }\n}\n");
  Schedule s(p);
  s.compute_at("a", s.loops<1>("y")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: compute_at(a, i_1) refused\n"
        "  b, which is reduced together with a, is also used outside of loop i_1");
  Schedule both(p);
  const Loop rows = both.merge(both.loops<1>("y")[0], both.loops<1>("z")[0]);
  both.compute_at("a", rows);
  REQUIRE(both.status().ok());
  check_same(p, checked(both.program()), sizes_of(p, {{"m", 3}, {"n", 4}}));
}

TEST_CASE("An argmax of integers keeps its order, too") {
  const Size n("n");
  for (const Type type : {i8, u8, i32, i64, u64}) {
    for (const Tie tie : {Tie::kFirst, Tie::kLast}) {
      const Tensor x = input("x", type, {n});
      const Tensor at = compute("at", {}, [&] {
        return argmax(
            n, [&](Expr r) { return x(r); }, tie);
      });
      Schedule s(checked(program("arg", {x}, {at})));
      s.reverse(s.all_loops("at").back());
      CHECK_THAT(refusal_of(s), Catch::Contains("must run before"));
    }
  }
}

}  // namespace
}  // namespace tenon::test
