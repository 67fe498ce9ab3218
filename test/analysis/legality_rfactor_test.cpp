#include <string>

#include "analysis/legality_text.h"
#include "tenon/analysis/legality_reduction.h"

namespace tenon {
namespace {

using test::loop_named;
using test::program_of;
using test::text_of;

std::string factored(const std::string& text, std::string_view loop) {
  const Program p = program_of(text);
  const auto plan = may_rfactor(p, loop_named(p, loop));
  if (!plan.ok()) return text_of(plan);
  std::string result = "root " + plan->root.loop.var.name() + ", [";
  for (size_t d = 0; d < plan->loops.size(); ++d) {
    result += (d ? ", " : "") + plan->loops[d].var.name() + " < " + print(plan->extents[d]);
  }
  result += "]";
  for (const Expr& guard : plan->guards) result += " if " + print(guard);
  return result + (plan->reassociates ? ", reassociating" : "");
}

// An accumulation of `type` into y, of the given nest.
std::string nest(const std::string& body, const std::string& type = "f32") {
  return "size n, m input x: " + type + "[n] input len: i64[n] output y: " + type +
         "[n] { for s in 0..n { y[s] = x[s] }\n" + body + " }";
}

TEST_CASE("The partial results stand at the outermost loop that the target does not use") {
  CHECK(factored(nest("for i in 0..n { for r in 0..n { y[i] += x[r] } }"), "r") ==
        "root r, [r < n], reassociating");
  CHECK(factored(nest("for a in 0..m { for i in 0..n { for r in 0..n { y[i] += x[r] } } }"), "r") ==
        "root a, [r < n, i < n], reassociating");
  CHECK(factored(nest("for a in 0..m { for r in 0..n { for i in 0..n { y[i] += x[r] } } }"), "a") ==
        "root a, [a < m, i < n], reassociating");
  CHECK(factored(nest("for i in 0..n { let q = i + 1\n for r in 0..n { y[i] += x[r] } }"), "r") ==
        "root r, [r < n], reassociating");
}

TEST_CASE("Factoring an exact reducer is exact") {
  CHECK(factored(nest("for i in 0..n { for r in 0..n { y[i] max= x[r] } }"), "r") ==
        "root r, [r < n]");
  CHECK(factored(nest("for i in 0..n { for r in 0..n { y[i] += x[r] } }", "i8"), "r") ==
        "root r, [r < n]");
}

TEST_CASE("Guards without reduction loops are copied to the fold") {
  CHECK(factored(nest(R"(
    for a in 0..n {
      for i in 0..32 {
        for r in 0..4 { if i < n { if a*4 + r < n { if i < 7 { y[i] += x[a] } } } }
      }
    })"),
                 "r") == "root a, [r < 4, i < 32] if i < n if i < 7, reassociating");
  CHECK(factored(nest("for i in 0..n { for r in 0..n { if len[i] < 3 { y[i] += x[r] } } }"), "r") ==
        "root r, [r < n], reassociating");
}

TEST_CASE("One accumulation is all that lies under the loop") {
  CHECK(factored(nest("for i in 0..n { for r in 0..n { y[i] = x[r] } }"), "r") ==
        "what lies under loop r is a store: there is no reduction to fold");
  CHECK(factored(nest("for i in 0..n { for r in 0..n { y[i] += x[r]\n y[i] += x[i] } }"), "r") ==
        "what lies under loop r is not a single accumulation: fission it first");
  CHECK(factored(nest("for i in 0..n { for r in 0..n { if r < 3 { for q in 0..n { y[i] += x[q] } "
                      "} } }"),
                 "r") == "what lies under loop r is not a single accumulation: fission it first");
}

TEST_CASE("The target uses neither the loop nor data") {
  CHECK(factored(nest("for r in 0..n { for i in 0..n { y[r] += x[i] } }"), "r") ==
        "the iterations of loop r accumulate into y[r], each into another element: there is "
        "nothing to fold");
  CHECK(factored(nest("for r in 0..n { for i in 0..n { y[check(len[i], n)] += x[r] } }"), "r") ==
        "which element is accumulated into depends on data: y[check(len[i], n)]");
}

TEST_CASE("Nothing in the nest reads the target") {
  CHECK(factored(nest("for i in 0..n { for r in 0..n { y[i] += y[r] } }"), "r") ==
        "the nest of loop r reads y, which it accumulates into");
  CHECK(factored(nest("for i in 0..n { for r in 0..n { if y[i] < 3.0 { y[i] += x[r] } } }"), "r") ==
        "the nest of loop r reads y, which it accumulates into");
}

TEST_CASE("Loops that index the partial results start at 0 and have extents known before") {
  CHECK(factored(nest("for i in 0..n { for r in 1..n { y[i] += x[r] } }"), "r") ==
        "loop r starts at 1, and a loop that indexes the partial results starts at 0");
  CHECK(factored(nest("for a in 0..n { for i in 0..a + 1 { for r in 0..n { y[i] += x[r] } } }"),
                 "r") == "the number of iterations of loop i varies with loop a of the same nest");
  CHECK(factored(nest("for i in 0..n { for r in 0..len[i] { y[i] += 1.0 } }"), "r") ==
        "the number of iterations of loop r is read from memory: len[i]");
  // A triangle under a loop that the target uses: known in front of the nest.
  CHECK(factored(nest("for i in 0..n { for r in 0..i + 1 { y[i] += x[r] } }"), "r") ==
        "root r, [r < i + 1], reassociating");
}

TEST_CASE("A vector loop around holds no partial results") {
  CHECK(factored(nest("vector for i in 0..8 { for r in 0..n { if i < n { y[i] += x[r] } } }"),
                 "r") == "loop i is vector code, which cannot hold the partial results");
  CHECK(factored(nest("for r in 0..n { vector for i in 0..8 { if i < n { y[i] += x[r] } } }"),
                 "r") == "root r, [r < n, i < 8] if i < n, reassociating");
}

TEST_CASE("The fold touches no element outside of the target") {
  CHECK(
      factored(nest("for r in 0..n { for i in 0..2*n { if i + r < n { y[i] += x[r] } } }"), "r") ==
      "the fold may touch an element outside of y, where the nest does not accumulate: y[i] | "
      "missing n < 1");
}

TEST_CASE("Partial results have no more dimensions than a buffer may have") {
  std::string loops, ends, sum;
  for (int d = 0; d < 8; ++d) {
    const std::string var = "t" + std::to_string(d);
    loops += "for " + var + " in 0..1 { ";
    sum += " + " + var;
    ends += " }";
  }
  CHECK(factored(nest("for r in 0..n { " + loops + "if r < n - 8 { if 8 < n { y[0" + sum +
                      "] += x[r] } }" + ends + " }"),
                 "r") == "the partial results would have 9 dimensions, and 8 are the most");
}

}  // namespace
}  // namespace tenon
