// split(i, f):
//
//   for i in lo..hi            for io in 0..ceildiv(hi - lo, f)
//     out[i] = x[i]      ->      for ii in 0..f
//                                  if lo + io*f + ii < hi
//                                    out[lo + io*f + ii] = x[lo + io*f + ii]
//
// Obligation: f is at least 1, and the body writes nothing that the bounds read
// (may_repeat_bounds). The iterations and their order stay the same, so the step is exact.
// The guard stands on each leaf, and only where it is not proved: not when f divides the extent,
// and not where another guard implies it. split_evenly has none: its obligation is that f divides
// the extent (may_split_evenly).
#include "schedule/common.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

absl::Status may_split(const Program& program, const LoopSite& site, int64_t factor) {
  if (factor < 1 || factor > kMaxFactor) {
    return refuse("the factor of a split must be at least 1 and at most " +
                  std::to_string(kMaxFactor) + ", and it is " + std::to_string(factor));
  }
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "split"));
  return may_repeat_bounds(site).status;
}

TwoLoops split_at(const LoopSite& site, int64_t factor, bool evenly) {
  const Program& program = site.program;
  const Var& loop = site.loop.var;
  const Var outer(loop.name() + "o"), inner(loop.name() + "i");
  const Expr tiles = ceildiv(extent_of(site.loop, site.facts), Expr(factor));
  const Expr value = site.loop.lo + Expr(outer) * Expr(factor) + Expr(inner);
  const Expr guard = value < site.loop.hi;
  const Facts inside =
      site.facts.inside(LoopRange{outer, 0, tiles}).inside(LoopRange{inner, 0, Expr(factor)});

  Stmt body = substitute(site.loop.body, VarMap{{loop, value}});
  if (!evenly && !proved(inside, guard)) body = sink_guard(body, guard, inside);
  body = make_for(inner, 0, Expr(factor), ForKind::kSerial, std::move(body));
  body = make_for(outer, 0, tiles, ForKind::kSerial, std::move(body));
  body = replace_loop(program->body, loop, [&](const For&) { return body; });
  return TwoLoops{simplified(program, std::move(body)), outer, inner};
}

}  // namespace

absl::StatusOr<TwoLoops> split(const Program& program, const Var& loop, int64_t factor) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(may_split(program, site, factor));

  // Rewrite.
  return split_at(site, factor, false);
}

absl::StatusOr<TwoLoops> split_evenly(const Program& program, const Var& loop, int64_t factor) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(may_split(program, site, factor));
  TENON_RETURN_IF_ERROR(may_split_evenly(site, factor).status);

  // Rewrite.
  return split_at(site, factor, true);
}

}  // namespace tenon::primitives
