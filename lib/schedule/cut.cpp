// cut(i, at):
//
//   for i in lo..hi            for ia in lo..mid
//     out[i] = x[i]      ->      out[ia] = x[ia]          mid = min(max(at, lo), hi)
//                              for ib in mid..hi
//                                out[ib] = x[ib]
//
// Obligation: `at` can be said at the loop. The iterations and their order stay the same, so the
// step is exact. The second part is a copy: its loops, names and local buffers are new ones.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// Only sizes and loops around may stand in `at`.
absl::Status require_known(const Program& program, const LoopSite& site, const Expr& at) {
  if (!at || at.is<Invalid>()) return refuse("the place of the cut is not a valid expression");
  if (at.type() != i64 || touches_memory(at)) {
    return refuse("the place of a cut is an i64 expression over sizes and outer loops, and it is " +
                  print(at, program));
  }
  for (const Var& var : free_vars(at)) {
    const bool size =
        std::find(program->sizes.begin(), program->sizes.end(), var) != program->sizes.end();
    const bool outer = std::any_of(site.outer.begin(), site.outer.end(),
                                   [&](const For& loop) { return loop.var == var; });
    if (size || outer) continue;
    return refuse("the place of the cut uses " + name_in(program, var) +
                  ", which is neither a size nor a loop around " + name_in(program, site.loop.var));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TwoLoops> cut(const Program& program, const Var& loop, const Expr& at) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "cut"));
  TENON_RETURN_IF_ERROR(require_known(program, site, at));

  // Rewrite.
  const Var first(loop.name() + "a"), second(loop.name() + "b");
  const Expr& lo = site.loop.lo;
  const Expr& hi = site.loop.hi;
  const Expr middle = simplify(min(max(at, lo), hi), site.facts);
  const auto part = [&](const Var& var, const Expr& from, const Expr& to, const Stmt& body) {
    return make_for(var, from, to, ForKind::kSerial, substitute(body, VarMap{{loop, var}}));
  };
  const Stmt both = seq({part(first, lo, middle, site.loop.body),
                         part(second, middle, hi, with_fresh_names(site.loop.body))});
  return TwoLoops{
      simplified(program, replace_loop(program->body, loop, [&](const For&) { return both; })),
      first, second};
}

}  // namespace tenon::primitives
