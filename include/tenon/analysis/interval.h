// Constant bounds of an integer expression from the ranges of its variables.
#pragma once

#include <cstdint>
#include <optional>

#include "tenon/analysis/facts.h"

namespace tenon {

struct Interval {
  std::optional<int64_t> lo, hi;  // inclusive; empty: not known
};

// A sound hull: every value that e takes under the facts lies inside. Cheap; used before the
// solver.
Interval bounds(const Expr& e, const Facts& facts);

// Symbolic bounds of e over all values of the `inner` loops (eliminated innermost first by their
// end values), as expressions in what remains. Empty when e is not monotone in a way we can see.
struct SymbolicInterval {
  Expr lo, hi;  // inclusive
};
std::optional<SymbolicInterval> bounds_over(const Expr& e, const std::vector<LoopRange>& inner,
                                            const Facts& facts);

}  // namespace tenon
