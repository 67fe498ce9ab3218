// The axes of a reduction, as the user gave them.
#pragma once

#include <string>
#include <vector>

#include "tenon/ir/expr.h"

namespace tenon::dsl {

// Makes every extent an i64. Null when they are integers; else what is wrong, as an Invalid that
// begins with the name of the reduction.
Expr settle_axes(const std::string& name, std::vector<ReduceAxis>& axes);

}  // namespace tenon::dsl
