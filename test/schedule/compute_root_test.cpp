#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "support/reducers.h"

namespace tenon::test {
namespace {

Program blur() {
  return parsed(R"(
program blur
  size n
  input b: f32[n + 1]
  output out: f32[n]
{
  alloc half: f32[n + 1]
  for i in 0..n + 1 { half[i] = b[i] * 0.5 }
  for j in 0..n { out[j] = half[j] + half[j + 1] }
})");
}

TEST_CASE("What compute_at took apart is one stage again") {
  const Program p = blur();
  for (const int64_t n : {0, 1, 7, 8, 19}) {
    Followed s(p, sizes_of(p, {{"n", n}}));
    const auto [io, ii] = s->split(s->loops<1>("out")[0], 8);
    const Loop i = s->compute_at<1>("half", io)[0];
    s.check();
    const std::vector<Loop> loops = s->compute_root("half");
    s.check();
    REQUIRE(loops.size() == 1);
    CHECK(loops[0].var() == i.var());
  }
  Schedule s(p, sizes_of(p, {{"n", 32}}));
  const Program before = s.program();
  const Loop j = s.loops<1>("out")[0];
  s.compute_at("half", j);
  s.compute_root("half");
  REQUIRE(s.status().ok());
  CHECK(structurally_equal(s.program(), before));
}

TEST_CASE("The hull of a ragged tail ends where the guard ends") {
  const Program p = blur();
  Schedule s(p);
  const auto [io, ii] = s.split(s.loops<1>("out")[0], 8);
  s.compute_at("half", io);
  s.compute_root("half");
  REQUIRE(s.status().ok());
  CHECK(body_of(s.program()) == R"(  alloc half: f32[n + 1]
  for i in 0..n + 1 {
    half[i] = b[i] * 0.5
  }
  for jo in 0..(n + 7) // 8 {
    for ji in 0..8 {
      if jo * 8 + ji < n {
        out[jo * 8 + ji] = half[jo * 8 + ji] + half[jo * 8 + ji + 1]
      }
    }
  }
)");
}

TEST_CASE("A tile of a matrix, and one of its rows, go back") {
  const Program p = linear_relu();
  for (const int64_t n : {1, 5, 16}) {
    Followed s(p, sizes_of(p, {{"m", 6}, {"n", n}, {"k", 3}}));
    const auto [i, j] = s->loops<2>("out");
    const auto [io, jo, ii, ji] = s->tile(i, j, 4, 8);
    s->compute_at("linear", jo);
    s.check();
    s->compute_root("linear");
    s.check();
    s->compute_at("linear", ii);
    s.check();
    s->compute_root("linear");
    s.check();
  }
}

TEST_CASE("Stages that are reduced together go back together") {
  const Program p = parsed("program p\n  size m, n\n  input x: f32[m, n]\n  output y: i64[m]\n" +
                           std::string(kArgmax) +
                           "\n{\n  alloc b: f32[m]\n  alloc a: i64[m]\n"
                           "  for i in 0..m { b[i] = -inf\n a[i] = -1\n"
                           "    for j in 0..n { (b, a)[i] argmax= (x[i, j], j) } }\n"
                           "  for c in 0..m { y[c] = a[c] }\n}\n");
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 4}}));
  s->compute_at("a", s->loops<1>("y")[0]);
  s.check();
  s->compute_root("b");
  s.check();
}

std::string refused(const std::string& body, const std::string& stage = "t") {
  Schedule s(program_of(body));
  s.compute_root(stage);
  return refusal_of(s);
}

TEST_CASE("A stage that is not the same for all iterations stays") {
  CHECK(refused("for i in 0..n { alloc t: f32[2]\nfor l in 0..2 { t[l] = x[i] }\n"
                "out[i] = t[0] + t[1] }") ==
        "schedule step 1: compute_root(t) refused\n"
        "  the nest of t uses i, which differs between iterations of loop i for the same element");
  CHECK(refused("for i in 0..n { alloc s: f32[]\ns[] = x[i]\nalloc t: f32[1]\n"
                "for l in 0..1 { t[l] = s[] }\nout[i] = t[0] }") ==
        "schedule step 1: compute_root(t) refused\n"
        "  the nest of t reads s, which is declared inside of loop i: move that first");
  CHECK(refused("for i in 0..n { let v = i // 2\nalloc t: f32[1]\nfor l in 0..1 { t[l] = "
                "cast<f32>(v) }\nout[i] = t[0] }") ==
        "schedule step 1: compute_root(t) refused\n"
        "  the nest of t uses v, which is named inside of loop i");
  CHECK(refused("for i in 1..n { alloc t: f32[1]\nfor l in 0..1 { t[l] = out[i + l - 1] }\n"
                "out[i] = t[0] }") ==
        "schedule step 1: compute_root(t) refused\n"
        "  the nest of t reads out[1] (i = 2, l = 0), which is written before that (i = 1), with n "
        "= 3");
  CHECK(
      refused("alloc t: f32[n]\nfor l in 0..n { t[l] = x[l] }\nfor i in 0..n { out[i] = t[i] }") ==
      "schedule step 1: compute_root(t) refused\n"
      "  t is declared in front of all loops already");
  CHECK(refused("for i in 0..n { alloc t: f32[2]\nunroll for l in 0..2 { t[l] = 1.0 }\n"
                "out[i] = t[0] }") ==
        "schedule step 1: compute_root(t) refused\n"
        "  loop l of the nest of t is unrolled: compute t in front of all loops before that");
  CHECK(refused("for i in 0..n { out[i] = 0.0 }", "out") ==
        "schedule step 1: compute_root(out) refused\n"
        "  out is a parameter of the program, not a local buffer");
}

}  // namespace
}  // namespace tenon::test
