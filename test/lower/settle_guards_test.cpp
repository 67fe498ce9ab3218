#include <catch2/catch.hpp>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

namespace {

std::string settled(const std::string& body) {
  return body_after(
      settle_guards,
      "program p\n  size n\n  input x: f32[n]\n  output y: f32[n]\n{\n" + body + "\n}\n");
}

}  // namespace

TEST_CASE("Ranges of lanes decide guards") {
  CHECK(settled("vector for v in 0..16 { if v < 29 { y[v] = 1.0 } }\n"
                "vector for u in 0..16 { if u + 16 < 29 { y[u + 16] = 1.0 } }\n"
                "vector for t in 0..16 { if t + 32 < 29 { y[t + 32] = 1.0 } }") ==
        "vector for v in 0..16 {\n"
        "  y[v] = 1.0\n"
        "}\n"
        "vector for u in 0..16 {\n"
        "  if u + 16 < 29 {\n"
        "    y[u + 16] = 1.0\n"
        "  }\n"
        "}\n");
}

TEST_CASE("Parts of conditions and selects are decided one by one") {
  CHECK(settled("for i in 0..4 { if 0 <= i and i < 3 and 2 < n {\n"
                "y[i] = select((0 <= i) & (i + 2 < n), select(i < 9, x[i], 0.0), 1.0)\n } }") ==
        "for i in 0..4 {\n"
        "  if i < 3 and 2 < n {\n"
        "    y[i] = select(i + 2 < n, x[i], 1.0)\n"
        "  }\n"
        "}\n");
}

TEST_CASE("The solver decides what lanes share") {
  // In the last tile, the third row is never there.
  CHECK(settled("for i in n // 3..(n + 2) // 3 {\n"
                "if i * 3 < n { y[i * 3] = 1.0 }\n"
                "if i * 3 + 1 < n { y[i * 3 + 1] = 1.0 }\n"
                "if i * 3 + 2 < n { y[i * 3 + 2] = 1.0 }\n }") ==
        "for i in n // 3..(n + 2) // 3 {\n"
        "  y[i * 3] = 1.0\n"
        "  if i * 3 + 1 < n {\n"
        "    y[i * 3 + 1] = 1.0\n"
        "  }\n"
        "}\n");
}

TEST_CASE("Loops without statements go") {
  CHECK(settled("y[0] = 1.0\n for i in 0..4 { for j in 0..2 { if 8 < i + j { y[i] = 2.0 } } }") ==
        "y[0] = 1.0\n");
}

TEST_CASE("Quotients of unrolled indices are simplified") {
  CHECK(settled("for i in 0..4 { y[(i * 24 + 13) // 12] = x[(i * 8 + 3) % 8] }") ==
        "for i in 0..4 {\n"
        "  y[i * 2 + 1] = x[3]\n"
        "}\n");
}

TEST_CASE("Settling keeps the meaning") {
  for (const Sample& sample : corpus()) {
    for (int64_t n : {1, 3, 5, 8, 13}) {
      INFO(sample.name << ", n = " << n);
      check_pass(settle_guards, run(unroll_loops, instance(sample.text, n, 4)));
      check_pass(settle_guards, run(unroll_loops, symbolic_instance(sample.text, 4)), {{"n", n}});
    }
  }
}
