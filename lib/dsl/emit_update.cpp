// A copy, unless in place, and then stores and accumulations at indices that are data.
#include "dsl/emit.h"
#include "dsl/hoist.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon::dsl {
namespace {

// The nest of one scatter. What it reads of other stages stands in the hoister.
Stmt scatter_nest(const std::vector<Buffer>& results, const Update::Scatter& scatter,
                  Hoister& hoister) {
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
  std::vector<Expr> values;
  for (const Expr& value : scatter.values) {
    values.push_back(settle(value));
    if (!scatter.old) continue;
    values.back() =
        substitute(values.back(), VarMap{{scatter.old, load(results.front(), indices)}});
  }
  hoister.leave(part.axes);
  std::vector<Stmt> writes;
  if (scatter.by) {
    writes.push_back(
        guarded(conditions, accumulate(results, indices, *scatter.by, std::move(values))));
  } else {
    for (size_t v = 0; v < values.size(); ++v) {
      writes.push_back(guarded(conditions, store(results[v], indices, values[v])));
    }
  }
  return nest(part.axes, seq(std::move(writes)));
}

}  // namespace

std::vector<Stmt> emit_update(const Update& definition, const std::vector<Buffer>& read,
                              const Emission& emission) {
  // What nobody reads is kept all the same: the reducer needs it.
  std::vector<Buffer> results(definition.types.size());
  for (const Buffer& result : read) results[result.definition()->result] = result;
  const std::string& owner = read.front().name();
  for (size_t r = 0; r < results.size(); ++r) {
    if (results[r]) continue;
    results[r] =
        Buffer(free_name(owner + "_" + std::to_string(r), emission.names), definition.types[r]);
  }
  const Axes axes = box(definition.vars, definition.shape);
  Hoister hoister(owner, emission.names);
  hoister.enter(axes);
  std::vector<Stmt> nests, copies;
  for (size_t r = 0; r < definition.inits.size(); ++r) {
    copies.push_back(store(results[r], indices_of(axes), hoister.hoist(definition.inits[r])));
  }
  if (!copies.empty()) nests.push_back(nest(axes, seq(std::move(copies))));
  hoister.leave(axes);
  for (const Update::Scatter& scatter : definition.scatters) {
    nests.push_back(scatter_nest(results, scatter, hoister));
  }
  std::vector<Stmt> stmts = hoister.take();
  for (const Buffer& result : results) {
    if (!emission.declared.count(result)) stmts.push_back(alloc(result, extents_of(axes)));
  }
  stmts.insert(stmts.end(), nests.begin(), nests.end());
  return stmts;
}

}  // namespace tenon::dsl
