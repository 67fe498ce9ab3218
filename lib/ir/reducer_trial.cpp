#include "ir/reducer_trial.h"

#include <algorithm>
#include <cmath>

#include "ir/grammar.h"
#include "tenon/base/macros.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

constexpr int64_t kMostRounds = 200, kLeastRounds = 4;
constexpr int64_t kWork = 200'000;  // operations of the functions times rounds

std::vector<Var> joined(std::vector<Var> first, const std::vector<Var>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Up to rounding.
bool close(Type type, uint64_t a, uint64_t b) {
  if (a == b) return true;
  if (!type.is_float()) return false;
  const double x = float_of_bits(type, a), y = float_of_bits(type, b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  const double tolerance = type.is_small_float() ? 0.1 : 1e-4;
  return x == y || std::abs(x - y) <= tolerance * (1 + std::abs(x) + std::abs(y));
}

}  // namespace

ReducerTrial::ReducerTrial(const CustomReducer& reducer)
    : reducer_(reducer),
      update_(*Tape::make(reducer.update, joined(reducer.state, reducer.element))),
      combine_(*Tape::make(reducer.combine, joined(reducer.state, reducer.other))) {
  for (const Expr& e : reducer.identity) identity_.push_back(e.as<Const>()->bits);
  const auto size = static_cast<int64_t>(1 + update_.operations() + combine_.operations());
  rounds_ = static_cast<int>(std::clamp(kWork / size, kLeastRounds, kMostRounds));
}

absl::Status ReducerTrial::promises() {
  rising_ = true;
  const std::vector<Var>& vars = reducer_.state;
  for (int round = 0; round < rounds_; ++round) {
    last_ = 0;
    const State a = some_state(), b = some_state(), c = some_state(), e = some_element();
    const Shown s{a, vars}, t{b, vars}, u{c, vars}, element{e, reducer_.element};
    TENON_RETURN_IF_ERROR(same(combine(identity_, a), a, "combine(identity, s) must be s", {s}));
    TENON_RETURN_IF_ERROR(
        same(combine(a, b), combine(b, a), "combine must be commutative", {s, t}));
    TENON_RETURN_IF_ERROR(same(combine(combine(a, b), c), combine(a, combine(b, c)),
                               "combine must be associative", {s, t, u}));
    TENON_RETURN_IF_ERROR(same(update(a, e), combine(a, update(identity_, e)),
                               "update(s, e) must be combine(s, update(identity, e))",
                               {s, element}));
  }
  return absl::OkStatus();
}

// In any order means that integers fall and are equal, too.
bool ReducerTrial::updates_commute() {
  rising_ = false;
  for (int round = 0; round < rounds_; ++round) {
    const State s = some_state(), e = some_element(), f = some_element();
    if (!close(update(update(s, e), f), update(update(s, f), e))) return false;
  }
  return true;
}

ReducerTrial::State ReducerTrial::run(Tape& tape, State first, const State& second) {
  first.insert(first.end(), second.begin(), second.end());
  return tape.run(first);
}

// --- Small floats, so that elements are equal now and then, and integers that rise as those of a
// loop do: `update` may rely on that. The same ones in every run.

uint32_t ReducerTrial::next(uint32_t below) {
  seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
  return static_cast<uint32_t>(seed_ >> 33) % below;
}

ReducerTrial::State ReducerTrial::some_element() {
  State element;
  for (const Var& var : reducer_.element) {
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

ReducerTrial::State ReducerTrial::some_state() {
  State state = identity_;
  for (uint32_t n = next(4); n > 0; --n) state = update(state, some_element());
  return state;
}

bool ReducerTrial::close(const State& a, const State& b) const {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!tenon::close(reducer_.state[i].type(), a[i], b[i])) return false;
  }
  return true;
}

absl::Status ReducerTrial::same(const State& a, const State& b, const std::string& promise,
                                const std::vector<Shown>& of) const {
  if (close(a, b)) return absl::OkStatus();
  std::string where;
  for (const Shown& shown : of) where += (where.empty() ? "" : " and ") + text(shown);
  return refuse("reducer " + reducer_.name + ": " + promise + "; for " + where + " one side is " +
                text({a, reducer_.state}) + " and the other " + text({b, reducer_.state}));
}

std::string ReducerTrial::text(const Shown& shown) {
  std::string result;
  for (size_t i = 0; i < shown.values.size(); ++i) {
    result += (result.empty() ? "(" : ", ") + literal_text(shown.vars[i].type(), shown.values[i]);
  }
  return result.empty() ? "()" : result + ")";
}

}  // namespace tenon
