// Stages and their loops, by the names that the user writes.
#pragma once

#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// The buffer with this name that the Program computes; a refusal lists what there is.
absl::StatusOr<Buffer> find_stage(const Program& program, std::string_view name);
// The stage or weight with this name.
absl::StatusOr<Buffer> find_storage(const Program& program, std::string_view name);
// The buffer with this name, inputs included.
absl::StatusOr<Buffer> find_any_buffer(const Program& program, std::string_view name);

// The loops around the last statement that writes the stage, outermost first. Without reductions:
// only those that index the write or stand around all writes of the stage.
std::vector<Var> loops_of_stage(const Program& program, const Buffer& stage, bool reductions);

}  // namespace tenon
