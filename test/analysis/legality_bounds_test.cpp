#include <string>

#include "analysis/legality_text.h"

namespace tenon {
namespace {

using test::program_of;
using test::site_of;
using test::text_of;

// A loop r over `range` with this body, after c[0] = 7.
LoopSite loop_over(const std::string& range, const std::string& body = "out[0] = 1",
                   const std::string& require = "0 <= n") {
  const Program p =
      program_of("size m, n input k: i64[9] output c: i64[2] output out: i64[9] require " +
                 require + " {\nc[0] = 7\nfor r in " + range + " { " + body + " } }");
  return site_of(p, "r");
}

TEST_CASE("Bounds may be repeated where the body does not write what they read") {
  CHECK(text_of(may_repeat_bounds(loop_over("0..n"))) == "yes");
  CHECK(text_of(may_repeat_bounds(loop_over("0..c[0]"))) == "yes");
  CHECK(text_of(may_repeat_bounds(loop_over("0..k[0]", "c[0] = 1"))) == "yes");
  CHECK(text_of(may_repeat_bounds(loop_over("0..c[0]", "c[0] = 1"))) ==
        "the bounds of the loops read c, which their body writes");
  CHECK(text_of(may_repeat_bounds(loop_over("0..k[c[1]]", "for q in 0..2 { c[q] = 1 }"))) ==
        "the bounds of the loops read c, which their body writes");
}

TEST_CASE("A factor divides the extent of a loop, or not, or perhaps") {
  CHECK(text_of(may_split_evenly(loop_over("3..15"), 4)) == "yes");
  CHECK(text_of(may_split_evenly(loop_over("0..n", "out[0] = 1", "n % 8 == 0"), 4)) == "yes");
  CHECK(text_of(may_split_evenly(loop_over("m..m + n * 4"), 4)) == "yes");
  CHECK(text_of(may_split_evenly(loop_over("0..0"), 4)) == "yes");
  CHECK(text_of(may_split_evenly(loop_over("3..15"), 5)) ==
        "5 does not divide 12, the number of iterations of loop r");
  CHECK(text_of(may_split_evenly(loop_over("1..n"), 4)) ==
        "cannot prove that 4 divides n - 1, the number of iterations of loop r | missing (n + 3) % "
        "4 == 0");
}

TEST_CASE("A loop is squashed where it has one iteration") {
  CHECK(text_of(may_squash(loop_over("n..n + 1"))) == "yes");
  CHECK(text_of(may_squash(loop_over("0..n", "out[0] = 1", "n == 1"))) == "yes");
  CHECK(text_of(may_squash(loop_over("c[0]..c[0] + 1"))) == "yes");
  CHECK(text_of(may_squash(loop_over("0..0"))) ==
        "loop r has 0 iterations; only a loop of one goes away");
  CHECK(text_of(may_squash(loop_over("m..n"))) ==
        "loop r has n - m iterations; only a loop of one goes away | missing m + 1 == n");
  CHECK(text_of(may_squash(loop_over("c[0]..c[0] + 1", "c[0] = 2"))) ==
        "the bounds of the loops read c, which their body writes");
}

}  // namespace
}  // namespace tenon
