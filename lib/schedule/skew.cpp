// skew(j, i, f):
//
//   for i in 0..m              for i in 0..m
//     for j in lo..hi    ->      for j in lo + f*i..hi + f*i
//       out[i, j] = 1.0            out[i, j - f*i] = 1.0
//
// A shift of the inner loop by f times the outer one. An iteration that waits for (i - 1, j + 1)
// then waits for (i - 1, j), or for an earlier j: after `relax`, the loops of a stencil exchange.
// Obligation: the outer loop stands around the inner one, with other statements between or not.
// The iterations and their order stay the same, so the step is exact.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> skew(const Program& program, const Var& inner, const Var& outer,
                             int64_t factor) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, inner));
  TENON_RETURN_IF_ERROR(site_of(program, outer).status());

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "skew"));
  if (std::none_of(site.outer.begin(), site.outer.end(),
                   [&](const For& loop) { return loop.var == outer; })) {
    return refuse("loop " + name_in(program, inner) + " is not inside loop " +
                  name_in(program, outer));
  }
  if (factor < -kMaxFactor || factor > kMaxFactor) {
    return refuse("the factor of a skew must be at least " + std::to_string(-kMaxFactor) +
                  " and at most " + std::to_string(kMaxFactor) + ", and it is " +
                  std::to_string(factor));
  }

  // Rewrite.
  return shift(program, inner, Expr(outer) * Expr(factor));
}

}  // namespace tenon::primitives
