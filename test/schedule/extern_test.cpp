// Steps around calls of C functions: what the parts allow, and what no step can look into.
#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "support/extern_functions.h"
#include "tenon/analysis/bounds.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

const Size m("m"), n("n");

// Rows of x, reversed between two stages.
Program rows_reversed() {
  const Tensor x = input("x", f32, {m, n});
  const Tensor before = compute("before", {m, n}, [&](Expr i, Expr j) { return x(i, j) + 1.0f; });
  const Tensor y = extern_call(reversed(), {"y", f32, {m, n}}, {before}, m, [](Expr i) -> Parts {
    return {.writes = {{i, kWhole}}, .reads = {{i, kWhole}}};
  });
  const Tensor out = compute("out", {m, n}, [&](Expr i, Expr j) { return y(i, j) * 2.0f; });
  return checked(program("rows", {x}, {out}));
}

// The loop `body` over extern reversed, with f32 x[m, n] and outputs y[m, n].
Program program_with(const std::string& body) {
  const std::string text =
      "program p\n  size m, n\n  input x: f32[m, n]\n  output y: f32[m, n]\n  require 2 <= n\n"
      "  extern reversed\n{\n" +
      body + "}\n";
  absl::StatusOr<Program> p = parse(text, extern_functions());
  INFO(p.status().message());
  REQUIRE(p.ok());
  return checked(*p);
}

std::string refusal(const Program& p, const std::function<void(Schedule&)>& step) {
  Schedule s(p);
  REQUIRE(s.status().ok());
  step(s);
  return refusal_of(s);
}

TEST_CASE("A call prints, and its parts are accesses of the loops around it") {
  const Program p = rows_reversed();
  CHECK(print(p) == R"(program rows
  size m, n
  input x: f32[m, n]
  output out: f32[m, n]
  extern reversed
{
  alloc before: f32[m, n]
  for i in 0..m {
    for j in 0..n {
      before[i, j] = x[i, j] + 1.0
    }
  }
  alloc y: f32[m, n]
  for r in 0..m {
    call reversed(out y[r, 0..n], before[r, 0..n])
  }
  for i_1 in 0..m {
    for j_1 in 0..n {
      out[i_1, j_1] = y[i_1, j_1] * 2.0
    }
  }
}
)");
  for (const auto& [rows, columns] : {std::pair{3, 5}, {1, 1}, {0, 3}, {4, 0}}) {
    Followed s(p, sizes_of(p, {{"m", rows}, {"n", columns}}));
    const Loop calls = s->all_loops("y")[0];
    const auto [outer, inner] = s->split(calls, 2);
    s.check();
    s->unroll(inner);
    s.check();
    s->parallelize(outer);
    s.check();
  }
}

TEST_CASE("Producers and readers join the loop over the calls") {
  const Program p = rows_reversed();
  for (const auto& [rows, columns] : {std::pair{3, 5}, {1, 1}, {0, 3}, {4, 0}}) {
    Followed s(p, sizes_of(p, {{"m", rows}, {"n", columns}}));
    const Loop joined = s->merge(s->all_loops("y")[0], s->all_loops("out")[0]);
    s.check();
    s->compute_at("before", joined);
    s.check();
    s->hoist_alloc("before", joined);
    s.check();
    s->parallelize(joined);
    s.check();
  }
  Schedule s(p);
  s.compute_at("before", s.all_loops("y")[0]);
  s.hoist_alloc("before", s.all_loops("y")[0]);
  CHECK_THAT(body_of(s.program()),
             Catch::Contains("call reversed(out y[r, 0..n], before[r, 0..n])"));
}

TEST_CASE("Parts that overlap are a race") {
  const Program p = program_with(
      "  for i in 0..m - 1 {\n    call reversed(out y[i..i + 2, 0..n], x[i..i + 2, 0..n])\n  }\n");
  CHECK(
      refusal(p, [](Schedule& s) { s.parallelize(s.all_loops("y")[0]); }) ==
      "schedule step 1: parallelize(i) refused\n  iteration (i = 0, part = 1, part_1 = 0) must run "
      "before (i = 1, part = 0, part_1 = 0): both touch y[1, 0], with m = 3, n = 3");
  const Program one = program_with(
      "  for i in 0..m {\n    for j in 0..n - 1 {\n"
      "      call reversed(out y[i, j..j + 2], x[i, j..j + 2])\n    }\n  }\n");
  CHECK(refusal(one,
                [](Schedule& s) {
                  const std::vector<Loop> loops = s.all_loops("y");
                  s.parallelize(loops[1]);
                }) ==
        "schedule step 1: parallelize(j) refused\n  iteration (j = 0, part = 1) must run before (j "
        "= 1, "
        "part = 0): both touch y[0, 1], with n = 3\n  legal here: parallelize(i)");
  Schedule rows(one);
  rows.parallelize(rows.all_loops("y")[0]);
  CHECK(rows.status().ok());
}

