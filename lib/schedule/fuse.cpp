// fuse(i, j):
//
//   for i in 0..m              for ij in 0..m * n
//     for j in 0..n      ->      out[ij // n, ij % n] = 1.0
//       out[i, j] = 1.0
//
// Obligation (may_fuse): the inner loop is all of the outer one's body, and its bounds do not use
// the outer loop; the body writes nothing that the outer bounds read. The iterations and their
// order stay the same, so the step is exact.
#include "schedule/common.h"
#include "tenon/analysis/legality.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<OneLoop> fuse(const Program& program, const Var& outer, const Var& inner) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, outer));
  TENON_RETURN_IF_ERROR(site_of(program, inner).status());

  // Require.
  const For* in = site.loop.body.as<For>();
  if (!in || !(in->var == inner)) {
    return refuse("loop " + name_in(program, inner) + " is not the whole body of loop " +
                  name_in(program, outer));
  }
  TENON_RETURN_IF_ERROR(may_fuse(site).status);

  // Rewrite. An empty loop has an extent of at most 0; two of them must not make a positive one.
  const auto count = [&](const For& loop) {
    return simplify(max(extent_of(loop, site.facts), Expr(0)), site.facts);
  };
  const Expr inner_count = count(*in);
  const Var fused(outer.name() + inner.name());
  const VarMap values = {{outer, site.loop.lo + Expr(fused) / inner_count},
                         {inner, in->lo + Expr(fused) % inner_count}};
  const Stmt loop = make_for(fused, 0, count(site.loop) * inner_count, ForKind::kSerial,
                             substitute(in->body, values));
  return OneLoop{
      simplified(program, replace_loop(program->body, outer, [&](const For&) { return loop; })),
      fused};
}

}  // namespace tenon::primitives
