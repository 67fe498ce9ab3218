// The passes, in the order of the table in lower.cpp. Each file says what its pass does, needs and
// gives.
#pragma once

#include "tenon/base/status.h"
#include "tenon/ir/program.h"
#include "tenon/target/target.h"

namespace tenon {

absl::StatusOr<Program> cut_vectors(const Program& program, const Target& target);
absl::StatusOr<Program> partition_loops(const Program& program, const Target& target);
absl::StatusOr<Program> trim_loops(const Program& program, const Target& target);
absl::StatusOr<Program> simplify_program(const Program& program, const Target& target);
absl::StatusOr<Program> drop_dead_guards(const Program& program, const Target& target);
absl::StatusOr<Program> replace_instructions(const Program& program, const Target& target);
absl::StatusOr<Program> unroll_loops(const Program& program, const Target& target);
absl::StatusOr<Program> settle_guards(const Program& program, const Target& target);
absl::StatusOr<Program> vectorize_loops(const Program& program, const Target& target);
absl::StatusOr<Program> expand_reducers(const Program& program, const Target& target);
absl::StatusOr<Program> merge_guards(const Program& program, const Target& target);
absl::StatusOr<Program> place_allocs(const Program& program, const Target& target);
absl::StatusOr<Program> insert_prefetches(const Program& program, const Target& target);
absl::StatusOr<Program> flatten_buffers(const Program& program, const Target& target);

}  // namespace tenon
