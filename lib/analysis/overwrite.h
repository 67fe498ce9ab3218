// Two accesses that get to share memory: may one come after the other?
#pragma once

#include <optional>

#include "analysis/conflict.h"

namespace tenon {

// A pair of iterations in which `then` touches an element that `first` touched before, in the order
// of the program. Both stand in one statement, the memory is declared outside of it, and the
// buffers of the accesses are taken to be the same. Iterations of parallel loops come in any order,
// and lanes in either. The conflict keeps pointers to the accesses.
std::optional<Conflict> touches_after(const Access& first, const Access& then, const Facts& facts);

// " (i = 0, j = 1)": the loops of an access; empty where it has none.
std::string iteration_of(const std::vector<std::pair<Var, int64_t>>& values, const Program& within);

}  // namespace tenon
