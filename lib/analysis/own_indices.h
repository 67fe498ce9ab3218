// Buffers whose indices are not their own: the results of a reduction by functions share one index
// list, and an extern function knows where the parts lie that it is given.
#pragma once

#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// Refuses a buffer that a call in s is given: its elements stay where the function looks for them.
absl::Status not_given_to_calls(const Stmt& s, const Buffer& buffer, const Program& within);

// Refuses a buffer whose elements cannot move alone: it is reduced together with others, or given
// to a call.
absl::Status has_own_indices(const Program& program, const Buffer& buffer);

// The buffer, and those that are reduced together with it, or with one of these: what can only move
// as a whole. The buffer itself comes first.
std::vector<Buffer> reduced_together(const Program& program, const Buffer& buffer);

}  // namespace tenon
