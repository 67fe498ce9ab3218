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
// Obligation (may_rfactor): one accumulation is all that lies under the loop, its target depends
// neither on the loop nor on data, nothing in the nest reads the target, and the loops that index
// the partial results start at 0 and have extents that are known in front of the nest. A parallel
// loop around must stay legal. Reassociating, except where the reducer is exact for the type.
#include "schedule/common.h"
#include "tenon/analysis/legality_reduction.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/names.h"
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

Stmt accumulated_into(const Buffer& partial, const Rfactor& plan) {
  return rewrite_stmts(plan.root.statement, [&](const Stmt& s) {
    if (s.get() != plan.accumulate.get()) return s;
    const Accumulate& x = *s.as<Accumulate>();
    std::vector<Expr> indices;
    for (const For& loop : plan.loops) indices.emplace_back(loop.var);
    return accumulate(partial, std::move(indices), x.op, x.value, x.mask);
  });
}

Stmt folded(const Buffer& partial, const Rfactor& plan, const Loops& loops) {
  const Accumulate& x = *plan.accumulate.as<Accumulate>();
  Stmt fold = accumulate(x.buffer, x.indices, x.op, load(partial, loops.indices()));
  for (size_t g = plan.guards.size(); g-- > 0;) fold = make_if(plan.guards[g], std::move(fold));
  return loops.around(substitute(fold, loops.values), plan);
}

// The fold may touch elements that no iteration of the nest touched.
absl::Status require_parallel_loops(const Program& program, const LoopSite& root) {
  for (const For& loop : root.outer) {
    if (loop.kind != ForKind::kParallel) continue;
    const Verdict verdict = may_parallelize(*find_loop(program, loop.var));
    if (verdict.ok()) continue;
    return refuse("loop " + name_in(program, loop.var) + " would not stay parallel: " +
                  diagnostic_of(verdict.status).value_or(Diagnostic{}).reason);
  }
  return absl::OkStatus();
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
  const Type type = x.buffer.type();
  const Buffer wanted(x.buffer.name() + "_" + loop.name(), type);
  const Buffer partial(names.of(wanted), type);
  const Loops init(plan, "_init"), fold(plan, "_fold");
  const Stmt start = store(partial, init.indices(), identity_of(x.op, type));
  const Stmt parts = seq({alloc(partial, plan.extents), init.around(start, plan),
                          accumulated_into(partial, plan), folded(partial, plan, fold)});
  Stmt body = replace_loop(program->body, plan.root.loop.var, [&](const For&) { return parts; });
  const Verdict verdict{absl::OkStatus(), plan.reassociates};
  const Program result = simplify(with_body(program, std::move(body), verdict), KeepLoops::kYes);
  TENON_RETURN_IF_ERROR(require_parallel_loops(result, plan.root));
  return RfactorResult{result, partial, init.vars, fold.vars};
}

}  // namespace tenon::primitives
