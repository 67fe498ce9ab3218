// squash(i):
//
//   for i in lo..lo + 1
//     out[i] = x[i]      ->    out[lo] = x[lo]
//
// A loop of one iteration goes away, whatever its kind.
// Obligation (may_squash): the extent is proved to be 1, and the body writes nothing that the
// bounds read. Exact.
#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> squash(const Program& program, const Var& loop) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(may_squash(site).status);

  // Rewrite.
  const Stmt once = substitute(site.loop.body, VarMap{{loop, site.loop.lo}});
  return simplified(program, replace_loop(program->body, loop, [&](const For&) { return once; }));
}

}  // namespace tenon::primitives
