#include "tenon/analysis/facts.h"

#include <algorithm>

#include "analysis/bounds.h"
#include "analysis/inspect.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {

template <class Change>
Facts Facts::with(Change change) const {
  Fixed fixed = fixed_ ? *fixed_ : Fixed{};
  change(fixed);
  Facts result = *this;
  result.fixed_ = std::make_shared<const Fixed>(std::move(fixed));
  return result;
}

Facts Facts::with_size(const Var& size) const {
  if (is_size(size)) return *this;
  return with([&](Fixed& fixed) { fixed.sizes.push_back(size); });
}

Facts Facts::with_fixed(const Var& scalar) const {
  return with([&](Fixed& fixed) { fixed.scalars.push_back(scalar); });
}

Facts Facts::with_fixed(const Buffer& buffer) const {
  return with([&](Fixed& fixed) { fixed.buffers.push_back(buffer); });
}

std::vector<LoopRange> ranges_of(const std::vector<For>& loops) {
  std::vector<LoopRange> ranges;
  ranges.reserve(loops.size());
  for (const For& loop : loops) ranges.push_back({loop.var, loop.lo, loop.hi});
  return ranges;
}

Facts Facts::inside(const For& loop) const { return inside(LoopRange{loop.var, loop.lo, loop.hi}); }

Facts Facts::inside(const LoopRange& range) const {
  Facts result = *this;
  // What was read from memory is a number without a name by the time the body runs. The rest of a
  // bound says what it always said, and so does the range of the whole.
  std::vector<std::pair<Expr, Expr>> numbers;
  const auto number_for = [&](const Expr& e) {
    const Load* l = e.as<Load>();
    if (!l || is_fixed(l->buffer)) return e;
    for (const auto& [read, number] : numbers) {
      if (equal(read, e)) return number;
    }
    return numbers.emplace_back(e, Var("unknown", e.type())).second;
  };
  const auto lasting = [&](const Expr& bound) {
    if (lasts(bound)) return bound;
    const Expr left = rewrite(bound, number_for);
    const Span span = span_of(bound, *this);
    const auto at = [](int64_t n) { return constant_int(i64, n); };
    if (span.lo && *span.lo != kInt64Min) result.push(binary(BinaryOp::kLe, at(*span.lo), left));
    if (span.hi && *span.hi != kInt64Max) result.push(binary(BinaryOp::kLe, left, at(*span.hi)));
    return left;
  };
  result.loops_.push_back({range.var, lasting(range.lo), lasting(range.hi)});
  const LoopRange& added = result.loops_.back();
  result.loop_masks_.push_back(mask_of(added.var) | vars_mask(added.lo) | vars_mask(added.hi));
  return result;
}

Facts Facts::given(const Expr& condition) const {
  Facts result = *this;
  result.add(condition, true);
  return result;
}

// Takes conjunctions apart and moves negations to the leaves.
void Facts::add(const Expr& condition, bool value) {
  if (const Unary* negation = as_not(condition)) return add(negation->a, !value);
  if (const Binary* b = as_bool(condition, value ? BinaryOp::kBitAnd : BinaryOp::kBitOr)) {
    add(b->a, value);
    add(b->b, value);
    return;
  }
  if (value) return push(condition);
  const Binary* comparison = condition.as<Binary>();
  const Expr opposite = comparison ? negated_comparison(*comparison) : Expr();
  push(opposite ? opposite : unary(UnaryOp::kNot, condition));
}

void Facts::push(Expr condition) {
  if (condition.is<Const>() || !lasts(condition)) return;
  for (const Expr& known : conditions_) {
    if (equal(known, condition)) return;
  }
  condition_masks_.push_back(vars_mask(condition));
  conditions_.push_back(std::move(condition));
}

Facts Facts::bound(const Bind& bind) const {
  Facts result = *this;
  result.names_.push_back(bind.var);
  if (bind.value.type() == i64) result.push(binary(BinaryOp::kEq, bind.var, bind.value));
  return result;
}

bool Facts::lasts(const Expr& e) const {
  return !any_in(e, [&](const Expr& x) {
    const Load* l = x.as<Load>();
    return l && !is_fixed(l->buffer);
  });
}

const std::vector<Var>& Facts::sizes() const {
  static const std::vector<Var> none;
  return fixed_ ? fixed_->sizes : none;
}

const LoopRange* Facts::range_of(const Var& var) const {
  for (auto range = loops_.rbegin(); range != loops_.rend(); ++range) {
    if (range->var == var) return &*range;
  }
  return nullptr;
}

namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

bool Facts::is_size(const Var& var) const { return fixed_ && contains(fixed_->sizes, var); }

bool Facts::is_fixed(const Var& scalar) const {
  return fixed_ && (contains(fixed_->sizes, scalar) || contains(fixed_->scalars, scalar));
}

bool Facts::knows(const Var& var) const {
  return range_of(var) || contains(names_, var) || is_fixed(var);
}

bool Facts::is_fixed(const Buffer& buffer) const {
  return fixed_ && contains(fixed_->buffers, buffer);
}

Facts facts_of(const Program& program) {
  Facts facts;
  for (const Var& size : program->sizes) facts = facts.with_size(size);
  for (const Param& param : program->params) {
    if (param.role == Role::kScalar) facts = facts.with_fixed(param.scalar);
    if (param.role == Role::kInput || param.role == Role::kWeight) {
      facts = facts.with_fixed(param.buffer);
    }
  }
  for (const Table& table : program->tables) facts = facts.with_fixed(table.buffer);
  for (const Expr& requirement : program->requirements) facts = facts.given(requirement);
  return facts;
}

}  // namespace tenon
