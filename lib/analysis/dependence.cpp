#include "tenon/analysis/dependence.h"

#include <algorithm>

#include "analysis/encode.h"
#include "analysis/evaluate.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

LoopRange range_of(const For& loop) { return {loop.var, loop.lo, loop.hi}; }

// The directions to ask about: one per common loop. Empty when the accesses cannot be apart in
// this way: by a loop that they do not share, or in two iterations that have a buffer each.
std::optional<std::vector<Direction>> effective(const Access& a, size_t common,
                                                std::vector<Direction> directions) {
  const auto apart = [](Direction d) { return d == Direction::kLess || d == Direction::kGreater; };
  for (size_t i = 0; i < directions.size(); ++i) {
    const bool separates = i >= common || (a.home && i < *a.home);
    if (separates && apart(directions[i])) return std::nullopt;
  }
  directions.resize(common, Direction::kAny);
  if (a.home) std::fill_n(directions.begin(), std::min(*a.home, common), Direction::kEqual);
  return directions;
}

// Is there a v and a d? As an integer system.
class Question {
 public:
  Question(const Access& a, const Access& b, const std::vector<Direction>& directions,
           const Facts& facts)
      : a_(a),
        b_(b),
        facts_(facts),
        directions_(directions),
        encoder_(facts),
        env_a_(encoder_.environment()),
        env_b_(encoder_.environment()) {}

  // Gives a size (or scalar) this value. Before anything else.
  void fix(const Var& size, int64_t value) {
    const Row constant{{}, value};
    for (Environment* env : {&env_a_, &env_b_, &encoder_.outer()}) env->set(size, constant);
  }

  void encode() {
    for (size_t i = 0; i < directions_.size(); ++i) add_common_loop(a_.loops[i], directions_[i]);
    add_rest(a_, env_a_);
    add_rest(b_, env_b_);
    for (size_t k = 0; k < a_.indices.size(); ++k) {
      encoder_.equate(a_.indices[k], env_a_, b_.indices[k], env_b_);
    }
  }

  bool refuted() {
    encoder_.add_facts();
    return encoder_.system().solve(false).answer == Answer::kNo;
  }

  // A solution that evaluation confirms.
  std::optional<Meeting> witness() {
    encoder_.add_all_facts();
    const IntegerSystem::Solution solution = encoder_.system().solve();
    if (solution.answer != Answer::kYes) return std::nullopt;
    Values outer;
    for (const auto& [var, row] : encoder_.outer_values()) {
      outer.emplace_back(var, value_of(row, solution.witness));
    }
    Meeting m;
    m.answer = Answer::kYes;
    m.a_values = loop_values(a_, env_a_, solution.witness);
    m.b_values = loop_values(b_, env_b_, solution.witness);
    if (!confirm_facts(outer)) return std::nullopt;
    const auto at_a = confirm(a_, outer, m.a_values);
    const auto at_b = confirm(b_, outer, m.b_values);
    if (!at_a || !at_b || *at_a != *at_b) return std::nullopt;
    m.element = *at_a;
    for (const auto& value : outer) {
      if (facts_.is_fixed(value.first) && (mentions(a_, value.first) || mentions(b_, value.first))) {
        m.sizes.push_back(value);
      }
    }
    return m;
  }

  const std::vector<Expr>& open() const { return encoder_.open(); }

 private:
  // Loops in the same iteration are known outside of both environments, so that what depends on
  // them alone (idx[i]) has one value in both.
  void add_equal_loop(const For& loop) {
    Environment bounds = env_a_;
    encoder_.outer().set(loop.var, encoder_.add_loop(range_of(loop), bounds));
    if (apart_) encoder_.add_range(range_of(loop), env_b_);
  }

  void add_common_loop(const For& loop, Direction direction) {
    if (direction == Direction::kEqual) return add_equal_loop(loop);
    apart_ = true;
    const Row v = encoder_.add_loop(range_of(loop), env_a_);
    const Row d = row_of(difference(loop, direction));
    env_b_.set(loop.var, v + d);
    encoder_.add_range(range_of(loop), env_b_);
  }

  int difference(const For& loop, Direction direction) {
    std::optional<int64_t> least, most;
    const std::optional<int64_t> lo = as_int(loop.lo), hi = as_int(loop.hi);
    if (lo && hi) {
      most = *hi - *lo - 1;
      least = -*most;
    }
    if (direction == Direction::kGreater) least = 1;
    if (direction == Direction::kLess) most = -1;
    return encoder_.unknown(least, most);
  }

