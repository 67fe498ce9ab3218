#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "support/reducers.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

TEST_CASE("Sums of a row are accumulated in a copy, which is not filled") {
  const Program p =
      program_of("for i in 0..n { out[i] = -0.0\n for r in 0..m { out[i] += y[r, i] } }");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const Staged copy = s->stage("out", s->loops<1>("out")[0]);
  s.check();
  CHECK(copy.stage == "out_local");
  CHECK(copy.copy_in.empty());
  CHECK(copy.copy_out.size() == 1);
  CHECK(body_of(s->program()) == R"(  for i in 0..n {
    alloc out_local: f32[1]
    out_local[0] = -0.0
    for r in 0..m {
      out_local[0] += y[r, i]
    }
    for c0 in 0..1 {
      out[i + c0] = out_local[c0]
    }
  }
)");
  CHECK(s->trace().steps().back().text == "stage(out, i) -> out_local");
}

TEST_CASE("What a tile reads of an input is copied in front of it") {
  const Program p = linear_relu();
  for (const int64_t n : {16, 19}) {
    Followed s(p, sizes_of(p, {{"m", 5}, {"n", n}, {"k", 3}}), sizes_of(p, {{"n", n}, {"k", 3}}));
    const auto [i, j] = s->loops<2>("linear");
    s->reorder({j, i});
    const auto [jo, ji] = s->split(j, 8);
    const Staged panel = s->stage("w", jo);
    s.check();
    CHECK(panel.copy_in.size() == 2);
    CHECK(panel.copy_out.empty());
    if (n == 16) {
      CHECK(body_of(s->program()) == R"(  alloc linear: f32[m, 16]
  for jo in 0..2 {
    alloc w_local: f32[8, 3]
    for ji in 0..8 {
      for r in 0..3 {
        w_local[ji, r] = w[jo * 8 + ji, r]
      }
    }
    for ji_1 in 0..8 {
      for i in 0..m {
        linear[i, jo * 8 + ji_1] = -0.0
        for r_1 in 0..3 {
          linear[i, jo * 8 + ji_1] += x[i, r_1] * w_local[ji_1, r_1]
        }
      }
    }
  }
  for i_1 in 0..m {
    for j in 0..16 {
      out[i_1, j] = max(linear[i_1, j] + b[j], 0.0)
    }
  }
)");
    }
    // The copy is a stage like any other.
    s->set_layout(panel.stage, [](Index d) { return Index{d[1], d[0]}; });
    s.check();
    s->vectorize(panel.copy_in[0]);
  }
}

TEST_CASE("What is only partly stored is filled before it is written back") {
  const Program p =
      program_of("for i in 0..n { for r in 0..m { if r < 2 { grid[r, i] = x[i] } } }");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const Staged copy = s->stage("grid", s->loops("grid")[0]);
  s.check();
  CHECK(copy.copy_in.size() == 2);
  CHECK(copy.copy_out.size() == 2);
}

TEST_CASE("A sum that goes on in the copy is filled first") {
  const Program p = program_of(
      "for i in 0..n { out[i] = 1.0 }\nfor r in 0..m { for j in 0..n { out[j] += y[r, j] } }");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const Staged copy = s->stage("out", s->all_loops("out")[0]);
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..n {
    out[i] = 1.0
  }
  for r in 0..m {
    alloc out_local: f32[n]
    for j in 0..n {
      out_local[j] = out[j]
    }
    for j_1 in 0..n {
      out_local[j_1] += y[r, j_1]
    }
    for j_2 in 0..n {
      out[j_2] = out_local[j_2]
    }
  }
)");
}

TEST_CASE("A copy of what a ragged tile touches is guarded like the tile") {
  const Program p = linear_relu();
  for (const int64_t n : {1, 8, 11}) {
    Followed s(p, sizes_of(p, {{"m", 3}, {"n", n}, {"k", 2}}));
    const auto [jo, ji] = s->split(s->loops<2>("linear")[1], 8);
    (void)ji;
    const Staged copy = s->stage("linear", jo);
    s.check();
    CHECK(copy.copy_in.empty());
    if (n == 1)
      CHECK(body_of(s->program()) == R"(  alloc linear: f32[m, n]
  for i in 0..m {
    for jo in 0..(n + 7) // 8 {
      alloc linear_local: f32[1, 8]
      for ji in 0..8 {
        if jo * 8 + ji < n {
          linear_local[0, ji] = -0.0
        }
        for r in 0..k {
          if jo * 8 + ji < n {
            linear_local[0, ji] += x[i, r] * w[jo * 8 + ji, r]
          }
        }
      }
      for c0 in 0..1 {
        for ji_1 in 0..8 {
          if jo * 8 + ji_1 < n {
            linear[i + c0, jo * 8 + ji_1] = linear_local[c0, ji_1]
          }
        }
      }
    }
  }
  for i_1 in 0..m {
    for j in 0..n {
      out[i_1, j] = max(linear[i_1, j] + b[j], 0.0)
    }
  }
)");
    s->vectorize(copy.copy_out[1]);
    s.check();
  }
}

