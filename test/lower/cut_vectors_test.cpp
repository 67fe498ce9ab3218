#include <catch2/catch.hpp>

#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

namespace {

std::string copy(const std::string& type, int64_t lanes) {
  const std::string n = std::to_string(lanes);
  return "program p\n  input x: " + type + "[" + n + "]\n  output y: " + type + "[" + n +
         "]\n{\n  vector for v in 0.." + n + " { y[v] = x[v] }\n}\n";
}

}  // namespace

TEST_CASE("A vector loop of register width stays as it is") {
  CHECK(body_after(cut_vectors, copy("f32", 16)) ==
        "vector for v in 0..16 {\n"
        "  y[v] = x[v]\n"
        "}\n");
}

TEST_CASE("A wide vector loop becomes unrolled registers, and the rest powers of two") {
  CHECK(body_after(cut_vectors, copy("f32", 44)) ==
        "unroll for vc in 0..2 {\n"
        "  vector for v in 0..16 {\n"
        "    y[vc * 16 + v] = x[vc * 16 + v]\n"
        "  }\n"
        "}\n"
        "vector for v_1 in 0..8 {\n"
        "  y[v_1 + 32] = x[v_1 + 32]\n"
        "}\n"
        "vector for v_2 in 0..4 {\n"
        "  y[v_2 + 40] = x[v_2 + 40]\n"
        "}\n");
}

TEST_CASE("The widest element decides the number of lanes") {
  CHECK(body_after(cut_vectors, copy("i8", 64)).find("vector for v in 0..64") == 0);
  CHECK(body_after(cut_vectors, copy("f64", 16)).find("unroll for vc in 0..2") == 0);
  CHECK(body_after(cut_vectors, copy("f16", 32)).find("vector for v in 0..32") == 0);
  // Arithmetic on f16 happens in f32.
  CHECK(body_after(cut_vectors, R"(
    program p
      input x: f16[32]
      output y: f16[32]
    {
      vector for v in 0..32 { y[v] = x[v] * x[v] }
    })")
            .find("unroll for vc in 0..2") == 0);
}

TEST_CASE("A serial loop inside moves outside of the chunks") {
  CHECK(body_after(cut_vectors, R"(
    program p
      input x: f32[9, 32]
      output y: f32[32]
    {
      vector for v in 0..32 {
        y[v] = 0.0
        for r in 0..9 {
          y[v] += x[r, v]
        }
      }
    })") ==
        "unroll for vc in 0..2 {\n"
        "  vector for v in 0..16 {\n"
        "    y[vc * 16 + v] = 0.0\n"
        "  }\n"
        "}\n"
        "for r in 0..9 {\n"
        "  unroll for vc_1 in 0..2 {\n"
        "    vector for v_1 in 0..16 {\n"
        "      y[vc_1 * 16 + v_1] += x[r, vc_1 * 16 + v_1]\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("A fold keeps its lanes, and gets lanes that are off up to a power of two") {
  CHECK(body_after(cut_vectors, R"(
    program p
      input x: f32[64]
      output y: f32[1]
    {
      vector for v in 0..64 { y[0] += x[v] }
    })") ==
        "vector for v in 0..64 {\n"
        "  y[0] += x[v]\n"
        "}\n");
  CHECK(body_after(cut_vectors, R"(
    program p
      input x: f32[12]
      output y: f32[1]
    {
      vector for v in 0..12 { y[0] += x[v] }
    })") ==
        "vector for v in 0..16 {\n"
        "  if v < 12 {\n"
        "    y[0] += x[v]\n"
        "  }\n"
        "}\n");
}

TEST_CASE("Cutting vector loops keeps the meaning at every number of lanes") {
  for (int64_t lanes = 1; lanes <= 49; ++lanes) {
    for (const char* type : {"f32", "f64", "i16", "bf16"}) {
      check_pass(cut_vectors, parsed(copy(type, lanes)));
    }
    const std::string n = std::to_string(lanes);
    const Program fold = parsed("program p\n  input x: f32[" + n +
                                "]\n  output y: f32[2]\n{\n  y[1] = -0.0\n  vector for v in 0.." +
                                n + " { if x[v] < 1.0 { y[1] += x[v] } }\n}\n");
    check_pass(cut_vectors, fold);
  }
}

TEST_CASE("A vector loop without a constant number of iterations is refused") {
  const Program p = parsed(R"(
    program p
      size n
      input x: f32[n]
      output y: f32[n]
    {
      vector for v in 0..n { y[v] = x[v] }
    })");
  CHECK(cut_vectors(p, wide_target()).status().message() ==
        "vector loop v needs a constant number of iterations");
}

TEST_CASE("A vector loop that is far too long is refused, by lowering and by the interpreter") {
  const Program p = parsed(R"(
    program p
      output y: f32[1000000000]
    { vector for i in 0..1000000000 { y[i] = 1.0 } })");
  const absl::StatusOr<Program> cut = cut_vectors(p, wide_target());
  CHECK(cut.status().message() ==
        "vector loop i has 1000000000 iterations, and a vector loop has at most 256\n"
        "  legal here: split(i, 256), and only the inner loop a vector");
  const Program symbolic = parsed(R"(
    program p
      input n: i64[1]
      output y: f32[1]
    { vector for i in 0..n[0] { y[0] = 1.0 } })");
  Array n = Array::of<int64_t>({1}, {INT64_MAX}), y(f32, {1});
  CHECK_THAT(std::string(interpret(symbolic, {}, {&n, &y}).message()),
             Catch::Contains("a vector loop of more than 65536 lanes"));
}

TEST_CASE("A loop whose end differs between lanes does not leave the vector loop") {
  const Program p = parsed(R"(
    program p
      output y: f32[4, 4]
    { vector for i in 1..4 { for j in 0..i { y[i, j] = 1.0 } } })");
  const absl::StatusOr<Program> lowered = lower(p, wide_target(), {});
  CHECK(lowered.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(lowered.status().message()),
             Catch::Contains("the bounds of loop j differ between lanes"));
}
