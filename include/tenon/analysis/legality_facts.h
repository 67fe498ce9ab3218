// The obligations of steps that bring facts in: requirements of the Program, and conditions under
// which a copy of its body runs.
#pragma once

#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// Making the fact a requirement, checked on every call: it is a bool over sizes, of the operators
// that a check of a call can evaluate (+ - * // % min max select and comparisons, joined by &), and
// does not contradict what is required already. Returns its parts, joined by &, that are not known
// yet.
absl::StatusOr<std::vector<Expr>> may_assume(const Program& program, const Expr& fact);

// Running one copy of the body where the condition holds, and one where it does not: a bool over
// sizes and scalar parameters, without data, that is neither known to hold nor known to fail.
// Returns it simplified.
absl::StatusOr<Expr> may_specialize(const Program& program, const Expr& condition);

}  // namespace tenon
