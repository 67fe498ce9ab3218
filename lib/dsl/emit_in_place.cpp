// What is written to an inout. It reads the inout as it was: where its nests could have changed
// what they read, a copy is made first.
//
//   alloc state_before: f32[n]
//   for i in 0..n { state_before[i] = state[i] }
//   for i in 0..n { state[i] = state_before[n - 1 - i] }
#include <algorithm>

#include "dsl/emit.h"
#include "dsl/hoist.h"
#include "dsl/in_place.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon::dsl {

bool is_at(const std::vector<Expr>& indices, const std::vector<Var>& vars) {
  return std::equal(indices.begin(), indices.end(), vars.begin(), vars.end(),
                    [](const Expr& e, const Var& var) {
                      const VarRef* ref = e.as<VarRef>();
                      return ref && ref->var == var;
                    });
}

bool reads_only_at(const Expr& e, const Buffer& buffer, const std::vector<Var>& vars) {
  if (e.is<Reduce>()) return true;
  const Load* access = e.as<Load>();
  if (access && access->buffer == buffer && !is_at(access->indices, vars)) return false;
  bool good = true;
  for_each_child(e, [&](const Expr& child) { good = good && reads_only_at(child, buffer, vars); });
  return good;
}

bool may_store_over(const Expr& value, const Buffer& buffer, const std::vector<Var>& vars) {
  return value.is<Reduce>() ? !uses(value, buffer) : reads_only_at(value, buffer, vars);
}

namespace {

bool needs_copy(const Recipe& recipe) {
  const Nest* nest = std::get_if<Nest>(&recipe.how);
  return nest ? !may_store_over(nest->values[0], recipe.into, nest->vars)
              : reads(recipe, recipe.into);
}

}  // namespace

std::vector<Stmt> with_old_contents(const Recipe& recipe, std::vector<Stmt> stmts,
                                    const Emission& emission) {
  if (!needs_copy(recipe)) return stmts;
  const Buffer& state = recipe.into;
  const Buffer before(free_name(state.name() + "_before", emission.names), state.type());
  std::vector<Var> vars;
  const std::vector<Expr> shape = shape_of(recipe, 0);
  for (size_t d = 0; d < shape.size(); ++d) vars.emplace_back("i");
  const Axes axes = box(vars, shape);
  std::vector<Stmt> all = {
      alloc(before, extents_of(axes)),
      nest(axes, store(before, indices_of(axes), load(state, indices_of(axes))))};
  for (const Stmt& s : stmts) all.push_back(substitute(s, BufferMap{{state, before}}));
  return all;
}

}  // namespace tenon::dsl
