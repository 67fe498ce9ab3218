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
// region may stick out of what the nest computed, the nest gets a guard. Stages that are reduced
// together, as the value and the index of an argmax are, have one nest and move together.
// Obligation (may_compute_at): one nest writes the whole stage, all readers are in the loop's body,
// what the nest reads does not change in between. Exact.
#include <algorithm>

#include "schedule/common.h"
#include "schedule/move_nest.h"
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

// Guards the nest where the region may stick out of what it computed before.
Stmt clipped(Stmt nest, const ComputeAt& place) {
  const Facts facts = place.at.facts.inside(place.at.loop);
  for (size_t d = 0; d < place.loops.size(); ++d) {
    const Expr index = place.region.lo[d] + Expr(place.loops[d].var);
    const Facts inside = facts.inside(LoopRange{place.loops[d].var, 0, place.region.extent[d]});
    for (const Expr& guard : {place.loops[d].lo <= index, index < place.loops[d].hi}) {
      if (proved(inside, guard)) continue;
      // What the nest computes outside of the loop does not depend on it.
      nest = replace_loop(nest, place.loops[d].var, [&](const For& l) {
        return make_for(l.var, l.lo, l.hi, l.kind, sink_guard(l.body, guard, inside));
      });
    }
  }
  return nest;
}

Stmt new_body(const Program& program, const ComputeAt& place) {
  std::vector<Stmt> parts = statements_of(place.at.loop.body);
  const auto first_use = std::find_if(parts.begin(), parts.end(), [&](const Stmt& s) {
    return std::any_of(place.stages.begin(), place.stages.end(),
                       [&](const Buffer& stage) { return uses(s, stage); });
  });
  std::vector<Stmt> body(parts.begin(), first_use);
  for (const Buffer& stage : place.stages) {
    body.push_back(alloc(stage, place.region.room, memory_of(program, stage)));
  }
  const Stmt nest = moved_nest(place.nest, place.stages, place.loops, place.region);
  body.push_back(clipped(nest, place));
  // The reads count from the start of the region.
  std::vector<Expr> offset;
  for (const Expr& lo : place.region.lo) offset.push_back(Expr(0) - lo);
  for (auto part = first_use; part != parts.end(); ++part) {
    body.push_back(with_offset_reads(*part, place.stages, offset));
  }
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
  return map_children(s, [&](const Stmt& t) { return replaced(t, place, body); });
}

}  // namespace

absl::StatusOr<ComputeAtResult> compute_at(const Program& program, const Buffer& stage,
                                           const Var& at) {
  // Find and require.
  TENON_ASSIGN_OR_RETURN(const ComputeAt place, may_compute_at(program, stage, at));

  // Rewrite.
  const Stmt body = new_body(program, place);
  return ComputeAtResult{simplified(program, replaced(program->body, place, body)),
                         loops_by_depth(place.nest, place.loops)};
}

}  // namespace tenon::primitives
