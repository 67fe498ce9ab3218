#include "analysis/missing.h"

#include <algorithm>

#include "analysis/inspect.h"
#include "analysis/text.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

bool is_over_sizes(const Expr& e, const Facts& facts) {
  const std::set<Var> vars = free_vars(e);
  return !touches_memory(e) &&
         std::all_of(vars.begin(), vars.end(), [&](const Var& var) { return facts.is_size(var); });
}

// What is known about the sizes alone.
Facts of_sizes(const Facts& facts) {
  Facts result;
  for (const Var& size : facts.sizes()) result = result.with_size(size);
  for (const Expr& condition : facts.conditions()) {
    if (is_over_sizes(condition, facts)) result = result.given(condition);
  }
  return result;
}

// a <= b or a < b for all values of the loops; null when the ends of b - a are not known.
Expr for_all_loops(const Expr& claim, const Facts& facts, const Facts& sizes) {
  const Binary* x = claim.as<Binary>();
  if (!x || x->a.type() != i64) return {};
  if (x->op != BinaryOp::kLe && x->op != BinaryOp::kLt) return {};
  const auto bounds = bounds_over(x->b - x->a, facts.loops(), sizes);
  if (!bounds || !is_over_sizes(bounds->lo, facts)) return {};
  return Expr(x->op == BinaryOp::kLt ? 1 : 0) <= bounds->lo;
}

}  // namespace

Expr missing_fact(const Expr& claim, const Facts& facts) {
  const Facts sizes = of_sizes(facts);
  Expr fact = simplify(claim, facts);
  if (!is_over_sizes(fact, facts)) {
    if (const Expr wider = for_all_loops(fact, facts, sizes)) fact = simplify(wider, sizes);
  }
  if (is_constant(fact, 0) || never(sizes, {fact}) == Answer::kYes) return {};
  return fact;
}

std::vector<std::string> missing_fact(const Expr& claim, const Facts& facts,
                                      const Program& within) {
  const Expr fact = missing_fact(claim, facts);
  return fact ? std::vector<std::string>{text_of(fact, within)} : std::vector<std::string>{};
}

}  // namespace tenon
