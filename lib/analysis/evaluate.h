// The value of an integer or bool expression for given values of its variables.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tenon/ir/expr.h"

namespace tenon {

// A few variables; looked up from the back, so that a later value hides an earlier one.
using Values = std::vector<std::pair<Var, int64_t>>;

// Empty when the value depends on data (a load), on a variable without value, on floats, or on a
// promise that these values break: check(i, n) with i outside of [0, n).
std::optional<int64_t> evaluate(const Expr& e, const Values& values);

}  // namespace tenon