TEST_CASE("A guard of all accesses guards the copies") {
  const Program p = program_of(
      "for i in 0..m { if 1 < i { for j in 0..n { grid[i, j] = 0.0\n grid[i, j] += x[j] } } }");
  Followed s(p, sizes_of(p, {{"m", 4}, {"n", 5}}));
  const Staged copy = s->stage("grid", s->loops("grid")[0]);
  s.check();
  CHECK(copy.copy_in.empty());
  CHECK(body_of(s->program()) == R"(  for i in 0..m {
    alloc grid_local: f32[1, n]
    if 2 <= i {
      for j in 0..n {
        grid_local[0, j] = 0.0
        grid_local[0, j] += x[j]
      }
    }
    for c0 in 0..1 {
      for j_1 in 0..n {
        if 2 <= i {
          grid[i + c0, j_1] = grid_local[c0, j_1]
        }
      }
    }
  }
)");
}

TEST_CASE("A stencil reads the hull of its accesses, and nothing outside of the buffer") {
  const Program p = program_of(
      "for i in 0..n { out[i] = select(0 < i, x[i - 1], 0.0) + x[i] + "
      "select(i + 1 < n, x[i + 1], 0.0) }");
  for (const int64_t n : {1, 4, 9}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", n}}));
    const auto [io, ii] = s->split(s->loops<1>("out")[0], 4);
    (void)ii;
    s->stage("x", io);
    s.check();
    if (n == 1)
      CHECK(body_of(s->program()) == R"(  for io in 0..(n + 3) // 4 {
    alloc x_local: f32[6]
    for ii in 0..6 {
      if 1 <= io * 4 + ii and io * 4 + ii <= n {
        x_local[ii] = x[io * 4 + ii - 1]
      }
    }
    for ii_1 in 0..4 {
      if io * 4 + ii_1 < n {
        out[io * 4 + ii_1] = select(1 <= io * 4 + ii_1, x_local[ii_1], 0.0) + x_local[ii_1 + 1] + select(io * 4 + ii_1 + 1 < n, x_local[ii_1 + 2], 0.0)
      }
    }
  }
)");
  }
}

TEST_CASE("Without a loop the program works on copies of its parameters") {
  const Program p = program_of(
      "for i in 0..n { out[i] = -0.0\n for r in 0..m { out[i] += y[r, i] } }\n"
      "for q in 0..n { grid[0, q] = out[q] }",
      1, 0);
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const Staged sums = s->stage("out");
  s.check();
  CHECK(sums.copy_in.empty());
  const Staged input = s->stage("y");
  s.check();
  CHECK(input.copy_out.empty());
  CHECK(body_of(s->program()) == R"(  alloc out_local: f32[n]
  alloc y_local: f32[m, n]
  for r in 0..m {
    for i in 0..n {
      y_local[r, i] = y[r, i]
    }
  }
  for i_1 in 0..n {
    out_local[i_1] = -0.0
    for r_1 in 0..m {
      out_local[i_1] += y_local[r_1, i_1]
    }
  }
  for i_2 in 0..n {
    out[i_2] = out_local[i_2]
  }
  for q in 0..n {
    grid[0, q] = out[q]
  }
)");
  s->set_layout(input.stage, [](Index d) { return Index{d[1] / 4, d[0], d[1] % 4}; });
  s.check();
  CHECK(s->trace().steps()[0].text == "stage(out) -> out_local");
}

TEST_CASE("Results of one reduction have copies together") {
  const Program p = parsed(R"(
program best
  size m, n
  input x: f32[m, n]
  output top: f32[m]
  output place: i64[m])" + std::string(kArgmax) +
                           R"(
{
  for i in 0..m {
    top[i] = -inf
    place[i] = -1
    for r in 0..n { (top, place)[i] argmax= (x[i, r], r) }
  }
})");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const Staged copy = s->stage("place", s->loops<1>("top")[0]);
  s.check();
  CHECK(copy.stage == "place_local");
  CHECK(copy.copy_in.empty());
  CHECK(body_of(s->program()) == R"(  for i in 0..m {
    alloc place_local: i64[1]
    alloc top_local: f32[1]
    top_local[0] = -inf
    place_local[0] = -1
    for r in 0..n {
      (top_local, place_local)[0] argmax= (x[i, r], r)
    }
    for c0 in 0..1 {
      place[i + c0] = place_local[c0]
      top[i + c0] = top_local[c0]
    }
  }
)");
}

TEST_CASE("A stage from outside of the loop is copied in and out") {
  const Program p = program_of(
      "alloc t: f32[n]\n for a in 0..n { t[a] = x[a] }\n"
      "for r in 0..m { for i in 0..n - 1 { t[i] = t[i + 1] * y[r, i] } }\n"
      "for b in 0..n { out[b] = t[b] }",
      0, 1);
  for (const int64_t n : {1, 2, 6}) {
    Followed s(p, sizes_of(p, {{"m", 3}, {"n", n}}));
    const Staged copy = s->stage("t", s->all_loops("t")[0]);
    s.check();
    CHECK(copy.copy_in.size() == 1);
    CHECK(copy.copy_out.size() == 1);
  }
}

