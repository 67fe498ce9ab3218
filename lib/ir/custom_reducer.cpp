// What a reducer by functions has to be, and what is made of one.
#include "ir/reducer_trial.h"
#include "ir/settled.h"
#include "tenon/base/counted.h"
#include "tenon/base/macros.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

absl::Status wrong(const CustomReducer& reducer, const std::string& what) {
  return refuse("reducer " + reducer.name + ": " + what);
}

absl::Status check_numbers(const CustomReducer& r) {
  const size_t n = r.state.size();
  if (n == 0) return wrong(r, "its state has no values");
  const auto check = [&](size_t given, const std::string& of) {
    if (given == n) return absl::OkStatus();
    return wrong(
        r, "the state has " + counted(n, "value") + ", " + of + " has " + std::to_string(given));
  };
  TENON_RETURN_IF_ERROR(check(r.identity.size(), "the identity"));
  TENON_RETURN_IF_ERROR(check(r.update.size(), "update"));
  TENON_RETURN_IF_ERROR(check(r.other.size(), "the second state of combine"));
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
      const Binary* check = x.as<Binary>();
      if (x.is<Load>() || (check && check->op == BinaryOp::kCheck) || x.is<Reduce>() ||
          x.is<Ramp>() || x.is<Broadcast>()) {
        status =
            wrong(r, name + " reads memory, checks an index, reduces or has lanes: " + print(x));
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
  TENON_RETURN_IF_ERROR(check_numbers(r));
  TENON_RETURN_IF_ERROR(check_vars(r));
  for (size_t i = 0; i < r.state.size(); ++i) {
    if (r.identity[i].is<Const>() && r.identity[i].type() == r.state[i].type()) continue;
    return wrong(r, "value " + std::to_string(i) + " of the identity must be a constant of type " +
                        to_string(r.state[i].type()));
  }
  TENON_RETURN_IF_ERROR(check_functions(r, "update", r.update, r.element));
  return check_functions(r, "combine", r.combine, r.other);
}

}  // namespace

Reduction custom_reducer(CustomReducer functions) {
  functions.identity = settled(std::move(functions.identity));
  functions.update = settled(std::move(functions.update));
  functions.combine = settled(std::move(functions.combine));
  functions.status = check_form(functions);
  if (functions.status.ok()) {
    ReducerTrial trial(functions);
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
  // What combine promises, update then keeps: states come in any order.
  r.updates_commute = true;
  return Reduction(std::make_shared<const CustomReducer>(std::move(r)));
}

Expr identity_of(const Reduction& by, size_t number, Type type) {
  return by.functions() ? by.functions()->identity[number] : identity_of(by.op(), type);
}

size_t Reduction::results() const { return functions_ ? functions_->state.size() : 1; }

}  // namespace tenon
