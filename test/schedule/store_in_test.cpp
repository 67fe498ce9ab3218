#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

// out[i, :] = exp(x[i, :]) / sum(exp(x[i, :])), with e and s computed row by row.
Program normalised() {
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m, n});
  const Tensor e = compute("e", {m, n}, [&](Expr i, Expr j) { return exp(x(i, j)); });
  const Tensor s =
      compute("s", {m}, [&](Expr i) { return sum(n, [&](Expr r) { return e(i, r); }); });
  const Tensor out = compute("out", {m, n}, [&](Expr i, Expr j) { return e(i, j) / s(i); });
  return checked(program("normalised", {x}, {out}));
}

TEST_CASE("A stage of a row lives in the row of the output") {
  const Program p = normalised();
  for (const int64_t n : {0, 1, 5}) {
    Followed s(p, sizes_of(p, {{"m", 3}, {"n", n}}));
    const Loop row = s->loops<2>("out")[0];
    s->compute_at("s", row);
    s->compute_at("e", row);
    s.check();
    s->store_in("e", "out", [&](Index d) { return Index{Expr(row.var()) + d[0], d[1]}; });
    s.check();
    CHECK(body_of(s->program()) == R"(  for i in 0..m {
    alloc s: f32[1]
    for i_1 in 0..1 {
      for j in 0..n {
        out[i_1 + i, j] = exp(x[i_1 + i, j])
      }
    }
    for i_2 in 0..1 {
      s[i_2] = -0.0
      for r in 0..n {
        s[i_2] += out[i_2 + i, r]
      }
    }
    for j_1 in 0..n {
      out[i, j_1] = out[i, j_1] / s[0]
    }
  }
)");
    s->parallelize(row);
    s.check();
  }
}

TEST_CASE("A stage lives in the output before or after the loops are split") {
  const Program p = normalised();
  for (const bool early : {true, false}) {
    for (const int64_t n : {1, 7, 8, 19}) {
      Followed s(p, sizes_of(p, {{"m", 3}, {"n", n}}));
      const auto in_place = [&] {
        s->store_in("e", "out", [](Index d) { return d; });
        s.check();
      };
      if (early) in_place();
      const auto [i, j] = s->loops<2>("out");
      (void)i;
      s->vectorize(s->split(j, 8).second);
      if (!early) s->vectorize(s->split(s->loops<2>("e")[1], 4).second);
      s.check();
      if (!early) in_place();
    }
  }
}

TEST_CASE("What the stage leaves under a guard is overwritten under the same one") {
  const Program p = program_of(R"(
    for i in 0..m {
      alloc t: f32[n]
      for j in 0..n { if i < 3 { t[j] = y[i, j] } }
      for k in 0..n { if i < 3 { grid[i, k] = t[k] * 2.0 } }
    })");
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 4}}));
  const Loop i = s->loops<2>("grid")[0];
  s->store_in("t", "grid", [&](Index d) { return Index{i.var(), d[0]}; });
  s.check();
  CHECK(s->trace().steps().back().text == "store_in(t, grid, [i, d0])");
}

TEST_CASE("A stage without dimensions lives in one element") {
  const Program p = program_of(R"(
    for j in 0..n {
      alloc s: f32[]
      s[] = -0.0
      for r in 0..m { s[] += y[r, j] }
      out[j] = s[] * 0.5
    })");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}}));
  const Loop j = s->loops<1>("out")[0];
  s->store_in("s", "out", [&](const Index&) { return Index{j.var()}; });
  s.check();
  CHECK(body_of(s->program()) == R"(  for j in 0..n {
    out[j] = -0.0
    for r in 0..m {
      out[j] += y[r, j]
    }
    out[j] = out[j] * 0.5
  }
)");
}

// Stores t in out, [d0] -> [d0 + offset].
std::string refused(const std::string& body, int64_t offset = 0) {
  Schedule s(program_of(body, 1, 8));
  s.store_in("t", "out", [&](Index d) { return Index{d[0] + Expr(offset)}; });
  return diagnostic_of(s.status())->reason;
}

const std::string kStage = "alloc t: f32[n]\n for i in 0..n { t[i] = x[i] }\n";

TEST_CASE("The output is free until it is stored") {
  CHECK(
      refused(kStage + "for j in 0..n { out[j] = t[j] }\n for k in 0..n { grid[0, k] = out[k] }") ==
      "out is read, and its memory has to be free until it is stored");
  CHECK(refused(kStage + "for j in 0..n { out[j] += t[j] }") ==
        "out is accumulated into, and its memory has to be free until it is stored");
  CHECK(refused("for k in 0..n { out[k] = 0.0 }\n" + kStage + "for j in 0..n { out[j] = t[j] }") ==
        "out is also stored where t is not declared");
}