TEST_CASE("What earlier iterations stored is read from the copy") {
  const Program p = program_of(
      "for i in 0..1 { for r in 0..n { if r < 1 { out[r] = x[r] }\n"
      "if 0 < r { out[r] = out[r - 1] + x[r] } } }");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  s->stage("out", s->all_loops("out")[0]);
  s.check();
}

TEST_CASE("A start value in the first iteration is enough") {
  const Program p = program_of(
      "for i in 0..n { for r in 0..m { if r < 1 { out[i] = 0.0 }\n out[i] += y[r, i] } }", 1, 0);
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const Staged copy = s->stage("out", s->all_loops("out")[0]);
  s.check();
  CHECK(copy.copy_in.empty());
}

TEST_CASE("Iterations of a parallel loop have copies of their own") {
  const Program p = program_of(
      "for i in 0..m { for j in 0..n { grid[i, j] = 0.0\n for r in 0..3 { grid[i, j] += x[j] } } "
      "}");
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const std::vector<Loop> loops = s->loops("grid");
  s->parallelize(loops[0]);
  s->stage("grid", loops[0]);
  s.check();
  s->stage("grid_local", loops[1]);
  s.check();

  // Around a parallel loop, too.
  Followed around(p, sizes_of(p, {{"m", 3}, {"n", 5}}));
  const std::vector<Loop> own = around->loops("grid");
  around->parallelize(own[0]);
  around->stage("grid");
  around.check();
}

std::string refused(const Program& p, const char* buffer, const char* loop = nullptr) {
  Schedule s(p);
  if (loop) {
    Loop found;
    for (const Loop& l : s.all_loops("out")) {
      if (l.var().name() == loop) found = l;
    }
    s.stage(buffer, found);
  } else {
    s.stage(buffer);
  }
  return refusal_of(s);
}

TEST_CASE("A region that other iterations write parts of is not copied in parallel") {
  CHECK(
      refused(program_of("parallel for i in 0..2 { for j in 0..4 { out[i + j * 2] = 1.0 } }", 0, 8),
              "out", "i") ==
      "schedule step 1: stage(out, i) refused\n"
      "  loop i would not stay parallel: iteration (i = 0) must run before (i = 1): both touch "
      "out[1]");
}

TEST_CASE("The copy of a part that grows has the room of the largest") {
  const Program p = program_of("for i in 0..n { for j in 0..i + 1 { out[i] = x[j] } }");
  for (const int64_t n : {0, 1, 5, 9}) {
    Followed s(p, sizes_of(p, {{"m", 1}, {"n", n}}));
    s->stage("x", s->loops("out")[0]);
    s.check();
    CHECK(body_of(s->program()) == R"(  for i in 0..n {
    alloc x_local: f32[n]
    for j in 0..i + 1 {
      x_local[j] = x[j]
    }
    for j_1 in 0..i + 1 {
      out[i] = x_local[j_1]
    }
  }
)");
  }
}

TEST_CASE("The part that is used is a box that is known in front") {
  CHECK(refused(program_of("for i in 0..n { out[i] = x[i] + x[n - 1 - i] }"), "x", "i") ==
        "schedule step 1: stage(x, i) refused\n"
        "  the first index of accesses of x starts at i or n - i - 1, and which is smaller is not "
        "known\n"
        "  missing fact: n < 2");
  CHECK(refused(parsed(R"(
    program p
      size n
      input x: f32[n]
      input idx: i64[n]
      output out: f32[n]
    { for i in 0..n { out[i] = x[check(idx[i], n)] } })"),
                "x", "i") ==
        "schedule step 1: stage(x, i) refused\n"
        "  which part of x is used depends on data: idx");
}

TEST_CASE("A place inside of a vector, of a stage's own loop, or without a use is refused") {
  CHECK(refused(program_of("for i in 0..8 { vector for j in 0..4 { out[j] = x[j] } }", 0, 8), "x",
                "j") ==
        "schedule step 1: stage(x, j) refused\n"
        "  loop j is a vector loop, which cannot hold an allocation: stage x at a loop around it");
  CHECK(refused(program_of("for i in 0..n { alloc t: f32[4]\n for j in 0..4 { t[j] = x[i] }\n"
                           "out[i] = t[0] }"),
                "t", "i") ==
        "schedule step 1: stage(t, i) refused\n"
        "  t is declared inside of loop i: it can be staged in a loop behind its declaration");
  CHECK(refused(chain(), "t") ==
        "schedule step 1: stage(t) refused\n"
        "  t is a local buffer, which can be staged in a loop; in the program's own body only "
        "parameters "
        "are");
  CHECK(refused(program_of("for i in 0..n { out[i] = x[i] }"), "y", "i") ==
        "schedule step 1: stage(y, i) refused\n"
        "  nothing in loop i uses y");
  CHECK(refused(program_of("for i in 0..n { out[i] = x[i] }"), "q") ==
        "schedule step 1: stage(q) refused\n"
        "  there is no buffer q; the buffers are x, y, out, grid");
}

}  // namespace
}  // namespace tenon::test
