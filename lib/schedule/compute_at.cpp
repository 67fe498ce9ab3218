// compute_at(t, io):
//
//   alloc t: f32[n]                     for io in 0..n // 8
//   for i in 0..n                         alloc t: f32[8]
//     t[i] = x[i] * 2.0                   for i in 0..8
//   for io in 0..n // 8           ->        t[i] = x[io*8 + i] * 2.0
//     for ii in 0..8                      for ii in 0..8
//       out[io*8 + ii] = t[io*8 + ii]       out[io*8 + ii] = t[ii]
//
// The stage shrinks to the region that the loop's body reads, and its nest moves to the first
// statement of the body that reads it. Its loops keep their variables: i becomes lo + i. Where the
// region may stick out of the declared shape, the nest gets a guard. Stages that are reduced
// together, as the value and the index of an argmax are, have one nest and move together.
// Obligation (may_compute_at): one nest writes the whole stage, all readers are in the loop's body,
// what the nest reads does not change in between. Exact.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

bool is_moved(const Buffer& buffer, const ComputeAt& place) {
  return std::find(place.stages.begin(), place.stages.end(), buffer) != place.stages.end();
}

// Moves the nest to its new place: loop d runs over the region, and l_d becomes lo_d + l_d
// everywhere but in the indices of the stage.
class Mover {
 public:
  explicit Mover(const ComputeAt& place) : place_(place) {
    for (size_t d = 0; d < place.loops.size(); ++d) {
      const Var& var = place.loops[d].var;
      values_[var] = place.region.lo[d] + Expr(var);
    }
  }

  Stmt moved(const Stmt& s) const {
    if (const Store* x = s.as<Store>(); x && is_moved(x->buffer, place_)) {
      return store(x->buffer, x->indices, moved(x->value), moved(x->mask));
    }
    if (const Accumulate* x = s.as<Accumulate>(); x && is_moved(x->buffer(), place_)) {
      std::vector<Expr> values = x->values;
      for (Expr& value : values) value = moved(value);
      return accumulate(x->buffers, x->indices, x->by, std::move(values), moved(x->mask));
    }
    if (const For* loop = s.as<For>()) {
      for (size_t d = 0; d < place_.loops.size(); ++d) {
        if (!(loop->var == place_.loops[d].var)) continue;
        return make_for(loop->var, 0, place_.region.extent[d], loop->kind, moved(loop->body));
      }
    }
    return map_children(
        s, [this](const Expr& e) { return moved(e); }, [this](const Stmt& t) { return moved(t); });
  }

 private:
  Expr moved(const Expr& e) const {
    if (!e) return e;
    if (const VarRef* ref = e.as<VarRef>()) {
      const auto value = values_.find(ref->var);
      return value == values_.end() ? e : value->second;
    }
    const Load* l = e.as<Load>();
    if (l && is_moved(l->buffer, place_)) return load(l->buffer, l->indices, moved(l->mask));
    return map_children(e, [this](const Expr& child) { return moved(child); });
  }

  const ComputeAt& place_;
  VarMap values_;
};

// Guards the nest where the region may stick out of the declared shape.
Stmt clipped(Stmt nest, const ComputeAt& place, const std::vector<Expr>& shape) {
  const Facts facts = place.at.facts.inside(place.at.loop);
  for (size_t d = 0; d < shape.size(); ++d) {
    const Expr index = place.region.lo[d] + Expr(place.loops[d].var);
    const Facts inside = facts.inside(LoopRange{place.loops[d].var, 0, place.region.extent[d]});
    for (const Expr& guard : {Expr(0) <= index, index < shape[d]}) {
      if (!proved(inside, guard)) nest = sink_guard(nest, guard, facts);
    }
  }
  return nest;
}

// The reads of the stage in the loop's body count from the start of the region.
Stmt rebased(const Stmt& s, const ComputeAt& place) {
  return rewrite(s, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    if (!l || !is_moved(l->buffer, place)) return e;
    std::vector<Expr> indices = l->indices;
    for (size_t d = 0; d < indices.size(); ++d) indices[d] = indices[d] - place.region.lo[d];
    return load(l->buffer, std::move(indices), l->mask);
  });
}

Stmt new_body(const ComputeAt& place, const std::vector<Expr>& shape) {
  std::vector<Stmt> parts = statements_of(place.at.loop.body);
  const auto first_use = std::find_if(parts.begin(), parts.end(), [&](const Stmt& s) {
    return std::any_of(place.stages.begin(), place.stages.end(),
                       [&](const Buffer& stage) { return uses(s, stage); });
  });
  std::vector<Stmt> body(parts.begin(), first_use);
  for (const Buffer& stage : place.stages) body.push_back(alloc(stage, place.region.extent));
  body.push_back(clipped(Mover(place).moved(place.nest), place, shape));
  for (auto part = first_use; part != parts.end(); ++part) body.push_back(rebased(*part, place));
  return seq(std::move(body));
}

// The whole program: without the old nest and declaration, with the new body.
Stmt replaced(const Stmt& s, const ComputeAt& place, const Stmt& body) {
  if (s.get() == place.nest.get()) return seq({});
  if (const Alloc* x = s.as<Alloc>()) return is_moved(x->buffer, place) ? seq({}) : s;
  if (s.get() == place.at.statement.get()) {
    const For& at = place.at.loop;
    return make_for(at.var, at.lo, at.hi, at.kind, body);
  }
  return map_children(
      s, [](const Expr& e) { return e; }, [&](const Stmt& t) { return replaced(t, place, body); });
}

// The loops over dimensions, outermost first.
std::vector<Var> loops_by_depth(const ComputeAt& place) {
  std::vector<Var> loops;
  walk(place.nest, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    const bool ours = loop && std::any_of(place.loops.begin(), place.loops.end(),
                                          [&](const For& l) { return l.var == loop->var; });
    if (ours) loops.push_back(loop->var);
  });
  return loops;
}

}  // namespace

absl::StatusOr<ComputeAtResult> compute_at(const Program& program, const Buffer& stage,
                                           const Var& at) {
  // Find and require.
  TENON_ASSIGN_OR_RETURN(const ComputeAt place, may_compute_at(program, stage, at));

  // Rewrite.
  const Stmt body = new_body(place, *shape_of(program, stage));
  return ComputeAtResult{simplified(program, replaced(program->body, place, body)),
                         loops_by_depth(place)};
}

}  // namespace tenon::primitives
