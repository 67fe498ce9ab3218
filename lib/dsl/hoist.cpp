#include "dsl/hoist.h"

#include <algorithm>

#include "dsl/emit.h"
#include "dsl/space.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/reducer.h"

namespace tenon::dsl {
namespace {

const char* name_of_stage(Reducer op) {
  constexpr const char* kNames[] = {"sum", "prod", "max", "min"};
  return kNames[static_cast<size_t>(op)];
}

bool same(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr& x, const Expr& y) { return equal(x, y); });
}

Expr all_of(const std::vector<Expr>& conditions) {
  Expr all = conditions.front();
  for (size_t c = 1; c < conditions.size(); ++c) all = all & conditions[c];
  return all;
}

// The value with other variables, its indices simplified.
Expr with_indices(const Expr& e, const VarMap& indices, const Facts& facts) {
  return rewrite(substitute(e, indices), [&](const Expr& x) {
    const Load* access = x.as<Load>();
    if (!access) return x;
    std::vector<Expr> simple;
    for (const Expr& index : access->indices) simple.push_back(simplify(index, facts));
    return load(access->buffer, std::move(simple), access->mask);
  });
}

}  // namespace

Axes box(const std::vector<Var>& vars, const std::vector<Expr>& shape) {
  Axes axes;
  for (size_t d = 0; d < vars.size(); ++d) {
    const Expr extent = cast(i64, shape[d]);
    axes.push_back({{vars[d], constant_int(i64, 0), extent}, extent});
  }
  return axes;
}

std::vector<Expr> indices_of(const Axes& axes) {
  std::vector<Expr> indices;
  for (const Bounded::Axis& axis : axes) indices.emplace_back(axis.range.var);
  return indices;
}

std::vector<Expr> extents_of(const Axes& axes) {
  std::vector<Expr> extents;
  for (const Bounded::Axis& axis : axes) extents.push_back(axis.extent);
  return extents;
}

Stmt nest(const Axes& axes, Stmt body) {
  for (size_t d = axes.size(); d-- > 0;) {
    const LoopRange& range = axes[d].range;
    body = make_for(range.var, range.lo, range.hi, ForKind::kSerial, body);
  }
  return body;
}

Stmt guarded(const std::vector<Expr>& conditions, Stmt s) {
  for (size_t c = conditions.size(); c-- > 0;) s = make_if(conditions[c], s);
  return s;
}

Facts Hoister::facts() const {
  Facts facts;
  std::set<Var> known;
  for (const Bounded::Axis& axis : scope_) {
    for (const Expr& bound : {axis.range.lo, axis.range.hi}) {
      for (const Var& var : free_vars(bound)) {
        const bool size = var.use() == Var::Use::kAny && var.type() == i64;
        if (size && known.insert(var).second) facts = facts.with_size(var);
      }
    }
    facts = facts.inside(axis.range);
    known.insert(axis.range.var);
  }
  return facts;
}

Expr Hoister::hoist(const Expr& e) {
  if (const Reduce* reduce = e.as<Reduce>()) return hoist_reduction(e, *reduce);
  if (const Select* choice = e.as<Select>()) return hoist_select(e, *choice);
  return map_children(e, [&](const Expr& child) { return hoist(child); });
}

Expr Hoister::hoist_under(const std::vector<Expr>& conditions, const Expr& e) {
  conditions_.insert(conditions_.end(), conditions.begin(), conditions.end());
  const Expr hoisted = hoist(e);
  conditions_.resize(conditions_.size() - conditions.size());
  return hoisted;
}

// An arm runs only under its condition, and so do the reductions in it.
Expr Hoister::hoist_select(const Expr& e, const Select& choice) {
  const Expr condition = hoist(choice.condition);
  conditions_.push_back(condition);
  const Expr on_true = hoist(choice.on_true);
  conditions_.back() = unary(UnaryOp::kNot, condition);
  const Expr on_false = hoist(choice.on_false);
  conditions_.pop_back();
  if (condition.get() == choice.condition.get() && on_true.get() == choice.on_true.get() &&
      on_false.get() == choice.on_false.get()) {
    return e;
  }
  return make_select(condition, on_true, on_false);
}

