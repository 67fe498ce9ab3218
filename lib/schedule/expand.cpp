// expand(t, i):
//
//   for i in 0..m                      alloc t: f32[m, n]
//     alloc t: f32[n]                  for i in 0..m
//     for j in 0..n            ->        for j in 0..n
//       t[j] = x[i, j]                     t[i, j] = x[i, j]
//     for j in 0..n                      for j in 0..n
//       out[i, j] = t[j]                   out[i, j] = t[i, j]
//
// Every iteration of the loop has a part of its own of one buffer outside of it, indexed by i - lo
// in front of the other indices. Then the loop can be divided, which it cannot while its parts
// share a buffer that is declared in it.
// Obligation (may_expand): the stage is declared directly in the body of the loop; its shape and
// the loop's bounds can be evaluated in front of the loop. An iteration sees only its own part.
// Exact.
#include "schedule/common.h"
#include "schedule/move_accesses.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

std::vector<Expr> led_by(const Expr& first, const std::vector<Expr>& rest) {
  std::vector<Expr> all = {first};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

absl::StatusOr<Program> expand(const Program& program, const Buffer& stage, const Var& loop) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_ASSIGN_OR_RETURN(const Expr extent, may_expand(site, stage));

  // Rewrite.
  const Expr index = Expr(loop) - site.loop.lo;
  const Stmt body =
      with_moved_accesses(without_alloc(site.loop.body, stage), stage, stage,
                          [&](const std::vector<Expr>& indices) { return led_by(index, indices); });
  const Stmt outside =
      alloc(stage, led_by(extent, *shape_of(program, stage)), memory_of(program, stage));
  return simplified(program, replace_loop(program->body, loop, [&](const For& l) {
                      return seq({outside, make_for(l.var, l.lo, l.hi, l.kind, body)});
                    }));
}

}  // namespace tenon::primitives
