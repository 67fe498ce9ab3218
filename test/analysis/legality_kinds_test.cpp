#include <string>
#include <vector>

#include "analysis/legality_text.h"

namespace tenon {
namespace {

using test::kMatmul;
using test::kShift;
using test::program_of;
using test::site_of;
using test::text_of;

std::string vectorize(const std::string& text, std::string_view loop) {
  const Program p = program_of(text);
  return text_of(may_vectorize(site_of(p, loop)));
}

std::string parallelize(const std::string& text, std::string_view loop) {
  const Program p = program_of(text);
  return text_of(may_parallelize(site_of(p, loop)));
}

// --- Vectors.

TEST_CASE("Lanes that touch different elements") {
  CHECK(vectorize("input x: f32[8] output y: f32[8] { for i in 0..8 { y[i] = x[i] } }", "i") ==
        "yes");
  CHECK(vectorize("output a: f32[16, 8] { for i in 0..8 { for j in 0..16 { a[j, i] = 0.0 } } }",
                  "i") == "yes");
  CHECK(vectorize("output a: f32[9] { for i in 0..8 { a[i] = a[i + 1] } }", "i") ==
        "iteration (i = 0) must run before (i = 1): both touch a[1]");
}

TEST_CASE("The tail of a split is a mask") {
  CHECK(vectorize(R"(
    size n input x: f32[n] output y: f32[n] {
      for io in 0..(n + 7) // 8 {
        for ii in 0..8 {
          if io * 8 + ii < n { y[io * 8 + ii] = x[io * 8 + ii] }
        }
      }
    })",
                  "ii") == "yes");
}

TEST_CASE("Lanes fold into a target that they share") {
  const auto fold = [](const std::string& type, const std::string& update, int lanes) {
    const std::string n = std::to_string(lanes);
    return vectorize("input x: " + type + "[" + n + "] output s: " + type + "[1] {\nfor i in 0.." +
                         n + " { s[0] " + update + " x[i] } }",
                     "i");
  };
  CHECK(fold("f32", "+=", 8) == "yes, reassociating");
  CHECK(fold("f32", "*=", 8) == "yes, reassociating");
  CHECK(fold("f32", "max=", 8) == "yes");
  CHECK(fold("i32", "+=", 8) == "yes");
  CHECK(fold("i32", "+=", 12) ==
        "the lanes of loop i fold into s[0], so their number must be a power of two, and it is 12");
}

TEST_CASE("A target that some lanes share does not fold") {
  CHECK(
      vectorize("input x: f32[8] output s: f32[4] { for i in 0..8 { s[i // 2] += x[i] } }", "i") ==
      "iterations (i = 0) and (i = 1) both accumulate into s[0]: lanes of one statement fold only "
      "into a target that does not use i");
  CHECK(vectorize("input x: f32[8] input idx: i64[8] output s: f32[4] {\n"
                  "for i in 0..8 { s[idx[i]] += x[i] } }",
                  "i") ==
        "cannot tell whether s[idx[i]] and s[idx[i + 1]] are different elements: idx is data | "
        "missing idx[i] != idx[i + 1]");
}

TEST_CASE("Two statements may accumulate into each other's elements") {
  CHECK(vectorize(R"(
    input x: f32[8] output s: f32[9] {
      for i in 0..8 {
        s[i] += x[i]
        s[i + 1] += x[i]
      }
    })",
                  "i") == "yes, reassociating");
}

TEST_CASE("A reader of the folded target keeps the order") {
  CHECK(vectorize(R"(
    input x: f32[8] output s: f32[1] output y: f32[8] {
      for i in 0..8 {
        s[0] += x[i]
        y[i] = s[0]
      }
    })",
                  "i") == "iteration (i = 0) must run before (i = 1): both touch s[0]");
}

TEST_CASE("A vector loop has a vector's form") {
  CHECK(
      vectorize("size n output y: f32[n] { for i in 0..n { y[i] = 0.0 } }", "i") ==
      "the lanes of a vector must be a constant number, and loop i runs over 0..n: split it first");
  CHECK(vectorize("output y: f32[300] { for i in 0..300 { y[i] = 0.0 } }", "i") ==
        "a vector has 1 to 256 lanes, and loop i has 300 iterations: split it first");
  CHECK(vectorize("output y: f32[300] { for i in 4..4 { y[i] = 0.0 } }", "i") ==
        "a vector has 1 to 256 lanes, and loop i has 0 iterations: split it first");
  CHECK(vectorize("output y: f32[8] { for i in 0..8 { alloc t: f32[1]\n t[0] = 1.0\n"
                  "y[i] = t[0] } }",
                  "i") == "t is allocated inside loop i: a vector loop cannot hold an allocation");
  CHECK(
      vectorize("output y: f32[8, 8] { for i in 0..8 { vector for j in 0..8 { y[i, j] = 0.0 } } }",
                "i") == "loop j stands inside the vector loop i, and is a vector loop itself");
  CHECK(
      vectorize("output y: f32[8, 8] { vector for i in 0..8 { for j in 0..8 { y[i, j] = 0.0 } } }",
                "j") == "loop j stands inside the vector loop i");
  CHECK(vectorize("output y: f32[8, 8] { for i in 0..8 { for j in 0..i { y[i, j] = 0.0 } } }",
                  "i") == "the bounds of loop j differ between the lanes of i");
  CHECK(vectorize("output y: f32[8, 8] { for i in 0..8 { let e = i * 2\n"
                  "for j in 0..e { y[i, j] = 0.0 } } }",
                  "i") == "the bounds of loop j differ between the lanes of i");
}

// --- Parallel loops.

TEST_CASE("Parallel iterations share nothing that is written") {
  CHECK(parallelize(kMatmul, "i") == "yes");
  CHECK(parallelize(kShift, "i") ==
        "iteration (i = 0) must run before (i = 1): both touch a[1], with n = 2");
}

TEST_CASE("A race of accumulations is refused, exact or not") {
  CHECK(parallelize(kMatmul, "r") ==
        "iterations (r = 0) and (r = 1) both accumulate into c[0, 0], with k = 2: a race | legal "
        "parallelize(i) | legal parallelize(j)");
  CHECK(parallelize("input x: i32[8] output s: i32[1] { for i in 0..8 { s[0] += x[i] } }", "i") ==
        "iterations (i = 0) and (i = 1) both accumulate into s[0]: a race");
}

TEST_CASE("Parallel loops do not nest") {
  CHECK(
      parallelize("output y: f32[8, 8] { parallel for i in 0..8 { for j in 0..8 { y[i, j] = 0.0 } "
                  "} }",
                  "j") == "loop j stands inside the parallel loop i");
  CHECK(
      parallelize("output y: f32[8, 8] { for i in 0..8 { parallel for j in 0..8 { y[i, j] = 0.0 } "
                  "} }",
                  "i") == "loop j inside loop i is already parallel: fuse the two first");
  CHECK(
      parallelize("output y: f32[8, 8] { vector for i in 0..8 { for j in 0..8 { y[i, j] = 0.0 } } "
                  "}",
                  "j") == "loop j stands inside the vector loop i");
}

}  // namespace
}  // namespace tenon
