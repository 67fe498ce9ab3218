// reverse(i):
//
//   for i in lo..hi            for i in lo..hi
//     out[i] = x[i]      ->      out[lo + hi - 1 - i] = x[lo + hi - 1 - i]
//
// The last iteration comes first.
// Obligation: the loop carries no dependence (may_run_in_any_order), and its body writes nothing
// that its bounds read (may_repeat_bounds). Exact, except where the order of a floating-point
// accumulation changes: then the Program is marked as reassociated.
#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> reverse(const Program& program, const Var& loop) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "reverse"));
  TENON_RETURN_IF_ERROR(may_repeat_bounds(site).status);
  const Verdict verdict = may_run_in_any_order(site);
  TENON_RETURN_IF_ERROR(verdict.status);

  // Rewrite.
  const Expr mirrored = site.loop.lo + site.loop.hi - Expr(1) - Expr(loop);
  const Stmt reversed = make_for(loop, site.loop.lo, site.loop.hi, site.loop.kind,
                                 substitute(site.loop.body, VarMap{{loop, mirrored}}));
  Stmt body = replace_loop(program->body, loop, [&](const For&) { return reversed; });
  return simplified(program, std::move(body), verdict);
}

}  // namespace tenon::primitives
