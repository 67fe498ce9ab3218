#include "lower/vector_loops.h"

#include "lower/index_math.h"

namespace tenon {

LaneVars::LaneVars(const Var& lane, const Stmt& body) : vars_{lane} {
  walk(body, [&](const Stmt& s) {
    const Bind* name = s.as<Bind>();
    if (name && uses(name->value)) vars_.insert(name->var);
  });
}

bool LaneVars::uses(const Expr& e) const {
  if (!e) return false;
  if (const VarRef* ref = e.as<VarRef>()) return vars_.count(ref->var) > 0;
  bool found = false;
  for_each_child(e, [&](const Expr& child) { found = found || uses(child); });
  return found;
}

bool LaneVars::uses(const std::vector<Expr>& list) const {
  for (const Expr& e : list) {
    if (uses(e)) return true;
  }
  return false;
}

std::optional<int64_t> constant_extent(const For& loop) {
  return as_int(index_sub(loop.hi, loop.lo));
}

bool has_fold(const For& loop) {
  const LaneVars lanes(loop.var, loop.body);
  return any_in(loop.body, [&](const Stmt& s) {
    const Accumulate* a = s.as<Accumulate>();
    return a && !lanes.uses(a->indices);
  });
}

}  // namespace tenon
