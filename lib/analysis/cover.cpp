#include "tenon/analysis/cover.h"

#include <algorithm>
#include <functional>

#include "tenon/analysis/affine.h"
#include "tenon/analysis/dependence.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// Where a loop that no index of the store uses is to stand.
enum class Free { kSameIteration, kFirstIteration };

// Values for the loops of the store in the iteration that stores the element of the use: a guess,
// by taking each index apart at the strides of the loops, largest first.
VarMap iteration_storing(const Access& store, const Access& use, Free free) {
  VarMap values;
  for (size_t k = 0; k < store.indices.size(); ++k) {
    const Affine index = to_affine(store.indices[k]);
    std::vector<std::pair<int64_t, Var>> strides;
    Expr rest = use.indices[k] - store.indices[k];
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
    const bool common = std::any_of(use.loops.begin(), use.loops.end(),
                                    [&](const For& l) { return l.var == loop.var; });
    const bool same = common && free == Free::kSameIteration;
    values[loop.var] = same ? Expr(loop.var) : substitute(loop.lo, values);
  }
  return values;
}

// What is read now may be something else later.
bool depends_on_data(const Access& a) {
  return std::any_of(a.indices.begin(), a.indices.end(), touches_memory) ||
         std::any_of(a.loops.begin(), a.loops.end(), [](const For& loop) {
           return touches_memory(loop.lo) || touches_memory(loop.hi);
         });
}

using Holds = std::function<bool(const Expr&)>;

// Is there such an iteration, for the same element? `holds` proves what is claimed of it.
bool happens(const Access& store, const Access& use, const VarMap& values, const Holds& holds) {
  for (size_t k = 0; k < store.indices.size(); ++k) {
    if (!holds(substitute(store.indices[k], values) == use.indices[k])) return false;
  }
  const bool runs = std::all_of(store.loops.begin(), store.loops.end(), [&](const For& loop) {
    return holds(substitute(loop.lo <= Expr(loop.var), values)) &&
           holds(substitute(Expr(loop.var) < loop.hi, values));
  });
  return runs && std::all_of(store.guards.begin(), store.guards.end(),
                             [&](const Expr& guard) { return holds(substitute(guard, values)); });
}

// Is this iteration of the store before the use? No common loop may be in a later one; iterations
// that come in any order, and lanes, have to be the same.
bool is_before(const Access& store, const Access& use, const VarMap& values, const Holds& holds) {
  bool earlier = store.order < use.order;
  for (const For& loop : common_loops(store, use)) {
    const Expr& there = values.at(loop.var);
    const Expr here = loop.var;
    if (equal(there, here) || holds(there == here)) continue;
    if (loop.kind == ForKind::kParallel || loop.kind == ForKind::kVector) return false;
    if (holds(there < here)) return true;
    if (!earlier || !holds(there <= here)) return false;
  }
  return earlier;
}

bool covers(const Access& store, const Access& use, const Facts& facts, bool before) {
  if (depends_on_data(store) || depends_on_data(use)) return false;
  const Facts here = facts_at(use, facts);
  const Holds holds = [&](const Expr& claim) { return proved(here, simplify(claim, here)); };
  for (const Free free : {Free::kSameIteration, Free::kFirstIteration}) {
    VarMap values = iteration_storing(store, use, free);
    for (auto& [var, value] : values) value = simplify(value, here);
    if (!happens(store, use, values, holds)) continue;
    if (!before || is_before(store, use, values, holds)) return true;
  }
  return false;
}

}  // namespace

Facts facts_at(const Access& a, const Facts& facts) {
  Facts here = facts;
  for (const For& loop : a.loops) here = here.inside(loop);
  for (const Expr& guard : a.guards) here = here.given(guard);
  return here;
}

bool covers(const Access& store, const Access& use, const Facts& facts) {
  return covers(store, use, facts, false);
}

bool covers_before(const Access& store, const Access& use, const Facts& facts) {
  return covers(store, use, facts, true);
}

}  // namespace tenon
