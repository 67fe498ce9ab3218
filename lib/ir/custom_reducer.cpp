// What a reducer by functions has to keep: rules of form, and promises that are tried on values.
#include <cmath>

#include "ir/grammar.h"
#include "ir/settled.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/scalar_ops.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// --- Form.

absl::Status wrong(const CustomReducer& reducer, const std::string& what) {
  return refuse("reducer " + reducer.name + ": " + what);
}

absl::Status check_numbers(const CustomReducer& r) {
  const size_t n = r.state.size();
  if (n == 0) return wrong(r, "its state has no values");
  const auto check = [&](size_t given, const std::string& of) {
    if (given == n) return absl::OkStatus();
    return wrong(r, "the state has " + std::to_string(n) + (n == 1 ? " value" : " values") + ", " +
                        of + " has " + std::to_string(given));
  };
  if (absl::Status s = check(r.identity.size(), "the identity"); !s.ok()) return s;
  if (absl::Status s = check(r.update.size(), "update"); !s.ok()) return s;
  if (absl::Status s = check(r.other.size(), "the second state of combine"); !s.ok()) return s;
  return check(r.combine.size(), "combine");
}

absl::Status check_vars(const CustomReducer& r) {
  std::set<Var> seen;
  for (const auto* vars : {&r.state, &r.element, &r.other}) {
    for (const Var& var : *vars) {
      if (!var || var.type().is_vector()) return wrong(r, "a variable is null or has lanes");
      if (!seen.insert(var).second) return wrong(r, "variable " + var.name() + " stands twice");
    }
  }
  for (size_t i = 0; i < r.state.size(); ++i) {
    if (r.state[i].type() == r.other[i].type()) continue;
    return wrong(r, "the two states of combine differ in type: " + to_string(r.state[i].type()) +
                        " and " + to_string(r.other[i].type()));
  }
  return absl::OkStatus();
}

absl::Status check_functions(const CustomReducer& r, const std::string& name,
                             const std::vector<Expr>& values, const std::vector<Var>& second) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Expr& e = values[i];
    if (!e) return wrong(r, name + " has an empty expression");
    absl::Status status;
    walk(e, [&](const Expr& x) {
      const VarRef* ref = x.as<VarRef>();
      if (const Invalid* invalid = x.as<Invalid>()) status = wrong(r, invalid->message);
      if (x.is<Load>() || x.is<Reduce>() || x.is<Ramp>() || x.is<Broadcast>()) {
        status = wrong(r, name + " reads memory, reduces or has lanes: " + print(x));
      }
      if (ref && std::find(r.state.begin(), r.state.end(), ref->var) == r.state.end() &&
          std::find(second.begin(), second.end(), ref->var) == second.end()) {
        status = wrong(r, name + " uses " + ref->var.name() + ", which is not among its variables");
      }
    });
    if (!status.ok()) return status;
    if (e.type() == r.state[i].type()) continue;
    return wrong(r, "value " + std::to_string(i) + " of " + name + " has type " +
                        to_string(e.type()) + "; it must be " + to_string(r.state[i].type()));
  }
  return absl::OkStatus();
}

absl::Status check_form(const CustomReducer& r) {
  if (r.name.empty()) return refuse("a reducer has no name");
  if (absl::Status s = check_numbers(r); !s.ok()) return s;
  if (absl::Status s = check_vars(r); !s.ok()) return s;
  for (size_t i = 0; i < r.state.size(); ++i) {
    if (r.identity[i].is<Const>() && r.identity[i].type() == r.state[i].type()) continue;
    return wrong(r, "value " + std::to_string(i) + " of the identity must be a constant of type " +
                        to_string(r.state[i].type()));
  }
  if (absl::Status s = check_functions(r, "update", r.update, r.element); !s.ok()) return s;
  return check_functions(r, "combine", r.combine, r.other);
}

// --- Promises.

using State = std::vector<uint64_t>;

class Trial {
 public:
  explicit Trial(const CustomReducer& r) : r_(r) {
    for (const Expr& e : r.identity) identity_.push_back(e.as<Const>()->bits);
    int64_t size = 1;
    for (const auto* functions : {&r.update, &r.combine}) {
      for (const Expr& e : *functions) size += e.node().size;
    }
    rounds_ = static_cast<int>(std::clamp<int64_t>(kWork / size, kLeastRounds, kMostRounds));
  }

  // The first promise that does not hold.
  absl::Status promises() {
    for (int round = 0; round < rounds_; ++round) {
      last_ = 0;
      const State a = some_state(), b = some_state(), c = some_state(), e = some_element();
      if (absl::Status s = same(combine(identity_, a), a, "combine(identity, s) must be s", {a});
          !s.ok()) {
        return s;
      }
      if (absl::Status s =
              same(combine(a, b), combine(b, a), "combine must be commutative", {a, b});
          !s.ok()) {
        return s;
      }
      if (absl::Status s = same(combine(combine(a, b), c), combine(a, combine(b, c)),
                                "combine must be associative", {a, b, c});
          !s.ok()) {
        return s;
      }
      if (absl::Status s = same(update(a, e), combine(a, update(identity_, e)),
                                "update(s, e) must be combine(s, update(identity, e))", {a, e});
          !s.ok()) {
        return s;
      }
    }
    return absl::OkStatus();
  }

