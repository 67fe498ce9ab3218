// split(i, f):
//
//   for i in lo..hi            for io in 0..ceildiv(hi - lo, f)
//     out[i] = x[i]      ->      for ii in 0..f
//                                  if lo + io*f + ii < hi
//                                    out[lo + io*f + ii] = x[lo + io*f + ii]
//
// Obligation: f is at least 1. The iterations and their order stay the same, so the step is exact.
// The guard stands on each leaf, and only where it is not proved: not when f divides the extent,
// and not where another guard implies it.
#include "schedule/common.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// Keeps extent + factor far from overflow.
constexpr int64_t kMaxFactor = int64_t{1} << 31;

}  // namespace

absl::StatusOr<SplitResult> split(const Program& program, const Var& loop, int64_t factor) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  if (factor < 1 || factor > kMaxFactor) {
    return refuse("the factor of a split must be at least 1 and at most " +
                  std::to_string(kMaxFactor) + ", and it is " + std::to_string(factor));
  }
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "split"));

  // Rewrite.
  const Var outer(loop.name() + "o"), inner(loop.name() + "i");
  const Expr tiles = ceildiv(extent_of(site.loop, site.facts), Expr(factor));
  const Expr value = site.loop.lo + Expr(outer) * Expr(factor) + Expr(inner);
  const Expr guard = value < site.loop.hi;
  const Facts inside =
      site.facts.inside(LoopRange{outer, 0, tiles}).inside(LoopRange{inner, 0, Expr(factor)});

  Stmt body = substitute(site.loop.body, VarMap{{loop, value}});
  if (!proved(inside, guard)) body = sink_guard(body, guard, inside);
  body = make_for(inner, 0, Expr(factor), ForKind::kSerial, std::move(body));
  body = make_for(outer, 0, tiles, ForKind::kSerial, std::move(body));
  body = replace_loop(program->body, loop, [&](const For&) { return body; });
  return SplitResult{simplified(program, std::move(body)), outer, inner};
}

}  // namespace tenon::primitives
