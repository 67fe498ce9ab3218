#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("A stage moves to the loop that reads it and shrinks to what is read there") {
  const Program p = chain();
  for (int64_t n : {1, 7, 8, 9, 20}) {
    Followed s(p, sizes_of(p, {{"n", n}}));
    const auto [io, ii] = s->split(s->loops<1>("out")[0], 8);
    const auto [i] = s->compute_at<1>("t", io);
    s.check();
    CHECK(body_of(s->program()) == R"(  for io in 0..(n + 7) // 8 {
    alloc t: f32[8]
    for i in 0..8 {
      if io * 8 + i < n {
        t[i] = x[io * 8 + i] * 2.0
      }
    }
    for ii in 0..8 {
      if io * 8 + ii < n {
        out[io * 8 + ii] = t[ii] + 1.0
      }
    }
  }
)");
    s->vectorize(i);
    s.check();
    s->vectorize(ii);
    s.check();
  }
}

TEST_CASE("The producer's loops keep their handles") {
  const Program p = chain();
  Followed s(p, sizes_of(p, {{"n", 9}}));
  const Loop before = s->loops<1>("t")[0];
  const auto [i] = s->compute_at<1>("t", s->loops<1>("out")[0]);
  s.check();
  CHECK(i.var() == before.var());
}

TEST_CASE("A halo is computed again where tiles overlap") {
  const Program p = parsed(R"(
program blur
  input x: f32[22]
  output out: f32[20]
{
  alloc t: f32[22]
  for i in 0..22 { t[i] = x[i] * 2.0 }
  for j in 0..20 { out[j] = t[j] + t[j + 1] + t[j + 2] }
})");
  Followed s(p, {});
  const auto [io, ii] = s->split(s->loops<1>("out")[0], 6);
  (void)ii;
  s->compute_at<1>("t", io);
  s.check();
  CHECK(body_of(s->program()) == R"(  for jo in 0..4 {
    alloc t: f32[8]
    for i in 0..8 {
      if jo * 6 + i < 22 {
        t[i] = x[jo * 6 + i] * 2.0
      }
    }
    for ji in 0..6 {
      if jo * 6 + ji < 20 {
        out[jo * 6 + ji] = t[ji] + t[ji + 1] + t[ji + 2]
      }
    }
  }
)");
}

// What row i needs of t grows with i; the nest of t computes a part of it.
TEST_CASE("A stage shrinks to a triangle, in memory that holds its last row") {
  const Program p = parsed(R"(
program triangle
  size n
  input x: f32[n]
  output out: f32[n]
{
  alloc t: f32[n + 1]
  for i in 0..n { t[i] = x[i] * 2.0 }
  for j in 0..n {
    out[j] = 0.0
    for r in 0..j + 1 { out[j] += t[r] }
  }
})");
  for (const int64_t n : {0, 1, 7, 8, 9}) {
    Followed s(p, sizes_of(p, {{"n", n}}));
    const auto [jo, ji] = s->split(s->loops("out")[0], 4);
    (void)ji;
    const auto [i] = s->compute_at<1>("t", jo);
    s.check();
    CHECK(body_of(s->program()) == R"(  for jo in 0..(n + 3) // 4 {
    alloc t: f32[(n + 3) // 4 * 4]
    for i in 0..jo * 4 + 4 {
      if i < n {
        t[i] = x[i] * 2.0
      }
    }
    for ji in 0..4 {
      if jo * 4 + ji < n {
        out[jo * 4 + ji] = 0.0
      }
      for r in 0..jo * 4 + ji + 1 {
        if jo * 4 + ji < n {
          out[jo * 4 + ji] += t[r]
        }
      }
    }
  }
)");
    const auto [io, ii] = s->split(i, 3);
    (void)io;
    s.check();
    s->vectorize(ii);
    s.check();
  }
}

TEST_CASE("A stage that is read outside of the loop does not move") {
  const Program p = parsed(R"(
program two
  size n
  input x: f32[n]
  output out: f32[n]
  output sum: f32[n]
{
  alloc t: f32[n]
  for i in 0..n { t[i] = x[i] * 2.0 }
  for i_1 in 0..n { out[i_1] = t[i_1] }
  for i_2 in 0..n { sum[i_2] = t[i_2] }
})");
  Schedule s(p);
  s.compute_at("t", s.loops<1>("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: compute_at(t, i_1) refused\n"
        "  t is also used outside of loop i_1");
}

TEST_CASE("A producer that was split does not move") {
  const Program p = chain();
  Schedule s(p);
  s.split(s.loops<1>("t")[0], 4);
  s.compute_at("t", s.loops<1>("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 2: compute_at(t, i) refused\n"
        "  the nest of t accesses t[io * 4 + ii], where index 0 is not a loop over the whole "
        "dimension: compute t at a loop before its own loops are split or fused");
}

TEST_CASE("Nothing moves into a vector loop") {
  const Program p = chain();
  Schedule s(p);
  const auto [io, ii] = s.split(s.loops<1>("out")[0], 4);
  (void)io;
  s.vectorize(ii);
  s.compute_at("t", ii);
  CHECK(refusal_of(s) ==
        "schedule step 3: compute_at(t, ii) refused\n"
        "  loop ii is vector code, which cannot hold an allocation: compute t at a loop around it");
}

TEST_CASE("The number of loops that are asked for is the number that there is") {
  const Program p = chain();
  Schedule s(p);
  const auto [a, b] = s.compute_at<2>("t", s.loops<1>("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: compute_at(t, i_1) refused\n"
        "  t has 1 loop (i), and 2 were asked for");
  CHECK(a.var());
  CHECK(b.var());
  CHECK(structurally_equal(s.program(), Schedule(p).program()));
  CHECK(s.trace().steps().empty());
}

TEST_CASE("An unknown stage is answered with those that there are") {
  const Program p = chain();
  Schedule s(p);
  s.compute_at("q", s.loops<1>("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: compute_at(q, i_1) refused\n"
        "  there is no stage q; the stages are t, out");
  Schedule input(p);
  input.loops("x");
  CHECK(refusal_of(input) ==
        "schedule step 1: loops(x) refused\n"
        "  x is a parameter, not a stage; the stages are t, out");
}

TEST_CASE("A part whose extent is data by a name is not computed for itself") {
  const Program p = parsed(R"(
    program p
      size n
      input x: f32[n]
      input len: i64[4]
      output o: f32[4, n]
    {
      for i in 0..4 {
        let l = min(len[i], n)
        alloc t: f32[n]
        for j in 0..n { t[j] = x[j] }
        for q in 0..1 { for r in 0..l { o[i, r] = t[r] } }
      }
    })");
  Schedule s(p);
  s.compute_at("t", s.all_loops("o")[1]);
  CHECK(refusal_of(s) ==
        "schedule step 1: compute_at(t, q) refused\n"
        "  how much of t is read depends on data: l");
}

TEST_CASE("A guard stands on what depends on its loop, not on what the nest keeps for itself") {
  const Program p = parsed(R"(
program p
  size n
  input x: f32[n]
  output out: f32[n]
{
  alloc t: f32[n]
  for q in 0..1 {
    alloc s: f32[1]
    s[0] = 2.0
    for j in 0..n { t[j] = s[0] * x[j] }
  }
  for i in 0..n { out[i] = t[i] }
})");
  for (const int64_t n : {1, 4, 7}) {
    Followed s(p, sizes_of(p, {{"n", n}}));
    const auto [io, ii] = s->split(s->loops<1>("out")[0], 4);
    s->compute_at("t", io);
    s.check();
  }
}

}  // namespace
}  // namespace tenon::test
