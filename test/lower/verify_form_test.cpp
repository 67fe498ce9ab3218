#include <catch2/catch.hpp>

#include "lower/lowering.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

namespace {

std::string wrong(Form form, const std::string& body) {
  const Program p =
      parsed("program p\n  size n\n  input x: f32[n]\n  output y: f32[n]\n{\n" + body + "\n}\n");
  return std::string(verify_form(p, static_cast<uint32_t>(form)).message());
}

}  // namespace

TEST_CASE("Vector loops that are not cut are found") {
  CHECK(wrong(Form::kVectorsCut, "vector for v in 0..16 { y[v] = x[v] }") == "");
  CHECK(wrong(Form::kVectorsCut, "vector for v in 0..12 { y[v] = x[v] }") ==
        "not in form vectors cut: its number of lanes is not a power of two: "
        "vector for v in 0..12 {");
  CHECK(wrong(Form::kVectorsCut, "vector for v in 0..n { y[v] = x[v] }") ==
        "not in form vectors cut: its number of iterations is not a constant: "
        "vector for v in 0..n {");
  CHECK(wrong(Form::kVectorsCut, "vector for v in 0..128 { y[v] = x[v] }") ==
        "not in form vectors cut: it is wider than any register: vector for v in 0..128 {");
  CHECK(wrong(Form::kVectorsCut, "vector for v in 0..128 { y[0] += x[v] }") == "");
}

TEST_CASE("Loops that are still to be unrolled or vectorised are found") {
  CHECK(wrong(Form::kNoUnroll, "for i in 0..2 { y[i] = x[i] }") == "");
  CHECK(wrong(Form::kNoUnroll, "unroll for i in 0..2 { y[i] = x[i] }") ==
        "not in form no unroll: it is still to be unrolled: unroll for i in 0..2 {");
  CHECK(wrong(Form::kExplicitVectors, "for i in 0..2 { y[i] = x[i] }") == "");
  CHECK(wrong(Form::kExplicitVectors, "vector for i in 0..2 { y[i] = x[i] }") ==
        "not in form explicit vectors: it is still a vector loop: vector for i in 0..2 {");
}

TEST_CASE("Allocations without a place are found") {
  CHECK(wrong(Form::kAllocsPlaced, "alloc t: f32[3] in stack\n y[0] = t[0]") == "");
  CHECK(wrong(Form::kAllocsPlaced, "alloc t: f32[3]\n y[0] = t[0]") ==
        "not in form allocs placed: it has no memory class: alloc t: f32[3]");
  CHECK(wrong(Form::kAllocsPlaced, "alloc t: f32[n] in stack\n y[0] = t[0]") ==
        "not in form allocs placed: it is on the stack and its size is not a constant: "
        "alloc t: f32[n] in stack");
  CHECK(wrong(Form::kAllocsPlaced, "alloc t: f32[n] in shared\n y[0] = t[0]") ==
        "not in form allocs placed: it has no offset: alloc t: f32[n] in shared");
  CHECK(wrong(Form::kAllocsPlaced,
              "for i in 0..n {\n alloc t: f32[3] in shared at i\n y[0] = t[0]\n }") ==
        "the place of t: i is not a size");
}

TEST_CASE("Buffers that are not flat are found") {
  CHECK(wrong(Form::kFlat, "alloc t: f32[6]\n y[0] = t[5]") == "");
  CHECK(wrong(Form::kFlat, "alloc t: f32[2, 3]\n y[0] = t[1, 2]") ==
        "not in form flat: it is not flat: alloc t: f32[2, 3]");
  const Program p = parsed("program p\n  output y: f32[2, 2]\n{\n  y[0, 0] = 1.0\n}\n");
  CHECK(verify_form(p, static_cast<uint32_t>(Form::kFlat)).message() ==
        "not in form flat: its target is not flat: y[0, 0] = 1.0");
}

TEST_CASE("Strides that are not sizes are found") {
  const auto message = [](const std::string& stride) {
    const Program p = parsed("program p\n  size s\n  output y: f32[2, 2] strides [" + stride +
                             ", 1]\n{\n  y[0, 0] = 1.0\n}\n");
    return std::string(verify_form(p, static_cast<uint32_t>(Form::kStridesBound)).message());
  };
  CHECK(message("s") == "");
  CHECK(message("s + 1") == "the stride s + 1 of y is not a size");
}
