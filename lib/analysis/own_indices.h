// The results of a reduction by functions share one index list.
#pragma once

#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// Refuses a buffer whose elements cannot move alone: it is reduced together with others.
absl::Status has_own_indices(const Program& program, const Buffer& buffer);

// The buffer, and those that are reduced together with it, or with one of these: what can only move
// as a whole. The buffer itself comes first.
std::vector<Buffer> reduced_together(const Program& program, const Buffer& buffer);

}  // namespace tenon
