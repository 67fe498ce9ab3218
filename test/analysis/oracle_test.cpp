// Random affine questions, with and without a symbolic size, against isl, which decides every
// formula of Presburger arithmetic: no answer may be wrong, and few may be missing. (Enumeration,
// in dependence_fuzz_test.cpp, sees products of unknowns too, but only small sizes.)
#include <catch2/catch.hpp>
#include <cstdio>

#include "analysis/isl.h"
#include "analysis/random_pairs.h"
#include "tenon/analysis/prove.h"

namespace tenon {
namespace {

using test::Isl;
using test::IslSet;
using test::Pair;
using test::PairGenerator;
using test::Random;

struct Score {
  int count = 0, answered = 0;
  double missing() const { return count ? 100.0 * (count - answered) / count : 0; }
};

TEST_CASE("no answer about two accesses contradicts isl, and few are missing") {
  constexpr int kPairs = 3000;
  Isl isl;
  for (const bool has_size : {false, true}) {
    Random random(has_size ? 77 : 78);
    Score apart, together;
    for (int count = 0; count < kPairs; ++count) {
      const Var n("n");
      const Facts facts = has_size ? Facts().with_size(n) : Facts();
      const Pair p = PairGenerator(random, has_size ? n : Var(), true).pair();
      IslSet meeting({n});
      meeting.add_meeting(p.a, p.b, p.directions);
      REQUIRE(meeting.is_affine());
      const bool truth = isl.has_point(meeting.text());
      const Meeting m = meet(p.a, p.b, p.directions, facts);
      INFO(text_of(p));
      if (m.answer == Answer::kNo && truth) FAIL("they meet");
      if (m.answer == Answer::kYes && !truth) FAIL("they never meet");
      Score& score = truth ? together : apart;
      ++score.count;
      score.answered += m.answer != Answer::kUnknown;
    }
    std::printf("isl%s: independent %d, unknown %.2f %%; dependent %d, no witness %.2f %%\n",
                has_size ? ", symbolic size" : "", apart.count, apart.missing(), together.count,
                together.missing());
    CHECK(apart.count > 800);
    CHECK(together.count > 500);
    CHECK(apart.missing() <= 3);
  }
}

TEST_CASE("no proof contradicts isl, and few are missing") {
  constexpr int kQuestions = 4000;
  Isl isl;
  Random random(79);
  Score always, sometimes;
  for (int count = 0; count < kQuestions; ++count) {
    const Var n("n");
    Facts facts = Facts().with_size(n);
    Access where;
    std::vector<Var> vars;
    for (const char* name : {"i", "j"}) {
      For l = random.loop(name, vars);
      if (random.chance(50)) {
        l.lo = 0;
        l.hi = random.of(std::vector<Expr>{n, n + 1, Expr(n) * 2, Expr(n) / 2, Expr(n) - 1});
      }
      where.loops.push_back(l);
      facts = facts.inside(l);
      vars.push_back(l.var);
    }
    vars.push_back(n);
    while (random.chance(40)) {
      where.guards.push_back(random.condition(vars));
      facts = facts.given(where.guards.back());
    }
    const Expr claim =
        random.chance(20) ? random.index(vars) < random.index(vars) : random.condition(vars);
    IslSet somewhere({n});
    const IslSet::Names names = somewhere.add(where);
    if (!isl.has_point(somewhere.text())) continue;  // nothing is asked there
    somewhere.add(unary(UnaryOp::kNot, claim), names);
    REQUIRE(somewhere.is_affine());
    const bool can_fail = isl.has_point(somewhere.text());
    const Answer answer = prove(facts, claim);
    INFO(print(claim) << " in " << test::text_of(where));
    if (answer == Answer::kYes && can_fail) FAIL("it can fail");
    if (answer == Answer::kNo && !can_fail) FAIL("it always holds");
    Score& score = can_fail ? sometimes : always;
    ++score.count;
    score.answered += answer != Answer::kUnknown;
  }
  std::printf("isl: %d claims that hold, unknown %.2f %%; %d that can fail, no witness %.2f %%\n",
              always.count, always.missing(), sometimes.count, sometimes.missing());
  CHECK(always.count > 300);
  CHECK(sometimes.count > 1000);
  CHECK(always.missing() <= 3);
}

}  // namespace
}  // namespace tenon
