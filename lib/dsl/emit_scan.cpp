// A recurrence: stores in a serial loop, its states in buffers around it.
//
//   for i in 0..m {
//     alloc total: f32[]
//     total[] = 0.0
//     for t in 0..n {
//       total[] = total[] + x[i, t]
//       y[i, t] = total[]
//     }
//   }
//
// A step reads the states as they were before it. So what it gives for a state is computed aside
// and copied at the end of the step, unless nothing after the nest that computes it reads the old
// state, and the nest itself reads it only at the element that it writes.
#include <algorithm>

#include "dsl/emit.h"
#include "dsl/hoist.h"
#include "dsl/in_place.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon::dsl {
namespace {

std::vector<Expr> exprs_of(const std::vector<Var>& vars) { return {vars.begin(), vars.end()}; }

class ScanEmitter {
 public:
  ScanEmitter(const Recipe& recipe, const Emission& emission)
      : scan_(std::get<Scan>(recipe.how)),
        emission_(emission),
        results_(emission.graph.results_of(recipe)),
        locals_(emission.graph.inside(&recipe)) {}

  std::vector<Stmt> run() {
    const Axes outer = box(scan_.outer_vars, scan_.outer);
    std::vector<Stmt> stmts;
    for (const Buffer& result : results_) {
      if (emission_.declared.count(result)) continue;
      stmts.push_back(alloc(result, whole_shape(result)));
    }
    std::vector<Stmt> body;
    for (const Scan::State& state : scan_.states) {
      if (state.buffer) start(state, body);
    }
    body.push_back(loop());
    copy_results(Scan::kLast, body);
    if (outer.empty()) {
      stmts.insert(stmts.end(), body.begin(), body.end());
    } else {
      stmts.push_back(nest(outer, seq(std::move(body))));
    }
    return stmts;
  }

 private:
  void start(const Scan::State& state, std::vector<Stmt>& body) {
    body.push_back(alloc(state.buffer, extents_of(box(state.vars, state.shape))));
    assign(state, state.buffer, exprs_of(state.vars), state.init, body);
  }

  Stmt loop() {
    std::vector<Stmt> body;
    copy_results(Scan::kBefore, body);
    BufferMap in_place;  // what is computed where a state is
    for (const Scan::State& state : scan_.states) {
      const Load* next = as_local(state);
      if (next && !in_place.count(next->buffer) && may_overwrite(state, next->buffer)) {
        in_place.emplace(next->buffer, state.buffer);
      }
    }
    for (const Recipe* local : locals_) {
      for (const Stmt& s : emit(*local, emission_)) {
        const Alloc* declared = s.as<Alloc>();
        if (!declared || !in_place.count(declared->buffer)) body.push_back(s);
      }
    }
    std::vector<Stmt> copies;
    for (size_t s = 0; s < scan_.states.size(); ++s) {
      const Scan::State& state = scan_.states[s];
      const Load* next = as_local(state);
      const auto computed = next ? in_place.find(next->buffer) : in_place.end();
      if (computed != in_place.end() && computed->second == state.buffer) continue;
      give(s, next != nullptr, body, copies);
    }
    body.insert(body.end(), copies.begin(), copies.end());
    copy_results(Scan::kAfter, body);
    Stmt all = substitute(seq(std::move(body)), in_place);
    const Var step("t", i64, Var::Use::kIndex);
    const Expr place = scan_.backward ? scan_.steps - 1 - Expr(step) : Expr(step);
    all = substitute(all, VarMap{{scan_.step, place}});
    return make_for(step, constant_int(i64, 0), scan_.steps, ForKind::kSerial, all);
  }