TEST_CASE("An element is not used through the stage once the output was stored there") {
  CHECK(refused(kStage + "for j in 0..n { out[j] = t[0] }") ==
        "out[0] is stored (j = 0), and its memory is still used by t after that (j = 1), with "
        "n = 8");
  CHECK(refused(kStage + "for j in 0..n { out[j] = t[j]\n grid[0, j] = t[j] }") ==
        "out[0] is stored (j = 0), and its memory is still used by t after that (j = 0), with "
        "n = 8");
  CHECK(refused(kStage + "parallel for j in 0..n - 1 { out[j] = t[j + 1] }") ==
        "out[1] is stored (j = 1), and its memory is still used by t after that (j = 0), with "
        "n = 8");
}

TEST_CASE("What the stage writes is overwritten in the end, everywhere") {
  const std::string why =
      "cannot tell that what t writes to out[i] is always overwritten by the output's own value";
  CHECK(refused(kStage + "for j in 0..n - 1 { out[j] = t[j] }") == why);
  CHECK(refused(kStage + "for j in 0..n { if j < 5 { out[j] = t[j] } }") == why);
  CHECK(refused(kStage + "for j in 0..n { if x[j] < 5.0 { out[j] = t[j] } }") == why);
  CHECK(refused(kStage + "for j in 0..n // 2 { out[2*j] = t[2*j] }") == why);
  CHECK(refused(kStage + "for j in 0..n { grid[0, j] = t[j] }") == why);
}

TEST_CASE("The stage stays inside of the output") {
  CHECK(
      refused(kStage + "for j in 0..n - 1 { out[j + 1] = t[j] }", 1) ==
      "t does not stay inside of out: it would use out[i + 1], and i + 1 < n does not always hold");
}

TEST_CASE("Iterations around the stage use different elements") {
  CHECK(refused("for r in 0..m { alloc t: f32[n]\n for i in 0..n { t[i] = x[i] }\n"
                "for j in 0..n { out[j] = t[j] } }") ==
        "iterations of loop r would share elements of out: out[i] and out[i]");
  CHECK(refused("for r in 0..4 { alloc t: f32[2]\n for i in 0..2 { t[i] = x[i] }\n"
                "for j in 0..2 { out[2*r + j] = t[j] } }") ==
        "iterations of loop r would share elements of out: out[i] and out[i]");
}

TEST_CASE("The map is one of integers, known where the stage is declared, and loses no element") {
  const Program p = program_of(kStage + "for j in 0..n { out[j] = t[j] }");
  const auto refused_map = [&](const IndexMap& map, std::string_view stage = "t",
                               std::string_view output = "out") {
    Schedule s(p);
    s.store_in(stage, output, map);
    return diagnostic_of(s.status())->reason;
  };
  CHECK(refused_map([](Index d) { return Index{d[0] / 2}; }) ==
        "the map stores t[0] and t[1] in the same place, with n = 2");
  CHECK(refused_map([](Index d) {
          return Index{d[0], 0};
        }) == "the map goes from 1 indices to 2, and t has 1 dimensions and out 1");
  CHECK(refused_map([](Index d) { return Index{d[0] + Var("q")}; }) ==
        "index d0 + q of the map uses q, which is not known where t is declared");
  CHECK(refused_map([](Index d) { return Index{cast(f32, d[0])}; }) ==
        "index cast<f32>(d0) of the map is not an integer expression of the indices, loops and "
        "sizes");
  CHECK(refused_map([](Index d) { return Index{d[1]}; }) ==
        "the map: index 1 of an Index of 1 entries");
  CHECK(refused_map([](Index) { return Index{Expr()}; }) == "an index of the map is empty");
  CHECK(refused_map(nullptr) ==
        "the map goes from 1 indices to 0, and t has 1 dimensions and out 1");
  const IndexMap same = [](Index d) { return d; };
  CHECK(refused_map(same, "t", "t") == "t is not an output");
  CHECK(refused_map(same, "out", "out") == "out is a parameter of the program, not a local buffer");
  CHECK(refused_map(same, "z") == "there is no stage z; the stages are t, out, grid");
}

TEST_CASE("The types are the same") {
  Schedule s(
      program_of("alloc t: f64[n]\n for i in 0..n { t[i] = 1.0f64 }\n"
                 "for j in 0..n { out[j] = cast<f32>(t[j]) }"));
  s.store_in("t", "out", [](Index d) { return d; });
  CHECK(refusal_of(s) ==
        "schedule step 1: store_in(t, out, [d0]) refused\n"
        "  t is f64 and out is f32");
}

}  // namespace
}  // namespace tenon::test
