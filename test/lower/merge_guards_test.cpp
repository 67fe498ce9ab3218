#include <catch2/catch.hpp>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

namespace {

std::string merged(const std::string& body) {
  return body_after(
      merge_guards,
      "program p\n  size n\n  size m\n  input x: f32[9]\n  output y: f32[9]\n{\n" + body + "\n}\n");
}

}  // namespace

TEST_CASE("Neighbours with the same condition share it") {
  CHECK(merged("if 3 < n { y[0] = 1.0 }\n if 3 < n { y[1] = 1.0 }\n if 4 < m { y[2] = 1.0 }") ==
        "if 3 < n {\n"
        "  y[0] = 1.0\n"
        "  y[1] = 1.0\n"
        "}\n"
        "if 4 < m {\n"
        "  y[2] = 1.0\n"
        "}\n");
}

TEST_CASE("Sharing goes on inside") {
  CHECK(merged("if 3 < n and 1 < m { y[0] = 1.0 }\n if 3 < n { if 1 < m { y[1] = 1.0 } }\n"
               "if 3 < n and m < 9 { y[2] = 1.0 }") ==
        "if 3 < n {\n"
        "  if 1 < m {\n"
        "    y[0] = 1.0\n"
        "    y[1] = 1.0\n"
        "  }\n"
        "  if m < 9 {\n"
        "    y[2] = 1.0\n"
        "  }\n"
        "}\n");
}

TEST_CASE("A condition leaves the loops that it does not depend on") {
  CHECK(merged("for i in 0..3 { for j in 0..3 {\n if i < n { y[i * 3 + j] = 1.0 }\n"
               "if i < n and j < m { y[0] = 2.0 }\n } }") ==
        "for i in 0..3 {\n"
        "  if i < n {\n"
        "    for j in 0..3 {\n"
        "      y[i * 3 + j] = 1.0\n"
        "      if j < m {\n"
        "        y[0] = 2.0\n"
        "      }\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("Guards of rows become a chain that ends at the first row that is off") {
  CHECK(merged("if 3 < n { y[0] = 1.0 }\n if 4 < n { y[1] = 1.0 }\n if 5 <= n { y[2] = 1.0 }\n"
               "if 9 < n { y[3] = 1.0 }\n if 3 < n { y[4] = 1.0 }\n if 2 < n { y[5] = 1.0 }") ==
        "if 3 < n {\n"
        "  y[0] = 1.0\n"
        "  if 4 < n {\n"
        "    y[1] = 1.0\n"
        "    if 5 <= n {\n"
        "      y[2] = 1.0\n"
        "      if 9 < n {\n"
        "        y[3] = 1.0\n"
        "      }\n"
        "    }\n"
        "  }\n"
        "  y[4] = 1.0\n"
        "}\n"
        "if 2 < n {\n"
        "  y[5] = 1.0\n"
        "}\n");
}

TEST_CASE("A condition on data stays where it is") {
  const std::string text =
      "if x[0] < 1.0 {\n"
      "  y[0] = 1.0\n"
      "}\n"
      "if x[0] < 1.0 {\n"
      "  y[1] = 1.0\n"
      "}\n"
      "for i in 0..3 {\n"
      "  if x[0] < 1.0 {\n"
      "    y[i] = 2.0\n"
      "  }\n"
      "}\n";
  CHECK(merged(text) == text);
}

TEST_CASE("Merging keeps the meaning") {
  for (const Sample& sample : corpus()) {
    for (int64_t n : {1, 3, 5, 8, 13}) {
      INFO(sample.name << ", n = " << n);
      check_pass(merge_guards, symbolic_instance(sample.text, 4), {{"n", n}});
    }
  }
}