  // The next value of a state, or what a step gives besides. `ready`: a tensor of its own holds it.
  void give(size_t s, bool ready, std::vector<Stmt>& body, std::vector<Stmt>& copies) {
    const Scan::State& state = scan_.states[s];
    const std::vector<Expr> at = exprs_of(state.vars);
    if (!state.buffer) {
      for (const Buffer& result : results_) {
        if (result.definition()->result / 3 != s) continue;
        assign(state, result, place_of(result), state.next, body);
      }
      return;
    }
    if (ready) return assign(state, state.buffer, at, state.next, copies);
    bool alone = reads_only_at(state.next, state.buffer, state.vars);
    for (const Scan::State& other : scan_.states) {
      alone = alone && (&other == &state || !uses(other.next, state.buffer));
    }
    if (alone) return assign(state, state.buffer, at, state.next, body);
    const Buffer aside(free_name(state.name + "_next", emission_.names), state.buffer.type());
    body.push_back(alloc(aside, extents_of(box(state.vars, state.shape))));
    assign(state, aside, at, state.next, body);
    assign(state, state.buffer, at, load(aside, at), copies);
  }

  // The next value, when it is a tensor that the step computes.
  const Load* as_local(const Scan::State& state) const {
    const Load* next = state.next.as<Load>();
    if (!next || !state.buffer || !is_at(next->indices, state.vars)) return nullptr;
    const Definition* definition = next->buffer.definition().get();
    if (!definition || position_of(definition->recipe.get()) == locals_.size()) return nullptr;
    return next;
  }

  bool may_overwrite(const Scan::State& state, const Buffer& next) const {
    const Recipe* recipe = next.definition()->recipe.get();
    const Nest* own = std::get_if<Nest>(&recipe->how);
    if (!own || own->values.size() != 1) return false;
    if (!may_store_over(own->values[0], state.buffer, own->vars)) return false;
    for (const Scan::State& other : scan_.states) {
      if (uses(other.next, state.buffer)) return false;
    }
    const size_t position = position_of(recipe);
    for (const Recipe* reader : emission_.graph.order()) {
      if (reads(*reader, state.buffer) && position_of(reader) > position) return false;
    }
    return true;
  }

  // Among what the step computes itself; its size for everything else, scans inside included.
  size_t position_of(const Recipe* recipe) const {
    return static_cast<size_t>(std::find(locals_.begin(), locals_.end(), recipe) - locals_.begin());
  }

  void copy_results(Scan::When when, std::vector<Stmt>& body) {
    for (const Buffer& result : results_) {
      const size_t number = result.definition()->result;
      const Scan::State& state = scan_.states[number / 3];
      if (number % 3 != static_cast<size_t>(when) || !state.buffer) continue;
      assign(state, result, place_of(result), load(state.buffer, exprs_of(state.vars)), body);
    }
  }

  // For every element of a state: buffer[indices] = value.
  void assign(const Scan::State& state, const Buffer& buffer, std::vector<Expr> indices,
              const Expr& value, std::vector<Stmt>& body) {
    const Axes axes = box(state.vars, state.shape);
    Hoister hoister(state.name, emission_.names);
    hoister.enter(axes);
    const Expr settled = hoister.hoist(value);
    for (const Stmt& s : hoister.take()) body.push_back(s.is<Alloc>() ? s : with_fresh_names(s));
    body.push_back(with_fresh_names(nest(axes, store(buffer, std::move(indices), settled))));
  }

  std::vector<Expr> place_of(const Buffer& result) const {
    const size_t number = result.definition()->result;
    std::vector<Expr> place = exprs_of(scan_.outer_vars);
    if (number % 3 != Scan::kLast) place.emplace_back(scan_.step);
    for (const Var& var : scan_.states[number / 3].vars) place.emplace_back(var);
    return place;
  }

  static std::vector<Expr> whole_shape(const Buffer& result) {
    std::vector<Expr> shape;
    for (const Expr& extent : shape_of(*result.definition()->recipe, result.definition()->result)) {
      shape.push_back(cast(i64, extent));
    }
    return shape;
  }

  const Scan& scan_;
  const Emission& emission_;
  const std::vector<Buffer>& results_;
  const std::vector<const Recipe*> locals_;
};

}  // namespace

std::vector<Stmt> emit_scan(const Recipe& recipe, const Emission& emission) {
  return ScanEmitter(recipe, emission).run();
}

}  // namespace tenon::dsl
