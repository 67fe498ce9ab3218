// Concrete values that refute a claim.
#pragma once

#include <vector>

#include "analysis/cases.h"
#include "tenon/analysis/facts.h"

namespace tenon {

// Are there values of the variables that satisfy the facts and every literal of `all`? `cases`
// cover `all` and are where values are looked for; what is found is checked by evaluation. False
// means only that none was found; literals about the contents of buffers never have a witness.
bool has_witness(const Facts& facts, const std::vector<Case>& cases, const Case& all);

}  // namespace tenon
