#include "analysis/question.h"

#include <algorithm>

#include "tenon/ir/visit.h"

namespace tenon {
namespace {

LoopRange range_of(const For& loop) { return {loop.var, loop.lo, loop.hi}; }

bool in_range(const Expr& lo, const Expr& hi, const Var& var, const Values& values) {
  const std::optional<int64_t> value = evaluate(var, values);
  const std::optional<int64_t> least = evaluate(lo, values), end = evaluate(hi, values);
  return value && least && end && *least <= *value && *value < *end;
}

// The element that the access touches when its loops have these values; empty when it does not
// happen, or cannot be told.
std::optional<std::vector<int64_t>> element_at(const Access& x, Values values, const Values& own) {
  values.insert(values.end(), own.begin(), own.end());
  for (const For& loop : x.loops) {
    if (!in_range(loop.lo, loop.hi, loop.var, values)) return std::nullopt;
  }
  for (const Expr& guard : x.guards) {
    if (evaluate(guard, values) != 1) return std::nullopt;
  }
  std::vector<int64_t> element;
  for (const Expr& index : x.indices) {
    const std::optional<int64_t> value = evaluate(index, values);
    if (!value) return std::nullopt;
    element.push_back(*value);
  }
  return element;
}

bool mentions(const Access& x, const Var& var) {
  const auto in = [&](const Expr& e) { return uses(e, var); };
  return std::any_of(x.indices.begin(), x.indices.end(), in) ||
         std::any_of(x.guards.begin(), x.guards.end(), in) ||
         std::any_of(x.loops.begin(), x.loops.end(),
                     [&](const For& loop) { return in(loop.lo) || in(loop.hi); });
}

}  // namespace

Question::Question(const Access& a, const Access& b, const std::vector<Ordering>& directions,
                   const Facts& facts)
    : a_(a),
      b_(b),
      directions_(directions),
      facts_(facts),
      encoder_(facts),
      env_a_(encoder_.environment()),
      env_b_(encoder_.environment()) {}

void Question::fix(const Var& size, int64_t value) {
  const Row constant{{}, value};
  for (Environment* env : {&env_a_, &env_b_, &encoder_.outer()}) env->set(size, constant);
}

void Question::encode(const Case& guards_of_a, const Case& guards_of_b) {
  for (size_t i = 0; i < directions_.size(); ++i) add_common_loop(a_.loops[i], directions_[i]);
  add_rest(a_, guards_of_a, env_a_);
  add_rest(b_, guards_of_b, env_b_);
  for (size_t k = 0; k < a_.indices.size(); ++k) {
    encoder_.equate(a_.indices[k], env_a_, b_.indices[k], env_b_);
  }
}

// A loop in the same iteration is known outside of both environments, so that what depends on such
// loops alone (idx[i]) has one value in both.
void Question::add_equal_loop(const For& loop) {
  Environment bounds = env_a_;
  encoder_.outer().set(loop.var, encoder_.add_loop(range_of(loop), bounds));
  if (apart_) encoder_.add_range(range_of(loop), env_b_);
}

void Question::add_common_loop(const For& loop, Ordering direction) {
  if (direction == Ordering::kEqual) return add_equal_loop(loop);
  apart_ = true;
  const Row v = encoder_.add_loop(range_of(loop), env_a_);
  const Row d = row_of(difference(loop, direction));
  env_b_.set(loop.var, v + d);
  encoder_.add_range(range_of(loop), env_b_);
}

int Question::difference(const For& loop, Ordering direction) {
  std::optional<int64_t> least, most;
  const std::optional<int64_t> lo = as_int(loop.lo), hi = as_int(loop.hi);
  if (lo && hi) {
    most = *hi - *lo - 1;
    least = -*most;
  }
  if (direction == Ordering::kGreater) least = 1;
  if (direction == Ordering::kLess) most = -1;
  return encoder_.unknown(least, most);
}

void Question::add_rest(const Access& x, const Case& guards, Environment& env) {
  for (size_t i = directions_.size(); i < x.loops.size(); ++i) {
    encoder_.add_loop(range_of(x.loops[i]), env);
  }
  for (const Literal& guard : guards) encoder_.add_condition(guard.condition, guard.value, env);
}

bool Question::refuted() {
  encoder_.add_facts();
  const auto infeasible = [](const IntegerSystem& s) {
    return s.solve(false).answer == Answer::kNo;
  };
  if (infeasible(encoder_.system())) return true;
  if (!encoder_.has_choices()) return false;
  const std::vector<IntegerSystem> all = encoder_.systems();
  return std::all_of(all.begin(), all.end(), infeasible);
}

std::optional<Meeting> Question::witness() {
  encoder_.add_all_facts();
  for (const IntegerSystem& system : encoder_.systems()) {
    const IntegerSystem::Solution solution = system.solve();
    if (solution.answer != Answer::kYes) continue;
    if (auto meeting = confirmed(solution.witness)) return meeting;
  }
  return std::nullopt;
}

std::optional<Meeting> Question::confirmed(const std::vector<int64_t>& witness) {
  Values outer;
  for (const auto& [var, row] : encoder_.outer_values()) {
    outer.emplace_back(var, value_of(row, witness));
  }
  if (!confirm_facts(outer)) return std::nullopt;
  Meeting m;
  m.answer = Answer::kYes;
  m.a_values = loop_values(a_, env_a_, witness);
  m.b_values = loop_values(b_, env_b_, witness);
  const auto at_a = element_at(a_, outer, m.a_values);
  const auto at_b = element_at(b_, outer, m.b_values);
  if (!at_a || !at_b || *at_a != *at_b) return std::nullopt;
  m.element = *at_a;
  for (const auto& value : outer) {
    if (!facts_.is_fixed(value.first)) continue;
    if (mentions(a_, value.first) || mentions(b_, value.first)) m.sizes.push_back(value);
  }
  return m;
}

Values Question::loop_values(const Access& x, Environment& env,
                             const std::vector<int64_t>& witness) {
  Values values;
  for (const For& loop : x.loops) {
    values.emplace_back(loop.var, value_of(encoder_.row(loop.var, env), witness));
  }
  return values;
}

bool Question::confirm_facts(const Values& outer) const {
  for (const LoopRange& loop : facts_.loops()) {
    if (!in_range(loop.lo, loop.hi, loop.var, outer)) return false;
  }
  for (const Var& size : facts_.sizes()) {
    const std::optional<int64_t> value = evaluate(size, outer);
    if (value && *value < 0) return false;
  }
  return std::all_of(facts_.conditions().begin(), facts_.conditions().end(),
                     [&](const Expr& e) { return evaluate(e, outer) == 1; });
}

}  // namespace tenon
