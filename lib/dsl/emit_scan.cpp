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
//
// A step that is not taken stores nothing: every write of a step stands under its condition, which
// is kept aside where the step could change it. What bounds the axis, and no state, bounds the loop
// instead, if nobody asks for the states of the steps that are left out:
//
//   for t in 0..min(n, cast<i64>(lengths[i])) { ... }
#include <algorithm>
#include <set>

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
    const Part part = part_of_axis();
    copy_results(Scan::kBefore, body);
    const std::set<const Recipe*> asked = asked_first(part.conditions);
    for (const Recipe* local : locals_) {
      if (!asked.count(local)) continue;
      for (const Stmt& s : emit(*local, emission_)) body.push_back(s);
    }
    const std::vector<Expr> taken = taken_when(part.conditions, body);
    BufferMap in_place;  // what is computed where a state is
    for (const Scan::State& state : scan_.states) {
      const Load* next = as_local(state);
      if (!next || asked.count(next->buffer.definition()->recipe.get())) continue;
      if (!in_place.count(next->buffer) && may_overwrite(state, next->buffer)) {
        in_place.emplace(next->buffer, state.buffer);
      }
    }
    for (const Recipe* local : locals_) {
      if (asked.count(local)) continue;
      for (const Stmt& s : emit(*local, emission_)) {
        const Alloc* declared = s.as<Alloc>();
        if (!declared || !in_place.count(declared->buffer)) body.push_back(under(taken, s));
      }
    }
    std::vector<Stmt> copies;
    for (size_t s = 0; s < scan_.states.size(); ++s) {
      const Scan::State& state = scan_.states[s];
      if (!state.buffer) {
        give(s, taken, body);
        continue;
      }
      const Load* next = as_local(state);
      const auto computed = next ? in_place.find(next->buffer) : in_place.end();
      if (computed != in_place.end() && computed->second == state.buffer) continue;
      std::vector<Stmt> now;
      advance(state, next != nullptr, now, copies);
      for (const Stmt& stmt : now) body.push_back(under(taken, stmt));
    }
    for (const Stmt& stmt : copies) body.push_back(under(taken, stmt));
    copy_results(Scan::kAfter, body);
    Stmt all = substitute(seq(std::move(body)), in_place);
    all = substitute(all, VarMap{{scan_.step, part.place}});
    return make_for(part.range.var, part.range.lo, part.range.hi, ForKind::kSerial, all);
  }

  // The loop over the steps, the element of the axis that a step is, and what has to hold beyond
  // the bounds for a step to be taken (over that element).
  struct Part {
    LoopRange range;
    Expr place;
    std::vector<Expr> conditions;
  };

  Part part_of_axis() const {
    const Var step("t", i64, Var::Use::kIndex);
    const Expr place = scan_.backward ? scan_.steps - 1 - Expr(step) : Expr(step);
    Part part{{step, constant_int(i64, 0), scan_.steps}, place, {}};
    if (!scan_.where) return part;
    Expr bounding;
    const bool may_end = std::all_of(results_.begin(), results_.end(), [](const Buffer& result) {
      return result.definition()->result % 3 == Scan::kLast;
    });
    for (const Expr& condition : conjuncts_of(scan_.where)) {
      if (may_end && !changes(condition)) {
        bounding = bounding ? bounding & condition : condition;
      } else {
        part.conditions.push_back(condition);
      }
    }
    if (!bounding) return part;
    Hoister hoister(results_.front().name(), emission_.names);
    hoister.enter(box(scan_.outer_vars, scan_.outer));
    const Bounded bounds = bounded(
        {{step, scan_.steps}}, substitute(bounding, VarMap{{scan_.step, place}}), hoister.facts());
    part.range = bounds.axes.front().range;
    part.place = substitute(place, bounds.indices);
    // They are over the loop's variable already, which the substitution of the step leaves alone.
    part.conditions.insert(part.conditions.end(), bounds.conditions.begin(),
                           bounds.conditions.end());
    return part;
  }

  // What the step computes that the conditions need: it comes first, in every step.
  std::set<const Recipe*> asked_first(const std::vector<Expr>& conditions) const {
    std::set<const Recipe*> asked;
    const auto ask = [&](const Expr& e) {
      walk(e, [&](const Expr& x) {
        const Load* access = x.as<Load>();
        if (const Recipe* local = access ? local_of(access->buffer) : nullptr) asked.insert(local);
      });
    };
    for (const Expr& condition : conditions) ask(condition);
    for (size_t l = locals_.size(); l-- > 0;) {
      if (asked.count(locals_[l])) for_each_expr(*locals_[l], ask);
    }
    return asked;
  }

  // The recipe of a tensor that the step itself computes; null for everything else.
  const Recipe* local_of(const Buffer& buffer) const {
    const Definition* definition = buffer.definition().get();
    const Recipe* recipe = definition ? definition->recipe.get() : nullptr;
    return recipe && position_of(recipe) != locals_.size() ? recipe : nullptr;
  }

  // It reads what a step changes, or is itself a stage of the loop.
  bool changes(const Expr& condition) const {
    return any_in(condition, [&](const Expr& e) {
      const Load* access = e.as<Load>();
      if (!access) return e.is<Reduce>();
      if (local_of(access->buffer)) return true;
      return std::any_of(scan_.states.begin(), scan_.states.end(),
                         [&](const Scan::State& state) { return state.buffer == access->buffer; });
    });
  }

  // The conditions of the writes of a step: as they are, or one value that the step cannot change.
  std::vector<Expr> taken_when(const std::vector<Expr>& conditions, std::vector<Stmt>& body) {
    const auto may_change = [&](const Expr& condition) { return changes(condition); };
    if (std::none_of(conditions.begin(), conditions.end(), may_change)) return conditions;
    const Buffer taken(free_name(results_.front().name() + "_taken", emission_.names), boolean);
    Expr all = conditions.front();
    for (size_t c = 1; c < conditions.size(); ++c) all = all & conditions[c];
    body.push_back(alloc(taken, {}));
    Hoister hoister(taken.name(), emission_.names);
    const Expr settled = hoister.hoist(all);
    for (const Stmt& s : hoister.take()) body.push_back(s.is<Alloc>() ? s : with_fresh_names(s));
    body.push_back(store(taken, {}, settled));
    return {load(taken, {})};
  }

  // Every write of s where these hold. Bounds of a loop are evaluated before its body, and so stand
  // under them too where they are data.
  static Stmt under(const std::vector<Expr>& conditions, const Stmt& s) {
    if (conditions.empty()) return s;
    return rewrite_stmts(s, [&](const Stmt& t) {
      const For* loop = t.as<For>();
      const bool is_leaf = t.is<Store>() || t.is<Accumulate>() || t.is<Call>();
      const bool by_data = loop && (touches_memory(loop->lo) || touches_memory(loop->hi));
      return is_leaf || by_data ? guarded(conditions, t) : t;
    });
  }

  // What a step gives besides the states: zero where it is not taken.
  void give(size_t s, const std::vector<Expr>& taken, std::vector<Stmt>& body) {
    const Scan::State& state = scan_.states[s];
    Expr value = state.next;
    for (const Expr& condition : taken) {
      value = select(condition, value, constant_bits(state.next.type(), 0));
    }
    for (const Buffer& result : results_) {
      if (result.definition()->result / 3 != s) continue;
      assign(state, result, place_of(result), value, body);
    }
  }

  // The next value of a state. `ready`: a tensor of its own holds it.
  void advance(const Scan::State& state, bool ready, std::vector<Stmt>& body,
               std::vector<Stmt>& copies) {
    const std::vector<Expr> at = exprs_of(state.vars);
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
    return local_of(next->buffer) ? next : nullptr;
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
