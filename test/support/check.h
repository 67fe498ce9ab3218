// Programs for tests, checked without being asked.
//
//   Program p = test::parsed(R"(
//     program twice
//       input x: f32[4]
//       output y: f32[4]
//     {
//       for i in 0..4 { y[i] = x[i] * 2.0 }
//     })");
//   Program q = test::checked(some_rewrite(p));
#pragma once

#include <string>
#include <string_view>

#include "support/problem.h"
#include "tenon/ir/program.h"

namespace tenon::test {

// The Program itself, after REQUIREing that it has no problem.
Program checked(Program program);
Program checked(absl::StatusOr<Program> program);

// A Program from its text; REQUIREs that it parses.
Program parsed(std::string_view text);

}  // namespace tenon::test
