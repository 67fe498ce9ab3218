// fission(i, 1):
//
//   for i in 0..n              for i in 0..n
//     t[i] = x[i]                t[i] = x[i]
//     out[i] = t[i]      ->    for i_1 in 0..n
//                                out[i_1] = t[i_1]
//
// The first `statements` of the body go to the first loop, the others to the second.
// Obligation (may_distribute): no statement of the second part must run before a later iteration of
// the first part; nothing that the first part declares is used in the second. Exact, except where
// the order of a floating-point accumulation changes.
#include "schedule/common.h"
#include "tenon/base/counted.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<TwoLoops> fission(const Program& program, const Var& loop, int statements) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));
  const std::vector<Stmt> parts = statements_of(site.loop.body);

  // Require.
  const int count = static_cast<int>(parts.size());
  if (statements < 1 || statements >= count) {
    return refuse("the body of loop " + name_in(program, loop) + " has " +
                  counted(count, "statement") +
                  "; the first part takes at least 1 of them and leaves at least 1, and " +
                  std::to_string(statements) + " were asked for");
  }
  const auto middle = parts.begin() + statements;
  const Verdict verdict = may_distribute(site, static_cast<size_t>(statements));
  TENON_RETURN_IF_ERROR(verdict.status);

  // Rewrite.
  const Var first(loop.name()), second(loop.name());
  const auto half = [&](const Var& var, auto begin, auto end) {
    Stmt body = substitute(seq({begin, end}), VarMap{{loop, var}});
    return make_for(var, site.loop.lo, site.loop.hi, site.loop.kind, std::move(body));
  };
  const Stmt both = seq({half(first, parts.begin(), middle), half(second, middle, parts.end())});
  Stmt body = replace_loop(program->body, loop, [&](const For&) { return both; });
  return TwoLoops{with_body(program, std::move(body), verdict), first, second};
}

}  // namespace tenon::primitives
