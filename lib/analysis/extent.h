// Extents of buffers that a step declares: they must be known from sizes and loops.
#pragma once

#include "tenon/analysis/facts.h"
#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// Read from memory or checked, by itself or through a bound name. Lowering finds no size for a
// buffer with such an extent.
bool is_data(const Expr& e, const Program& within);

// The number of iterations of a loop, as the extent of a buffer in front of it:
// hi - lo, simplified; a constant is at least 0. Refused when a bound is read from memory. `facts`
// are those of the place where the loop stands.
absl::StatusOr<Expr> extent_in_front(const For& loop, const Facts& facts, const Program& within);

}  // namespace tenon
