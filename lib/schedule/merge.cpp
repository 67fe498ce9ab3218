// merge(i, j):
//
//   for i in 0..n              for i in 0..n
//     t[i] = x[i]                t[i] = x[i]
//   for j in 0..n        ->      out[i] = t[i]
//     out[j] = t[j]
//
// Obligation (may_merge): both loops are serial and stand in one sequence, with equal bounds; no
// iteration of the first loop must run before an earlier one of the second; every statement between
// them can go above the merged loop or below it. Exact, except where the order of a floating-point
// accumulation changes.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// The sequence with one loop in place of two and of what stands between them.
Stmt merged(const Seq& list, const Merge& merge, const Var& var) {
  const auto at = [&](const LoopSite& site) {
    return std::find_if(list.stmts.begin(), list.stmts.end(), [&](const Stmt& s) {
      const For* loop = s.as<For>();
      return loop && loop->var == site.loop.var;
    });
  };
  const auto part = [&](const LoopSite& site) {
    return substitute(site.loop.body, VarMap{{site.loop.var, var}});
  };
  const For& bounds = merge.first.loop;
  std::vector<Stmt> stmts(list.stmts.begin(), at(merge.first));
  stmts.insert(stmts.end(), merge.above.begin(), merge.above.end());
  stmts.push_back(make_for(var, bounds.lo, bounds.hi, ForKind::kSerial,
                           seq({part(merge.first), part(merge.second)})));
  stmts.insert(stmts.end(), merge.below.begin(), merge.below.end());
  stmts.insert(stmts.end(), at(merge.second) + 1, list.stmts.end());
  return seq(std::move(stmts));
}

}  // namespace

absl::StatusOr<OneLoop> merge(const Program& program, const Var& first, const Var& second) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite a, site_of(program, first));
  TENON_ASSIGN_OR_RETURN(const LoopSite b, site_of(program, second));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, a.loop, "merge"));
  TENON_RETURN_IF_ERROR(require_serial(program, b.loop, "merge"));
  if (first == second) return refuse("loop " + name_in(program, first) + " is named twice");
  TENON_ASSIGN_OR_RETURN(const Merge merge, may_merge(a, b));

  // Rewrite.
  const Var var(first.name());
  Stmt body = rewrite_stmts(program->body, [&](const Stmt& s) {
    const Seq* list = s.as<Seq>();
    const auto is_first = [&](const Stmt& part) { return part.get() == a.statement.get(); };
    const bool here = list && std::any_of(list->stmts.begin(), list->stmts.end(), is_first);
    return here ? merged(*list, merge, var) : s;
  });
  return OneLoop{with_body(program, std::move(body), Verdict{{}, merge.reassociates}), var};
}

}  // namespace tenon::primitives
