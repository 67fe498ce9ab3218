// Extents of buffers that a step declares, and the regions that they hold: they must be known from
// sizes and loops.
#pragma once

#include <string>

#include "tenon/analysis/facts.h"
#include "tenon/analysis/region.h"
#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// Read from memory or checked, by itself or through a bound name. Lowering finds no size for a
// buffer with such an extent.
bool is_data(const Expr& e, const Program& within);

// Has it a value at the place with these facts? It reads no memory, and all its variables are
// known.
bool is_known(const Expr& e, const Facts& facts);

// The number of iterations of a loop, as the extent of a buffer in front of it:
// hi - lo, simplified; a constant is at least 0. Refused when a bound is read from memory. `facts`
// are those of the place where the loop stands.
absl::StatusOr<Expr> extent_in_front(const For& loop, const Facts& facts, const Program& within);

// The region's bounds are computed before, and without, the guards around the accesses: an index
// that is read from memory may not be there to be read, and one that is checked may be wrong. The
// message says what of the stage is `used` ("read").
absl::Status region_is_no_data(const Region& region, const std::string& stage, const char* used,
                               const Program& within);

}  // namespace tenon
