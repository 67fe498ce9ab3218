// Bounds that are read from memory.
#pragma once

#include <vector>

#include "tenon/analysis/access.h"
#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// A buffer that the expression reads; null when there is none.
Buffer read_by(const Expr& e);

// Bounds that read a buffer are evaluated more often, or later, than before: nothing in the nest
// may write it. `accesses` are those of the nest.
absl::Status bounds_read_nothing_written(const std::vector<For>& nest,
                                         const std::vector<Access>& accesses,
                                         const Program& within);

}  // namespace tenon