  void add_rest(const Access& x, Environment& env) {
    for (size_t i = directions_.size(); i < x.loops.size(); ++i) {
      encoder_.add_loop(range_of(x.loops[i]), env);
    }
    for (const Expr& guard : x.guards) encoder_.add_condition(guard, true, env);
  }

  // --- Witnesses.

  Values loop_values(const Access& x, Environment& env, const std::vector<int64_t>& witness) {
    Values values;
    for (const For& loop : x.loops) {
      values.emplace_back(loop.var, value_of(encoder_.row(loop.var, env), witness));
    }
    return values;
  }

  static bool in_range(const Expr& lo, const Expr& hi, const Var& var, const Values& values) {
    const std::optional<int64_t> value = evaluate(var, values);
    const std::optional<int64_t> least = evaluate(lo, values), end = evaluate(hi, values);
    return value && least && end && *least <= *value && *value < *end;
  }

  bool confirm_facts(const Values& outer) const {
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

  // The element that the access touches when its loops have these values; empty when it does not
  // happen, or cannot be told.
  static std::optional<std::vector<int64_t>> confirm(const Access& x, Values values,
                                                     const Values& own) {
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

  static bool mentions(const Access& x, const Var& var) {
    const auto in = [&](const Expr& e) { return uses(e, var); };
    return std::any_of(x.indices.begin(), x.indices.end(), in) ||
           std::any_of(x.guards.begin(), x.guards.end(), in) ||
           std::any_of(x.loops.begin(), x.loops.end(),
                       [&](const For& loop) { return in(loop.lo) || in(loop.hi); });
  }

  const Access& a_;
  const Access& b_;
  const Facts& facts_;
  const std::vector<Direction>& directions_;
  Encoder encoder_;
  Environment env_a_, env_b_;
  bool apart_ = false;  // some common loop is in two iterations
};

// The sizes that get a value for a witness, all the same one.
constexpr int64_t kSizesToTry[] = {2, 3, 4, 1, 5, 6, 7};

std::optional<Meeting> find_witness(const Access& a, const Access& b,
                                    const std::vector<Direction>& directions, const Facts& facts) {
  for (int64_t value : kSizesToTry) {
    if (facts.sizes().empty()) break;
    Question question(a, b, directions, facts);
    for (const Var& size : facts.sizes()) question.fix(size, value);
    question.encode();
    if (std::optional<Meeting> found = question.witness()) return found;
  }
  Question question(a, b, directions, facts);
  question.encode();
  return question.witness();
}

size_t count_common(const Access& a, const Access& b) {
  size_t n = 0;
  while (n < a.loops.size() && n < b.loops.size() && a.loops[n].var == b.loops[n].var) ++n;
  return n;
}

}  // namespace

std::vector<For> common_loops(const Access& a, const Access& b) {
  const auto end = a.loops.begin() + static_cast<std::ptrdiff_t>(count_common(a, b));
  return {a.loops.begin(), end};
}

bool never_meet(const Access& a, const Access& b, const std::vector<Direction>& directions,
                const Facts& facts) {
  const auto asked = effective(a, count_common(a, b), directions);
  if (!asked) return true;
  Question question(a, b, *asked, facts);
  question.encode();
  return question.refuted();
}

Meeting meet(const Access& a, const Access& b, const std::vector<Direction>& directions,
             const Facts& facts) {
  Meeting result;
  result.answer = Answer::kNo;
  const auto asked = effective(a, count_common(a, b), directions);
  if (!asked) return result;
  Question question(a, b, *asked, facts);
  question.encode();
  if (question.refuted()) return result;
  if (auto found = find_witness(a, b, *asked, facts)) return *std::move(found);
  result.answer = Answer::kUnknown;
  result.open = question.open();
  return result;
}

bool commute(const Access& a, const Access& b, bool exact) {
  if (a.kind == Access::Kind::kRead && b.kind == Access::Kind::kRead) return true;
  if (a.kind != Access::Kind::kAccumulate || b.kind != Access::Kind::kAccumulate) return false;
  if (a.reducer != b.reducer) return false;
  const bool selects = *a.reducer == Reducer::kMax || *a.reducer == Reducer::kMin;
  return !exact || selects || a.buffer.type().is_int() || a.buffer.type().is_bool();
}

}  // namespace tenon
