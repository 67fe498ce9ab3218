// Running passes in tests, and comparing what Programs mean.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/interp/interp.h"
#include "tenon/ir/program.h"
#include "tenon/lower/lower.h"
#include "tenon/target/target.h"

namespace tenon::test {

using PassFunction = absl::StatusOr<Program> (*)(const Program&, const Target&);

// AVX-512: 16 lanes of f32.
Target wide_target();

// The pass's result, verified and round-tripped.
Program run(PassFunction pass, const Program& program, const Target& target = wide_target());
// The statements of the result, without indentation of the program.
std::string body_after(PassFunction pass, std::string_view text);
std::string body_of(const Program& program);

// Values for the sizes of a Program, by name.
using SizeValues = std::map<std::string, int64_t>;

// Outputs of an interpreter run. Inputs hold the same pseudo-random values for the same parameter
// position and element, whatever the shape; some are NaN, infinite or zero. Outputs start as 7.
std::vector<Array> outputs_of(const Program& program, const SizeValues& sizes);

// Checks that both Programs give the same bits.
void check_same_meaning(const Program& before, const Program& after, const SizeValues& sizes = {});

// Runs the pass and checks that it keeps the meaning; gives the result.
Program check_pass(PassFunction pass, const Program& program, const SizeValues& sizes = {},
                   const Target& target = wide_target());

// The whole pipeline, verified after each pass, compared with the interpreter at the end.
Program check_lowering(const Program& program, const SizeValues& sizes = {},
                       const Target& target = wide_target());

}  // namespace tenon::test
