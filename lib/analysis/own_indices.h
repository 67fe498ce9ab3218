// The results of a reduction by functions share one index list.
#pragma once

#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// Refuses a buffer whose elements cannot move alone: it is reduced together with others.
absl::Status has_own_indices(const Program& program, const Buffer& buffer);

}  // namespace tenon
