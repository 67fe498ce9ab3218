// The fact that a refusal misses, as something that `assume` takes where there is one.
#pragma once

#include <string>
#include <vector>

#include "tenon/analysis/facts.h"

namespace tenon {

// A condition over sizes under which the claim holds for all values of the loops: for i <= n - i -
// 1 in a loop over 0..n it is n <= 1. The claim itself, where no such condition is found. Null when
// the condition never holds, and so nothing that could be assumed is missing.
Expr missing_fact(const Expr& claim, const Facts& facts);

// The same as the list of a refusal: one text, or none.
std::vector<std::string> missing_fact(const Expr& claim, const Facts& facts, const Program& within);

}  // namespace tenon
