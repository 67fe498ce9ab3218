#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

// A stage t of x, a stage e computed by `nest` and read at the end.
Program stages(const std::string& nest, const std::string& after = "") {
  return program_of("alloc t: f32[n]\n for i in 0..n { t[i] = x[i] * 2.0 }\n alloc e: f32[n]\n" +
                    nest + "\n" + after + "\n for k in 0..n { out[k] = e[k] }");
}

TEST_CASE("A stage takes over the memory of the one it is computed from") {
  const Program p = stages("for j in 0..n { e[j] = t[j] + 1.0 }");
  for (const int64_t n : {0, 1, 5}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", n}}));
    s->store_over("e", "t");
    s.check();
    CHECK(body_of(s->program()) == R"(  alloc t: f32[n]
  for i in 0..n {
    t[i] = x[i] * 2.0
  }
  for j in 0..n {
    t[j] = t[j] + 1.0
  }
  for k in 0..n {
    out[k] = t[k]
  }
)");
  }
}

TEST_CASE("The stage that is gone is explained by those that there are") {
  Schedule s(stages("for j in 0..n { e[j] = t[j] + 1.0 }"));
  s.store_over("e", "t");
  CHECK(s.trace().steps().back().text == "store_over(e, t)");
  s.pad("e", 0, 8);
  CHECK(refusal_of(s) ==
        "schedule step 2: pad(e, 0, 8) refused\n"
        "  there is no stage e; the stages are t, out, grid");
}

TEST_CASE("Split, vector and parallel loops over the same elements change nothing") {
  const Program p = stages("for j in 0..n { e[j] = t[j] + 1.0 }");
  for (const bool lanes : {true, false}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", 11}}));
    const auto [jo, ji] = s->split(s->loops<1>("e")[0], 4);
    if (lanes) {
      s->vectorize(ji);
    } else {
      s->parallelize(jo);
    }
    s->store_over("e", "t");
    s.check();
  }
}

TEST_CASE("Elements that are read backwards in time are kept: an earlier index may be read") {
  const Program p = stages(
      "for j in 0..n - 1 { e[j] = t[j + 1] }\n for l in 0..n { if l == n - 1 { e[l] = 1.0 } }");
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 5}}));
  s->store_over("e", "t");
  s.check();
}

std::string refused(const Program& p) {
  Schedule s(p);
  s.store_over("e", "t");
  return diagnostic_of(s.status())->reason;
}

TEST_CASE("An element that is still read is not overwritten") {
  CHECK(refused(stages("for j in 0..n { e[j] = t[0] }")) ==
        "e[0] would be stored over t[0] (j = 0), which is still read after that (j = 1), with "
        "n = 2");
  CHECK(refused(stages("for j in 0..n { e[j] = t[j]\n out[j] = t[j] }")) ==
        "e[0] would be stored over t[0] (j = 0), which is still read after that (j = 0), with "
        "n = 2");
  CHECK(refused(stages("for j in 0..n { e[j] = 1.0 }", "for l in 0..n { out[l] = t[l] }")) ==
        "e[0] would be stored over t[0] (j = 0), which is still read after that (l = 0), with "
        "n = 2");
  CHECK(refused(stages("parallel for j in 0..n - 1 { e[j] = t[j + 1] }")) ==
        "e[1] would be stored over t[1] (j = 1), which is still read after that (j = 0), with "
        "n = 3");
}

TEST_CASE("A read at an unknown place is not known to come before") {
  const Program p = parsed(R"(
program p
  size n
  input idx: i64[n]
  output out: f32[n]
{
  alloc t: f32[n]
  for i in 0..n { t[i] = 1.0 }
  alloc e: f32[n]
  for j in 0..n { e[j] = t[check(idx[j], n)] }
  for k in 0..n { out[k] = e[k] }
}
)");
  CHECK(refused(p) ==
        "cannot tell whether t[check(idx[j], n)] is read after e[j] is stored in its place");
}

TEST_CASE("The old stage is complete before the new one begins") {
  CHECK(refused(stages("for j in 0..n { e[j] = t[j] }", "for l in 0..n { t[l] = 2.0 }")) ==
        "t is written in the statement that computes e, or behind it");
  CHECK(refused(stages("for j in 0..n { t[j] = x[j]\n e[j] = t[j] }")) ==
        "t is written in the statement that computes e, or behind it");
  CHECK(refused(program_of("alloc e: f32[n]\n for j in 0..n { e[j] = x[j] }\n alloc t: f32[n]\n"
                           "for i in 0..n { t[i] = x[i] }\n"
                           "for k in 0..n { out[k] = e[k] + t[k] }")) ==
        "t is declared after e is computed");
}

TEST_CASE("Type and shape are the same") {
  const auto with = [](const std::string& declaration) {
    return program_of("alloc t: f32[n]\n for i in 0..n { t[i] = x[i] }\n alloc e: " + declaration +
                          "\n for j in 0..8 { e[j] = 1.0 }\n for k in 0..8 { out[k] = e[k] }",
                      0, 8);
  };
  CHECK(refused(with("f32[8]")) ==
        "e is f32[8] and t is f32[n]: only a stage of the same type and shape takes its memory "
        "over");
  CHECK(refused(program_of("alloc t: f32[n]\n for i in 0..n { t[i] = x[i] }\n alloc e: i32[n]\n"
                           "for j in 0..n { e[j] = 1i32 }\n for k in 0..n { out[k] = x[k] }")) ==
        "e is i32[n] and t is f32[n]: only a stage of the same type and shape takes its memory "
        "over");
}

TEST_CASE("Both stages are local, and declared in the same sequence") {
  Schedule output(stages("for j in 0..n { e[j] = t[j] }"));
  output.store_over("e", "out");
  CHECK(refusal_of(output) ==
        "schedule step 1: store_over(e, out) refused\n"
        "  out is a parameter of the program, not a local buffer");
  Schedule self(stages("for j in 0..n { e[j] = t[j] }"));
  self.store_over("e", "e");
  CHECK(diagnostic_of(self.status())->reason == "e has this memory already");
  CHECK(refused(program_of("alloc t: f32[n]\n for i in 0..n { t[i] = x[i] }\n for r in 0..m {\n"
                           "alloc e: f32[n]\n for j in 0..n { e[j] = t[j] }\n"
                           "for k in 0..n { grid[r, k] = e[k] } }")) ==
        "e and t are not declared in the same sequence of statements");
}

TEST_CASE("Stages in a loop are private to its iterations") {
  const Program p = program_of(R"(
    for i in 0..m {
      alloc t: f32[n]
      for a in 0..n { t[a] = y[i, a] }
      alloc e: f32[n]
      for b in 0..n { e[b] = t[b] * t[b] }
      for c in 0..n { grid[i, c] = e[n - 1 - c] }
    })");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  s->store_over("e", "t");
  s.check();
  s->parallelize(s->loops<2>("grid")[0]);
  s.check();
}

}  // namespace
}  // namespace tenon::test
