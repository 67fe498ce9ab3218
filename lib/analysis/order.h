// A fixed order of expressions, for normal forms: the same on every run, independent of addresses.
#pragma once

#include "tenon/ir/expr.h"

namespace tenon {

// -1, 0 or 1. Expressions over older (outer) variables come first, a variable comes before
// anything else that starts with it, and constants come last. 0 means equal.
int compare(const Expr& a, const Expr& b);

}  // namespace tenon
