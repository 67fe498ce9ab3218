// A copy, unless in place, and then stores and accumulations at indices that are data.
#include "dsl/emit.h"
#include "dsl/hoist.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon::dsl {
namespace {

// The nest of one scatter. What it reads of other stages stands in the hoister.
Stmt scatter_nest(const Buffer& result, const Update::Scatter& scatter, Hoister& hoister) {
  std::vector<ReduceAxis> axes = scatter.axes;
  for (ReduceAxis& axis : axes) axis.extent = hoister.hoist(axis.extent);
  const Bounded part = bounded(axes, scatter.condition, hoister.facts());
  hoister.enter(part.axes);
  std::vector<Expr> conditions;
  for (const Expr& condition : part.conditions) conditions.push_back(hoister.hoist(condition));
  const auto settle = [&](const Expr& e) {
    return hoister.hoist_under(conditions, substitute(e, part.indices));
  };
  std::vector<Expr> indices;
  for (const Expr& index : scatter.indices) indices.push_back(settle(index));
  Expr value = settle(scatter.value);
  if (scatter.old) value = substitute(value, VarMap{{scatter.old, load(result, indices)}});
  hoister.leave(part.axes);
  const Stmt write = scatter.by ? accumulate(result, std::move(indices), *scatter.by, value)
                                : store(result, std::move(indices), value);
  return nest(part.axes, guarded(conditions, write));
}

}  // namespace

std::vector<Stmt> emit_update(const Update& definition, const Buffer& result,
                              const Emission& emission) {
  const Axes axes = box(definition.vars, definition.shape);
  Hoister hoister(result.name(), emission.names);
  hoister.enter(axes);
  std::vector<Stmt> nests;
  if (definition.init) {
    nests.push_back(nest(axes, store(result, indices_of(axes), hoister.hoist(definition.init))));
  }
  hoister.leave(axes);
  for (const Update::Scatter& scatter : definition.scatters) {
    nests.push_back(scatter_nest(result, scatter, hoister));
  }
  std::vector<Stmt> stmts = hoister.take();
  if (!emission.declared.count(result)) stmts.push_back(alloc(result, extents_of(axes)));
  stmts.insert(stmts.end(), nests.begin(), nests.end());
  return stmts;
}

}  // namespace tenon::dsl
