// cut(i, at):
//
//   for i in lo..hi            for ia in lo..mid
//     out[i] = x[i]      ->      out[ia] = x[ia]          mid = max(min(at, hi), lo)
//                              for ib in mid..hi
//                                out[ib] = x[ib]
//
// Obligation: `at` can be said at the loop, and the body writes nothing that the bounds read
// (may_repeat_bounds). The iterations and their order stay the same, so the step is exact. The
// second part is a copy: its loops, names and local buffers are new ones.
#include "schedule/common.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
absl::StatusOr<TwoLoops> cut(const Program& program, const Var& loop, const Expr& at) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "cut"));
  TENON_RETURN_IF_ERROR(require_known(program, site, at, "the place of the cut"));
  TENON_RETURN_IF_ERROR(may_repeat_bounds(site).status);

  // Rewrite.
  const Var first(loop.name() + "a"), second(loop.name() + "b");
  const Expr& lo = site.loop.lo;
  const Expr& hi = site.loop.hi;
  const Expr middle = simplify(max(min(at, hi), lo), site.facts);
  const auto part = [&](const Var& var, const Expr& from, const Expr& to, const Stmt& body) {
    return make_for(var, from, to, site.loop.kind, substitute(body, VarMap{{loop, var}}));
  };
  const Stmt both = seq({part(first, lo, middle, site.loop.body),
                         part(second, middle, hi, with_fresh_names(site.loop.body))});
  return TwoLoops{
      simplified(program, replace_loop(program->body, loop, [&](const For&) { return both; })),
      first, second};
}

}  // namespace tenon::primitives
