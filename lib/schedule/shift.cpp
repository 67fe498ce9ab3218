// shift(i, d):
//
//   for i in lo..hi            for i in lo + d..hi + d
//     out[i] = x[i]      ->      out[i - d] = x[i - d]
//
// Obligation: d can be said at the loop. The iterations and their order stay the same and only get
// other numbers, so the step is exact.
#include "schedule/common.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> shift(const Program& program, const Var& loop, const Expr& by) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "shift"));
  TENON_RETURN_IF_ERROR(require_known(program, site, by, "the distance of the shift"));
  // Numbers in it stay far from the ends of an index.
  const Expr distance = simplify(by, site.facts);
  const bool is_far = any_in(distance, [](const Expr& e) {
    const std::optional<int64_t> number = as_int(e);
    return number && (*number < -kMaxFactor || *number > kMaxFactor);
  });
  if (is_far) {
    return refuse("the distance of a shift must be at least " + std::to_string(-kMaxFactor) +
                  " and at most " + std::to_string(kMaxFactor) + ", and it is " +
                  print(distance, program));
  }

  // Rewrite.
  const Stmt shifted = make_for(loop, site.loop.lo + by, site.loop.hi + by, site.loop.kind,
                                substitute(site.loop.body, VarMap{{loop, Expr(loop) - by}}));
  return simplified(program,
                    replace_loop(program->body, loop, [&](const For&) { return shifted; }));
}

}  // namespace tenon::primitives
