#include "lower/thresholds.h"

#include <catch2/catch.hpp>

#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

namespace {

// The thresholds of the first guard of the outermost loop.
std::string thresholds(const std::string& loops) {
  const Program p = parsed("program p\n  size n\n  output y: f32[n]\n{\n" + loops + "\n}\n");
  const For& loop = *p->body.as<For>();
  const GuardSites guards = guards_in(loop);
  REQUIRE(!guards.sites.empty());
  const std::optional<Threshold> t =
      threshold_of(guards.sites[0], loop.var, facts_of(p).inside(loop));
  if (!t) return "none";
  const auto text = [](const Range& r) {
    return (r.lo ? print(r.lo) : "") + ".." + (r.hi ? print(r.hi) : "");
  };
  return "always " + text(t->always) + ", possible " + text(t->possible);
}

}  // namespace

TEST_CASE("A guard from above ends the loop") {
  CHECK(thresholds(
            "for o in 0..11 { unroll for i in 0..12 { if o * 12 + i < 127 { y[0] = 1.0 } } }") ==
        "always ..10, possible ..11");
  CHECK(thresholds("for i in 0..9 { if i <= 4 { y[0] = 1.0 } }") == "always ..5, possible ..5");
}

TEST_CASE("A guard from below starts the loop") {
  CHECK(thresholds("for o in 0..9 { for k in 0..3 { if 1 <= o + k { y[0] = 1.0 } } }") ==
        "always 1.., possible -1..");
  CHECK(thresholds("for o in 0..9 { for k in 0..3 { if 5 < o * 2 + k { y[0] = 1.0 } } }") ==
        "always 3.., possible 2..");
}

TEST_CASE("Thresholds over sizes are expressions") {
  CHECK(
      thresholds("for o in 0..n { vector for i in 0..16 { if o * 16 + i < n { y[0] = 1.0 } } }") ==
      "always ..n // 16, possible ..(n + 15) // 16");
}

TEST_CASE("Select conditions count, conditions on data do not") {
  CHECK(thresholds("for o in 0..9 { y[0] = select(o < 3, 1.0, 2.0) }") ==
        "always ..3, possible ..3");
  const Program p = parsed(R"(
    program p
      input x: i64[9]
      output y: f32[1]
    {
      for o in 0..9 { if x[o] < 3 and o * o < 7 { y[0] = 1.0 } }
    })");
  const GuardSites guards = guards_in(*p->body.as<For>());
  REQUIRE(guards.sites.size() == 1);
  CHECK(!threshold_of(guards.sites[0], p->body.as<For>()->var, facts_of(p)));
}

TEST_CASE("Statements are hot when they are the deepest or reduce") {
  const Program p = parsed(R"(
    program p
      output y: f32[9]
      output s: f32[1]
    {
      for o in 0..9 {
        if o < 8 { y[o] = 1.0 }
        if o < 7 { s[0] += 1.0 }
        for i in 0..2 { if o < 6 { y[o] = 2.0 } }
      }
    })");
  const GuardSites guards = guards_in(*p->body.as<For>());
  CHECK(guards.leaves == 3);
  REQUIRE(guards.sites.size() == 3);
  CHECK(!guards.sites[0].hot);
  CHECK(guards.sites[1].hot);
  CHECK(guards.sites[2].hot);
}
