// Elements that move to other places, and the lanes of vectors that store to them.
#pragma once

#include <functional>
#include <vector>

#include "tenon/analysis/access.h"
#include "tenon/base/status.h"

namespace tenon {

// Refuses if a vector loop whose lanes store to different elements would store to one place: a
// guard may let one lane alone store, but a vector has no store to one element. `place` gives the
// indices, in `target`, of the element with the indices that it gets.
absl::Status lanes_stay_apart(
    const std::vector<Access>& accesses, const Buffer& target,
    const std::function<std::vector<Expr>(const std::vector<Expr>&)>& place, const Facts& facts,
    const Program& within);

}  // namespace tenon
