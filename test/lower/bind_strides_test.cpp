#include <catch2/catch.hpp>

#include "lower/lowering.h"
#include "support/check.h"

using namespace tenon;
using namespace tenon::test;

namespace {

const char* const kText = R"(
program p
  size y_s0
  input x: f32[y_s0, 5]
  scalar e: f32
  output y: f32[y_s0, 5, 3]
{
  y[0, 0, 0] = x[0, 0] + e
}
)";

}  // namespace

TEST_CASE("Strides become sizes with names of their own") {
  const StrideClass classes[] = {StrideClass::kInnerUnit, StrideClass::kDense,
                                 StrideClass::kGeneral};
  const Program p = checked(bind_strides(parsed(kText), classes));
  CHECK(verify_form(p, static_cast<uint32_t>(Form::kStridesBound)).ok());
  CHECK(print(p) ==
        "program p\n"
        "  size y_s0, x_s0, y_s0_1, y_s1, y_s2\n"
        "  input x: f32[y_s0, 5] strides [x_s0, 1]\n"
        "  scalar e: f32\n"
        "  output y: f32[y_s0, 5, 3] strides [y_s0_1, y_s1, y_s2]\n"
        "{\n"
        "  y[0, 0, 0] = x[0, 0] + e\n"
        "}\n");
}

TEST_CASE("Dense parameters have no strides") {
  const Program p = parsed(kText);
  const StrideClass classes[] = {StrideClass::kDense, StrideClass::kDense, StrideClass::kDense};
  CHECK(print(bind_strides(p, classes)) == print(p));
}
