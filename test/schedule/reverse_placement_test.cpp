// reverse_inline, reverse_compute_at and fuse_epilogue: a consumer goes to its producer.
#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/ir/visit.h"

namespace tenon::test {
namespace {

// --- reverse_inline

TEST_CASE("An elementwise stage goes into the nest of its producer, with its loops and marks") {
  const Program p = parsed(R"(
program p
  size n
  input x: f32[n]
  input b: f32[n]
  output out: f32[n]
{
  alloc t: f32[n]
  for i in 0..n { t[i] = x[i] * 2.0 }
  for j in 0..n { out[j] = t[j] * t[j] + b[j] }
})");
  for (const int64_t n : {0, 1, 8, 21}) {
    Followed s(p, sizes_of(p, {{"n", n}}));
    const auto [io, ii] = s->split(s->loops<1>("t")[0], 8);
    s->vectorize(ii);
    s->reverse_inline("out");
    s.check();
  }
  Schedule s(p);
  const Loop j = s.loops<1>("out")[0];
  const auto [io, ii] = s.split(s.loops<1>("t")[0], 8);
  s.vectorize(ii);
  s.reverse_inline("out");
  REQUIRE(s.status().ok());
  CHECK(body_of(s.program()) == R"(  for io in 0..(n + 7) // 8 {
    vector for ii in 0..8 {
      if io * 8 + ii < n {
        out[io * 8 + ii] = x[io * 8 + ii] * 2.0 * (x[io * 8 + ii] * 2.0) + b[io * 8 + ii]
      }
    }
  }
)");
  s.split(j, 4);
  CHECK(refusal_of(s) ==
        "schedule step 4: split(j, 4) refused\n"
        "  loop j no longer exists: step 3 computed out in the nest of what it reads");
}

TEST_CASE("A stage that is declared further out than its producer stays declared there") {
  const Program p = parsed(R"(
program p
  input x: f32[12]
  output out: f32[12]
{
  alloc u: f32[12]
  for i in 0..12 {
    alloc t: f32[]
    t[] = x[i] * 2.0
    u[i] = t[] + 1.0
  }
  for k in 0..12 { out[k] = u[k] * 0.5 }
})");
  Followed s(p, {});
  s->reverse_inline("u");
  s.check();
  CHECK(body_of(s->program()) == R"(  alloc u: f32[12]
  for i in 0..12 {
    u[i] = x[i] * 2.0 + 1.0
  }
  for k in 0..12 {
    out[k] = u[k] * 0.5
  }
)");
}

TEST_CASE("A stage in the middle goes to its producer, over its own part alone") {
  const Program p = parsed(R"(
program p
  input x: f32[12]
  output out: f32[10]
{
  alloc t: f32[12]
  for i in 0..12 { t[i] = x[i] * 2.0 }
  alloc u: f32[10]
  for j in 0..10 { u[j] = t[j] + 1.0 }
  for k in 0..10 { out[k] = u[9 - k] }
})");
  Followed s(p, {});
  s->reverse_inline("u");
  s.check();
  CHECK(body_of(s->program()) == R"(  alloc u: f32[10]
  for i in 0..12 {
    if i < 10 {
      u[i] = x[i] * 2.0 + 1.0
    }
  }
  for k in 0..10 {
    out[k] = u[9 - k]
  }
)");
}

std::string inlining(const std::string& body) {
  Schedule s(program_of("alloc t: f32[n]\n" + body, 1));
  s.reverse_inline("out");
  return refusal_of(s);
}

TEST_CASE("What does not go into its producer") {
  const std::string t = "for i in 0..n { t[i] = x[i] }\n";
  CHECK(inlining(t + "for j in 0..n { out[j] = t[n - 1 - j] }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  the value of out reads t[n - j - 1], not the element that its loops stand at");
  CHECK(inlining(t + "for j in 0..n { out[j] = t[j] + t[n - 1 - j] }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  the value of out reads t[j] and t[n - j - 1]: it is not elementwise\n"
        "  legal here: inline_into(t)");
  CHECK(inlining(t + "for j in 0..n { out[j] = t[j] }\nfor k in 0..n { grid[0, k] = t[k] }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  t is also read elsewhere, and would not be stored any more");
  CHECK(inlining("for i in 0..n { t[i] = 0.0\nfor r in 0..m { t[i] += y[r, i] } }\n"
                 "for j in 0..n { out[j] = t[j] }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  t is a reduction, and more than one statement writes it\n"
        "  legal here: fuse_epilogue of the stage that reads it");
  CHECK(inlining(t + "for j in 0..n { out[j] = 0.0\nout[j] = t[j] }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  out is written by several statements");
  CHECK(inlining("for i in 0..n { if x[i] < 0.0 { t[i] = x[i] } }\n"
                 "for j in 0..n { out[j] = t[j] }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  cannot tell that the nest of t stores every t[j] that out reads");
  CHECK(inlining(t + "for j in 0..n { out[j] = x[j] }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  the value of out reads no stage");
  CHECK(inlining("for i in 0..n { t[i] = x[i]\nout[i] = t[i] }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  t and out are computed in one nest\n"
        "  legal here: inline_into(t)");
  CHECK(inlining(t + "for q in 0..n { grid[0, q] = x[q] }\n"
                     "for j in 0..n { out[j] = t[j] + grid[0, j] }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  the nest of out reads grid, which is written after t begins");
  CHECK(inlining(t + "for j in 0..n { for r in 0..m { out[j] = t[j] } }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  loop r of the nest of out is not an index of both t[j] and out[j]");
  CHECK(inlining(t + "for j in 0..n { out[j // 2] = t[j] }") ==
        "schedule step 1: reverse_inline(out) refused\n"
        "  loop j of the nest of out is not an index of both t[j] and out[j // 2]");
}

// --- reverse_compute_at

Program blur(int64_t halo) {
  const std::string h = std::to_string(halo);
  return parsed("program blur\n  size n\n  input b: f32[n + " + h +
                "]\n  output out: f32[n]\n{\n  alloc half: f32[n + " + h + "]\n  for i in 0..n + " +
                h + " { half[i] = b[i] * 0.5 }\n  for j in 0..n { out[j] = half[j] + half[j + " +
                h + "] }\n}\n");
}

TEST_CASE("A consumer stays behind by what its elements need") {
  for (const int64_t halo : {0, 1, 3}) {
    const Program p = blur(halo);
    for (const int64_t n : {0, 1, 8, 13}) {
      Followed s(p, sizes_of(p, {{"n", n}}));
      const auto [io, ii] = s->split(s->loops<1>("half")[0], 4);
      const std::vector<Loop> loops = s->reverse_compute_at("out", io);
      s.check();
      REQUIRE(loops.size() == 1);
      s->vectorize(loops[0]);
      s.check();
    }
  }
  const Program p = blur(1);
  Schedule s(p, sizes_of(p, {{"n", 32}}));
  const auto [io, ii] = s.split(s.loops<1>("half")[0], 8);
  s.reverse_compute_at("out", io);
  REQUIRE(s.status().ok());
  CHECK(body_of(s.program()) == R"(  alloc half: f32[33]
  for io in 0..5 {
    for ii in 0..8 {
      if io * 8 + ii < 33 {
        half[io * 8 + ii] = b[io * 8 + ii] * 0.5
      }
    }
    for j in 0..8 {
      if 1 <= io * 8 + j and io * 8 + j < 33 {
        out[io * 8 + j - 1] = half[io * 8 + j - 1] + half[io * 8 + j]
      }
    }
  }
)");
}

// The k of linear_relu.
Var reduced_size(const Program& p) { return sizes_of(p, {{"k", 1}}).values().front().first; }

TEST_CASE("A consumer goes to a tile of a matrix product, and to the last block of its reduction") {
  const Program p = linear_relu();
  for (const int64_t k : {1, 4, 6}) {
    Followed s(p, sizes_of(p, {{"m", 7}, {"n", 9}, {"k", k}}));
    s->assume(Expr(0) < Expr(reduced_size(p)));
    const std::vector<Loop> loops = s->all_loops("linear");
    s->decompose_init(loops[0]);
    s.check();
    const std::vector<Loop> update = s->all_loops("linear");
    const auto [ro, ri] = s->split(update[2], 4);
    const auto [io, jo, ii, ji] = s->tile(update[0], update[1], 4, 4);
    s->reorder({ro, io, jo, ri, ii, ji});
    s.check();
    s->reverse_compute_at("out", jo);
    s.check();
  }
}

TEST_CASE("What a consumer keeps for itself goes with it, without its guards") {
  const Program p = parsed(R"(
program p
  size n
  input x: f32[n]
  output out: f32[n]
{
  alloc t: f32[n]
  for i in 0..n { t[i] = x[i] * 2.0 }
  for q in 0..1 {
    alloc s: f32[1]
    s[0] = 3.0
    for j in 0..n { out[j] = s[0] + t[j] }
  }
})");
  for (const int64_t n : {0, 1, 4, 7}) {
    Followed s(p, sizes_of(p, {{"n", n}}));
    const auto [io, ii] = s->split(s->loops<1>("t")[0], 4);
    s->reverse_compute_at("out", io);
    s.check();
  }
}

std::string moving(const std::string& body, const std::string& loop) {
  Schedule s(program_of("alloc t: f32[n]\n" + body, 1));
  Loop at;
  walk(s.program()->body, [&](const Stmt& part) {
    const For* l = part.as<For>();
    if (l && l->var.name() == loop) at = Loop(l->var);
  });
  s.reverse_compute_at("out", at);
  return refusal_of(s);
}

TEST_CASE("What does not move behind its producer") {
  const std::string t = "for i in 0..n { t[i] = x[i] }\n";
  const std::string out = "for j in 0..n { out[j] = t[j] }";
  CHECK(moving("for i in 0..n { t[n - 1 - i] = x[i] }\n" + out, "i") ==
        "schedule step 1: reverse_compute_at(out, i) refused\n"
        "  the part of out in dimension 0 that is complete after an iteration, before n - i, does "
        "not grow with loop i in steps of one size");
  CHECK(moving(t + "for j in 0..n { out[j] = t[n - 1 - j] }", "i") ==
        "schedule step 1: reverse_compute_at(out, i) refused\n"
        "  the nest of out reads t[n - j - 1], where index 0 is not loop j and a distance");
  CHECK(moving(t + "for j in 0..n { out[j] = t[max(j - 1, 0)] }", "i") ==
        "schedule step 1: reverse_compute_at(out, i) refused\n"
        "  the nest of out reads t[max(j - 1, 0)], where index 0 is not loop j and a distance");
  CHECK(moving("for r in 1..m { for i in 0..n { t[i] = x[i] } }\n" + out, "i") ==
        "schedule step 1: reverse_compute_at(out, i) refused\n"
        "  loop r selects no part of out, which would be computed in its last iteration, and "
        "cannot tell that it has one\n"
        "  missing fact: 2 <= m");
  CHECK(moving("for i in 0..n { t[i] = x[i] }\nfor q in 0..n { t[q] = t[q] + 1.0 }\n" + out, "i") ==
        "schedule step 1: reverse_compute_at(out, i) refused\n"
        "  `for q in 0..n` stands in front of the nest of out: both touch t[0]");
  CHECK(moving("parallel for i in 0..n { t[i] = x[i] }\nparallel " + out, "i") ==
        "schedule step 1: reverse_compute_at(out, i) refused\n"
        "  loop j of the nest of out is parallel, and the new place stands inside a parallel loop");
  CHECK(moving(t + "for q in 0..n { grid[0, q] = t[q] }\nfor j in 0..n { out[j] = grid[0, j] }",
               "i") ==
        "schedule step 1: reverse_compute_at(out, i) refused\n"
        "  `for q in 0..n` stands in front of the nest of out: both touch grid[0, 0]");
  CHECK(moving(t + "for j in 0..n { out[j] = t[j]\ngrid[0, j] = 1.0 }", "i") ==
        "schedule step 1: reverse_compute_at(out, i) refused\n"
        "  the nest of out also writes grid");
  CHECK(moving(t + "for q in 0..n { out[q] = 1.0 }\n" + out, "i") ==
        "schedule step 1: reverse_compute_at(out, i) refused\n"
        "  out is written by several nests");
  CHECK(moving("for i in 0..n { t[i] = x[i] }\nfor q in 0..n { grid[0, q] = t[q] }\n"
               "for j in 0..n { out[j] = t[j] + t[0] }",
               "q") ==
        "schedule step 1: reverse_compute_at(out, q) refused\n"
        "  loop q selects no part of out, which would be computed in its last iteration, and "
        "cannot tell that it has one\n"
        "  missing fact: 1 <= n");
}

// --- fuse_epilogue

TEST_CASE("An epilogue runs where the reduction is complete") {
  const Program p = linear_relu();
  for (const int64_t k : {0, 1, 5}) {
    Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}, {"k", k}}));
    const std::vector<Loop> left = s->fuse_epilogue("out");
    s.check();
    CHECK(left.empty());
  }
  Schedule s(p);
  s.fuse_epilogue("out");
  REQUIRE(s.status().ok());
  CHECK(body_of(s.program()) == R"(  alloc linear: f32[m, n]
  for i in 0..m {
    for j in 0..n {
      linear[i, j] = -0.0
      for r in 0..k {
        linear[i, j] += x[i, r] * w[j, r]
      }
      out[i, j] = max(linear[i, j] + b[j], 0.0)
    }
  }
)");
  CHECK(s.trace().steps().front().text == "fuse_epilogue(out)");
  CHECK(s.trace().steps().size() == 4);
}

TEST_CASE("An epilogue runs in the last iteration of a reduction that is apart from its start") {
  const Program p = linear_relu();
  Schedule s(p);
  s.decompose_init(s.all_loops("linear")[0]);
  Schedule assumed = s;
  s.fuse_epilogue("out");
  CHECK(refusal_of(s) ==
        "schedule step 2: fuse_epilogue(out) refused\n"
        "  reverse_compute_at(out, r): loop r selects no part of out, which would be computed in "
        "its last iteration, and cannot tell that it has one\n"
        "  missing fact: 1 <= k");
  assumed.assume(Expr(0) < Expr(reduced_size(p)));
  assumed.fuse_epilogue("out");
  REQUIRE(assumed.status().ok());
  check_same(p, checked(assumed.program()), sizes_of(p, {{"m", 3}, {"n", 4}, {"k", 5}}));
  Schedule none(chain());
  none.fuse_epilogue("t");
  CHECK(refusal_of(none) ==
        "schedule step 1: fuse_epilogue(t) refused\n"
        "  t reads no stage");
}

TEST_CASE("A guard that reads is asked only inside of the block") {
  const Program p = program_of(
      "alloc t: f32[n]\n for i in 0..n { t[i] = x[i] * 2.0 }\n"
      "for j in 0..n { if x[j] < 0.5 { out[j] = t[j] } }");
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 13}}));
  s->reverse_compute_at("out", s->split(s->loops("t")[0], 8).first);
  s.check();
  CHECK(body_of(s->program()).find("if io * 8 + j < n and x[io * 8 + j] < 0.5 {") !=
        std::string::npos);
}

}  // namespace
}  // namespace tenon::test
