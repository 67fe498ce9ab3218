// The check of a Program without a test framework, for programs that are not tests.
#pragma once

#include <string>

#include "tenon/ir/program.h"

namespace tenon::test {

// What is wrong with a Program: it does not verify, or its text does not read back as the same
// Program. Empty when all is well.
std::string problem_of(const Program& program);

}  // namespace tenon::test
