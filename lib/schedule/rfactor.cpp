// rfactor(ri):
//
//   s[i] = -0.0                        s[i] = -0.0
//   for ro in 0..n // 16               alloc s_ri: f32[16]
//     for ri in 0..16            ->    for ri_init in 0..16
//       s[i] += x[i, ro*16 + ri]         s_ri[ri_init] = -0.0
//                                      for ro in 0..n // 16
//                                        for ri in 0..16
//                                          s_ri[ri] += x[i, ro*16 + ri]
//                                      for ri_fold in 0..16
//                                        s[i] += s_ri[ri_fold]
//
// Each iteration of ri gets a partial result of its own, so that the loop can become lanes or
// unrolled accumulators; the partial results are then folded in order. They stand in front of the
// outermost loop of the perfect nest that the target does not use, and have a dimension for each
// loop inside of it that the target does use. Guards without reduction loops also guard the fold.
// Several results of one reduction have partial results each, and these meet by `combine`.
// Obligation (may_rfactor): one accumulation is all that lies under the loop, its target depends
// neither on the loop nor on data, nothing in the nest reads the target, and the loops that index
// the partial results start at 0 and have extents that are known in front of the nest. A parallel
// loop around must stay legal. Reassociating, except where the reducer is exact for the type.
#include "schedule/common.h"
#include "tenon/analysis/legality_reduction.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/names.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// A nest of its own over the partial results.
struct Loops {
  std::vector<Var> vars;
  VarMap values;  // from the loops of the reduction

  Loops(const Rfactor& plan, const std::string& suffix) {
    for (const For& loop : plan.loops) {
      vars.emplace_back(loop.var.name() + suffix);
      values[loop.var] = vars.back();
    }
  }

  std::vector<Expr> indices() const { return {vars.begin(), vars.end()}; }
  Stmt around(Stmt leaf, const Rfactor& plan) const {
    for (size_t d = vars.size(); d-- > 0;) {
      leaf = make_for(vars[d], 0, plan.extents[d], ForKind::kSerial, std::move(leaf));
    }
    return leaf;
  }
};

Stmt accumulated_into(const std::vector<Buffer>& partials, const Rfactor& plan) {
  return rewrite_stmts(plan.root.statement, [&](const Stmt& s) {
    if (s.get() != plan.accumulate.get()) return s;
    const Accumulate& x = *s.as<Accumulate>();
    std::vector<Expr> indices;
    for (const For& loop : plan.loops) indices.emplace_back(loop.var);
    return accumulate(partials, std::move(indices), x.by, x.values, x.mask);
  });
}

Stmt folded(const std::vector<Buffer>& partials, const Rfactor& plan, const Loops& loops) {
  const Accumulate& x = *plan.accumulate.as<Accumulate>();
  std::vector<Expr> states;
  for (const Buffer& partial : partials) states.push_back(load(partial, loops.indices()));
  Stmt fold = accumulate(x.buffers, x.indices, of_states(x.by), std::move(states));
  for (size_t g = plan.guards.size(); g-- > 0;) fold = make_if(plan.guards[g], std::move(fold));
  return loops.around(substitute(fold, loops.values), plan);
}

}  // namespace

absl::StatusOr<RfactorResult> rfactor(const Program& program, const Var& loop) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "rfactor"));
  TENON_ASSIGN_OR_RETURN(const Rfactor plan, may_rfactor(program, loop));

  // Rewrite.
  const Accumulate& x = *plan.accumulate.as<Accumulate>();
  Names names(program);
  const Loops init(plan, "_init"), fold(plan, "_fold");
  std::vector<Buffer> partials;
  std::vector<Stmt> parts, starts;
  for (size_t b = 0; b < x.buffers.size(); ++b) {
    const Type type = x.buffers[b].type();
    const Buffer wanted(x.buffers[b].name() + "_" + loop.name(), type);
    partials.emplace_back(names.of(wanted), type);
    parts.push_back(alloc(partials[b], plan.extents));
    starts.push_back(store(partials[b], init.indices(), identity_of(x.by, b, type)));
  }
  parts.push_back(init.around(seq(std::move(starts)), plan));
  parts.push_back(accumulated_into(partials, plan));
  parts.push_back(folded(partials, plan, fold));
  Stmt body =
      replace_loop(program->body, plan.root.loop.var, [&](const For&) { return seq(parts); });
  const Verdict verdict{absl::OkStatus(), plan.reassociates};
  const Program result = simplified(program, std::move(body), verdict);
  // The fold may touch elements that no iteration of the nest touched.
  TENON_RETURN_IF_ERROR(require_parallel_loops(result, plan.root.outer));
  return RfactorResult{result, partials.front(), init.vars, fold.vars};
}

}  // namespace tenon::primitives