TEST_CASE("Nothing looks into a function") {
  const Program p = rows_reversed();
  CHECK(refusal(p, [](Schedule& s) { s.inline_into("y"); }) ==
        "schedule step 1: inline_into(y) refused\n  extern function reversed writes y: there is no "
        "expression to put in its place");
  CHECK(
      refusal(p, [](Schedule& s) { s.vectorize(s.all_loops("y")[0]); }) ==
      "schedule step 1: vectorize(r) refused\n  extern function reversed is called inside loop r, "
      "and a C function has no lanes");
  CHECK(refusal(p, [](Schedule& s) { s.compute_at("y", s.all_loops("out")[0]); }) ==
        "schedule step 1: compute_at(y, i_1) refused\n  extern function reversed writes y, in "
        "parts that "
        "no step makes smaller\n  legal here: merge its loop with that of a reader");
  CHECK(
      refusal(p,
              [](Schedule& s) { s.set_layout("y", [](Index i) {
                                  return Index{i[1], i[0]};
                                }); }) ==
      "schedule step 1: set_layout(y, [d1, d0]) refused\n  y is given to extern function reversed, "
      "which takes its parts as they lie in y");
  CHECK(refusal(p, [](Schedule& s) { s.store_over("y", "before"); }) ==
        "schedule step 1: store_over(y, before) refused\n  y is given to extern function reversed, "
        "which "
        "takes its parts as they lie in y");
}

TEST_CASE("Parts that leave their buffer are refused, and so are those that may") {
  const auto wrong = [](const std::string& body) {
    const Program p = program_with(body);
    return std::string(with_checked_bounds(p).status().message());
  };
  CHECK(wrong("  call reversed(out y[0..m, 0..n], x[0..m, 1..n + 1])\n") ==
        "call reversed(out y[0..m, 0..n], x[0..m, 1..n + 1]) leaves x: the part 1..n + 1 "
        "(dimension 1) "
        "is not always in [0, n)");
  CHECK(wrong("  for i in 0..m {\n    call reversed(out y[i + 1, 0..n], x[i, 0..n])\n  }\n") ==
        "call reversed(out y[i + 1, 0..n], x[i, 0..n]) leaves y: index i + 1 (dimension 0) is not "
        "always in [0, m)");
  CHECK(wrong("  for i in 0..m {\n    call reversed(out y[i, 0..i], x[i, 0..i])\n  }\n") ==
        "call reversed(out y[i, 0..i], x[i, 0..i]) leaves y: the part 0..i (dimension 1) is not "
        "always "
        "in [0, n)");
  // An empty part is nowhere.
  CHECK(wrong("  call reversed(out y[0..m, n..0], x[0..m, n..0])\n") == "");
}

TEST_CASE("A call that is not well formed is refused") {
  const auto wrong = [](const std::string& call) {
    return std::string(parse("program p\n  size m, n\n  input x: f32[m, n]\n  output y: f32[m, n]\n"
                             "  extern f\n{\n  " +
                                 call + "\n}\n",
                             {})
                           .status()
                           .message());
  };
  CHECK(wrong("call g(out y[0..m, 0..n], x[0..m, 0..n])") ==
        "line 7, column 8: there is no extern function 'g'");
  CHECK(wrong("call f(x[0..m, 0..n])") == "in `call f(x[0..m, 0..n])`: the call writes nothing");
  CHECK(wrong("call f(out x[0..m, 0..n])") ==
        "in `call f(out x[0..m, 0..n])`: x is an input and cannot be written; write an output, an "
        "inout "
        "or a local buffer");
  CHECK(
      wrong("call f(out y[0..m, 0..n], y[0..m, 0..n])") ==
      "in `call f(out y[0..m, 0..n], out y[0..m, 0..n])`: the call writes y, which is given to it "
      "twice");
  CHECK(wrong("call f(out y[0..m])") ==
        "in `call f(out y[0..m])`: y: f32[m, n] has 2 dimensions and is accessed with 1 index; "
        "give one "
        "index for each");
  CHECK(wrong("call f(x[0..m, 0..n], out y[0..m, 0..n])") ==
        "line 7, column 29: the parts that a call writes stand before those that it reads");
  CHECK(wrong("call f(out y[0..m, 0..1.5])") ==
        "in `call f(out y[0..m, 0..1.5])`: the end 1.5 has type f32; it must be i64");
  CHECK(wrong("vector for v in 0..4 { call f(out y[0..m, 0..n]) }") ==
        "in `call f(out y[0..m, 0..n])`: f is called inside a vector loop, and a C function has no "
        "lanes");
}

}  // namespace
}  // namespace tenon::test