  // In any order means that integers fall and are equal, too.
  bool updates_commute() {
    rising_ = false;
    for (int round = 0; round < rounds_; ++round) {
      const State s = some_state(), e = some_element(), f = some_element();
      if (!close(update(update(s, e), f), update(update(s, f), e))) return false;
    }
    return true;
  }

 private:
  static constexpr int kMostRounds = 200, kLeastRounds = 4;
  static constexpr int kWork = 200'000;  // nodes of the functions times rounds

  State apply(const std::vector<Expr>& functions, const State& first, const std::vector<Var>& vars,
              const State& second) const {
    std::map<Var, uint64_t> values;
    for (size_t i = 0; i < first.size(); ++i) values[r_.state[i]] = first[i];
    for (size_t i = 0; i < second.size(); ++i) values[vars[i]] = second[i];
    State result;
    for (const Expr& e : functions) result.push_back(evaluate_bits(e, values).value_or(0));
    return result;
  }
  State update(const State& s, const State& e) const { return apply(r_.update, s, r_.element, e); }
  State combine(const State& a, const State& b) const { return apply(r_.combine, a, r_.other, b); }

  // --- Small floats, so that elements are equal now and then, and integers that rise as those of a
  // loop do: `update` may rely on that. The same ones in every run.

  uint32_t next(uint32_t below) {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(seed_ >> 33) % below;
  }
  State some_element() {
    State element;
    for (const Var& var : r_.element) {
      const Type type = var.type();
      if (type.is_float()) {
        element.push_back(bits_of_float(type, static_cast<double>(next(7)) / 2 - 1.5));
      } else {
        const int64_t small = next(type.is_bool() ? 2 : 3);
        element.push_back(bits_of_int(type, type.is_bool() || !rising_ ? small : ++last_));
      }
    }
    return element;
  }
  State some_state() {
    State state = identity_;
    for (uint32_t n = next(4); n > 0; --n) state = update(state, some_element());
    return state;
  }

  // --- Comparison, up to rounding.

  bool close(const State& a, const State& b) const {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!close(r_.state[i].type(), a[i], b[i])) return false;
    }
    return true;
  }
  static bool close(Type type, uint64_t a, uint64_t b) {
    if (a == b) return true;
    if (!type.is_float()) return false;
    const double x = float_of_bits(type, a), y = float_of_bits(type, b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    const double tolerance = type.is_small_float() ? 0.1 : 1e-4;
    return x == y || std::abs(x - y) <= tolerance * (1 + std::abs(x) + std::abs(y));
  }

  absl::Status same(const State& got, const State& expected, const std::string& promise,
                    const std::vector<State>& of) const {
    if (close(got, expected)) return absl::OkStatus();
    std::string where;
    for (const State& s : of) {
      where += (where.empty() ? "" : " and ") +
               text(s, s.size() == r_.state.size() && &s != &of.back() ? r_.state : vars_of(s));
    }
    return wrong(r_, promise + "; for " + where + " one side is " + text(got, r_.state) +
                         " and the other " + text(expected, r_.state));
  }
  // An element stands only last, and a state may have as many values.
  const std::vector<Var>& vars_of(const State& s) const {
    return s.size() == r_.element.size() && s.size() != r_.state.size() ? r_.element : r_.state;
  }
  static std::string text(const State& s, const std::vector<Var>& vars) {
    std::string result;
    for (size_t i = 0; i < s.size(); ++i) {
      result += (result.empty() ? "(" : ", ") + literal_text(vars[i].type(), s[i]);
    }
    return result + ")";
  }

  const CustomReducer& r_;
  State identity_;
  uint64_t seed_ = 1;
  int64_t last_ = 0;
  bool rising_ = true;
  int rounds_ = kMostRounds;
};

}  // namespace

Reduction custom_reducer(CustomReducer functions) {
  functions.identity = settled(std::move(functions.identity));
  functions.update = settled(std::move(functions.update));
  functions.combine = settled(std::move(functions.combine));
  functions.status = check_form(functions);
  if (functions.status.ok()) {
    Trial trial(functions);
    functions.status = trial.promises();
    functions.updates_commute = trial.updates_commute();
  }
  return Reduction(std::make_shared<const CustomReducer>(std::move(functions)));
}

Reduction of_states(const Reduction& by) {
  if (!by.functions() || !by.functions()->status.ok()) return by;
  CustomReducer r = *by.functions();
  r.name += "_states";
  r.element.clear();
  VarMap elements;
  for (const Var& var : r.other) {
    r.element.emplace_back(var.name(), var.type());
    elements.emplace(var, r.element.back());
  }
  r.update.clear();
  for (const Expr& e : r.combine) r.update.push_back(substitute(e, elements));
  return custom_reducer(std::move(r));
}

Expr identity_of(const Reduction& by, size_t number, Type type) {
  return by.functions() ? by.functions()->identity[number] : identity_of(by.op(), type);
}

size_t Reduction::results() const { return functions_ ? functions_->state.size() : 1; }

}  // namespace tenon
