// What the kinds of loops ask about dependences that a loop carries.
#pragma once

#include <vector>

#include "analysis/conflict.h"
#include "tenon/analysis/legality.h"

namespace tenon {

// Whether an index of the access uses the variable.
bool target_uses(const Access& a, const Var& var);

// No two accesses meet in these directions, accumulations included: the obligation of a parallel
// loop when `directions` are > for the loop, = for the loops around it and any for the rest.
Verdict carries_nothing(Dependences& dependences, const std::vector<Ordering>& directions,
                        const Program& within);

// The obligation of a vector loop, in the same directions: accumulations with the same reducer may
// meet, but a statement meets itself in another lane only where its target does not use the lane.
Verdict carries_nothing_between_lanes(Dependences& dependences, const Var& lane,
                                      const std::vector<Ordering>& directions,
                                      const Program& within);

}  // namespace tenon
