#include "analysis/cover.h"

#include <algorithm>

#include "analysis/hoisting.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// Values for the loops of the store in the iteration that stores the elements `at`: a guess, by
// taking each index apart at the strides of the loops, largest first.
VarMap iteration_storing(const Access& store, const Access& write) {
  VarMap values;
  for (size_t k = 0; k < store.indices.size(); ++k) {
    const Affine index = to_affine(store.indices[k]);
    std::vector<std::pair<int64_t, Var>> strides;
    Expr rest = write.indices[k] - store.indices[k];
    for (const For& loop : store.loops) {
      const int64_t stride = index.coefficient(loop.var);
      if (stride <= 0 || values.count(loop.var)) continue;
      strides.emplace_back(stride, loop.var);
      rest = rest + Expr(stride) * Expr(loop.var);
    }
    std::sort(strides.begin(), strides.end(),
              [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [stride, var] : strides) {
      values[var] = rest / Expr(stride);
      rest = rest % Expr(stride);
    }
  }
  for (const For& loop : store.loops) {
    if (values.count(loop.var)) continue;
    const bool common = std::any_of(write.loops.begin(), write.loops.end(),
                                    [&](const For& l) { return l.var == loop.var; });
    values[loop.var] = common ? Expr(loop.var) : substitute(loop.lo, values);
  }
  return values;
}

// Do indices or bounds depend on data? What is read now may be something else later.
bool depends_on_data(const Access& a) {
  return std::any_of(a.indices.begin(), a.indices.end(), touches_memory) ||
         std::any_of(a.loops.begin(), a.loops.end(), [](const For& loop) {
           return touches_memory(loop.lo) || touches_memory(loop.hi);
         });
}

}  // namespace

bool reaches(const Access& store, const Access& write, const Facts& around) {
  if (depends_on_data(store) || depends_on_data(write)) return false;
  const Facts facts = facts_at(write, around);
  VarMap values = iteration_storing(store, write);
  for (auto& [var, value] : values) value = simplify(value, facts);
  const auto holds = [&](const Expr& condition) {
    return proved(facts, simplify(substitute(condition, values), facts));
  };
  for (size_t k = 0; k < store.indices.size(); ++k) {
    if (!proved(facts, substitute(store.indices[k], values) == write.indices[k])) return false;
  }
  const bool runs = std::all_of(store.loops.begin(), store.loops.end(), [&](const For& loop) {
    return holds(loop.lo <= Expr(loop.var)) && holds(Expr(loop.var) < loop.hi);
  });
  return runs && std::all_of(store.guards.begin(), store.guards.end(), holds);
}

}  // namespace tenon