Expr Hoister::hoist_reduction(const Expr& e, const Reduce& reduce) {
  // The same reduction used twice in one place is one stage, and so are its results.
  const auto result = static_cast<size_t>(reduce.result);
  for (const Done& done : done_) {
    if (same_reduction(*done.reduce.as<Reduce>(), reduce) && same(done.conditions, conditions_)) {
      return load(done.buffers[result], done.indices);
    }
  }
  const std::vector<Expr> conditions = conditions_;
  const Axes axes = used_axes(e, conditions);
  const std::vector<Expr> indices = indices_of(axes);
  // What the value reads is read under the same conditions, reductions in it included.
  const std::vector<Buffer> buffers = result_buffers(reduce);
  const Axes scope = std::exchange(scope_, axes);
  const Stmt whole = nest(axes, loops(buffers, indices, reduce, conditions));
  scope_ = scope;
  for (const Buffer& buffer : buffers) stages_.push_back(alloc(buffer, extents_of(axes)));
  stages_.push_back(whole);
  done_.push_back({e, conditions, buffers, indices});
  return load(buffers[result], indices);
}

Stmt Hoister::reduction(const std::vector<Buffer>& buffers, const Reduce& reduce, const Expr& e) {
  const std::vector<Expr> indices = indices_of(scope_);
  done_.push_back({e, {}, buffers, indices});
  return loops(buffers, indices, reduce, {});
}

Stmt Hoister::loops(const std::vector<Buffer>& buffers, const std::vector<Expr>& indices,
                    const Reduce& reduce, const std::vector<Expr>& conditions) {
  std::vector<ReduceAxis> axes = reduce.axes;
  for (ReduceAxis& axis : axes) axis.extent = hoist(axis.extent);
  const Bounded part = bounded(axes, condition_of(reduce), facts());
  enter(part.axes);
  std::vector<Expr> left_out;
  for (const Expr& condition : part.conditions) left_out.push_back(hoist(condition));
  std::vector<Expr> values;
  const bool by_functions = reduce.by.functions() != nullptr;
  for (const Expr& element : element_of(reduce)) {
    Expr value = part.indices.empty() ? element : with_indices(element, part.indices, facts());
    value = hoist_under(left_out, value);
    // Functions have no element that changes nothing: their update is left out instead.
    if (!left_out.empty() && !by_functions) {
      value = select(all_of(left_out), value, identity_of(reduce.by.op(), value.type()));
    }
    values.push_back(value);
  }
  leave(part.axes);
  std::vector<Stmt> stmts;
  for (size_t b = 0; b < buffers.size(); ++b) {
    const Expr identity = identity_of(reduce.by, b, buffers[b].type());
    stmts.push_back(guarded(conditions, store(buffers[b], indices, identity)));
  }
  Stmt update = accumulate(buffers, indices, reduce.by, std::move(values));
  if (by_functions) update = guarded(left_out, update);
  Stmt whole = nest(part.axes, guarded(conditions, update));
  const bool bounded_by_data =
      std::any_of(part.axes.begin(), part.axes.end(), [](const Bounded::Axis& axis) {
        return touches_memory(axis.range.lo) || touches_memory(axis.range.hi);
      });
  if (bounded_by_data) whole = guarded(conditions, whole);
  stmts.push_back(whole);
  return seq(std::move(stmts));
}

bool Hoister::same_reduction(const Reduce& a, const Reduce& b) {
  return a.by == b.by && same(a.values, b.values) &&
         std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(),
                    [](const ReduceAxis& x, const ReduceAxis& y) { return x.var == y.var; });
}

std::vector<Buffer> Hoister::result_buffers(const Reduce& reduce) {
  if (!reduce.by.functions()) {
    return {Buffer(stage_name(name_of_stage(reduce.by.op())), reduce.values[0].type())};
  }
  std::vector<Buffer> buffers;
  for (const Var& result : reduce.by.functions()->state) {
    buffers.emplace_back(stage_name(result.name()), result.type());
  }
  return buffers;
}

// The enclosing indices that the reduction needs: those in its value, in its conditions, and in
// the bounds of those.
Axes Hoister::used_axes(const Expr& e, const std::vector<Expr>& conditions) const {
  std::set<Var> used = free_vars(e);
  for (const Expr& condition : conditions) used.merge(free_vars(condition));
  Axes axes;
  for (size_t d = scope_.size(); d-- > 0;) {
    if (!used.count(scope_[d].range.var)) continue;
    axes.push_back(scope_[d]);
    used.merge(free_vars(scope_[d].range.lo));
    used.merge(free_vars(scope_[d].range.hi));
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

std::string Hoister::stage_name(const std::string& result) {
  return free_name(owner_ + "_" + result, taken_);
}

std::vector<Stmt> Hoister::take() { return std::exchange(stages_, {}); }

}  // namespace tenon::dsl
