// Reductions by functions of the user's own, on one or several values.
//
//   Var best("best", f32), at("at", i64), v("v", f32), j("j"), best2("best2", f32), at2("at2",
//   i64); Expr better = best < v, other = (best < best2) | ((best == best2) & (at2 < at));
//   Reduction argmax = custom_reducer({"argmax", {-inf, -1}, {best, at}, {v, j},
//                                      {select(better, v, best), select(better, j, at)},
//                                      {best2, at2}, {select(other, best2, best), ...}});
//
// `update` takes a state and an element, in the order of the loops; `combine` takes two states, and
// is what lanes and partial results meet by. The promises are those of a monoid:
//
//   combine(identity, s) = combine(s, identity) = s         combine is associative
//   update(s, e) = combine(s, update(identity, e))          and commutative
//
// up to rounding, for every state that elements lead to, in the order of the loops. They cannot be
// proved: many small states are tried, and a reducer that breaks a promise for one of them is
// refused with the values that show it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/expr.h"

namespace tenon {

struct CustomReducer {
  std::string name;
  std::vector<Expr> identity;  // constants, one per value of the state
  std::vector<Var> state;
  std::vector<Var> element;
  std::vector<Expr> update;   // the next state, over state and element
  std::vector<Var> other;     // a second state
  std::vector<Expr> combine;  // over state and other

  // --- Found out by custom_reducer.

  // Not ok: not well formed (types, numbers, only its own variables, no memory), or it breaks a
  // promise. Whatever uses it is then refused with this.
  absl::Status status;
  // Whether `update` may take elements in any order. Not for an argmax whose update is v > best:
  // it takes the first of equal elements because they come in order.
  bool updates_commute = false;
};

Reduction custom_reducer(CustomReducer functions);

// The same reduction with states for elements: `update` is `combine`. An operator is its own.
Reduction of_states(const Reduction& by);
// The value of result `number` that changes nothing; `type` is that of an operator's value.
Expr identity_of(const Reduction& by, size_t number, Type type);

}  // namespace tenon
