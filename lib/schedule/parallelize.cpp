// parallelize(i):
//
//   for i in 0..n { S }   ->   parallel for i in 0..n { S }
//
// Obligation (may_parallelize): two iterations never touch the same element unless both only read
// it. Exact.
#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> parallelize(const Program& program, const Var& loop) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "parallelize"));
  const Verdict verdict = may_parallelize(site);
  TENON_RETURN_IF_ERROR(verdict.status);

  // Rewrite.
  return with_kind(program, loop, ForKind::kParallel, verdict);
}

}  // namespace tenon::primitives
