// Does every access of a Program stay inside its buffer?
//
//   TENON_ASSIGN_OR_RETURN(Program safe, with_checked_bounds(program));
//
// What can be proved costs nothing. A load whose index may leave the buffer for some values is
// refused. A load about which nothing is known (a reshape by symbolic sizes, say) gets a run-time
// check(index, extent), as an index that is data has from the start. A store or accumulation must
// be proved, or have such a check from the start. Scheduling keeps the set of accesses, so this is
// asked once, before the first step.
#pragma once

#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

absl::StatusOr<Program> with_checked_bounds(const Program& program);

}  // namespace tenon
