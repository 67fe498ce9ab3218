#include "tenon/dsl/update.h"

#include <algorithm>

#include "dsl/definition.h"
#include "dsl/same_shape.h"
#include "dsl/space.h"
#include "tenon/base/counted.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The scatter with the types of the tensor; an Invalid says what is wrong with it.
struct Settled {
  Update::Scatter scatter;
  Expr wrong;
};

// What the values of an element are, in the types of the tensors or of the reducer.
Expr settle_values(const std::string& what, const std::vector<Tensor>& inits, const Scatter& s,
                   Update::Scatter& result) {
  const size_t n = inits.size();
  const CustomReducer* functions = s.by ? s.by->functions() : nullptr;
  if (s.by && s.by->results() != n) {
    return invalid(what + ": reducer " + (functions ? functions->name : name_of(s.by->op())) +
                   " has " + counted(s.by->results(), "result") + ", and " +
                   counted(n, "tensor is", "tensors are") + " updated");
  }
  result.values = s.values;
  if (functions) {
    if (const Expr wrong = dsl::settle_element(*functions, result.values); wrong.get()) {
      return wrong;
    }
    for (size_t i = 0; i < n; ++i) {
      if (inits[i].type() == functions->state[i].type()) continue;
      return invalid(what + ": result " + std::to_string(i) + " of reducer " + functions->name +
                     " has type " + to_string(functions->state[i].type()) + ", and " +
                     inits[i].name() + " has " + to_string(inits[i].type()));
    }
    return {};
  }
  // A function that could not be called says so.
  if (s.values.size() == 1 && s.values[0] && s.values[0].is<Invalid>()) return s.values[0];
  if (s.values.size() != n) {
    return invalid(what + ": the function returns " + counted(s.values.size(), "value") + " for " +
                   counted(n, "tensor"));
  }
  for (size_t i = 0; i < n; ++i) {
    const Expr& value = s.values[i];
    if (!value) return invalid(what + ": the function returns no expression");
    if (value.is<Invalid>()) return value;
    const Const* literal = value.as<Const>();
    if (value.type() != inits[i].type() && !(literal && literal->literal)) {
      return invalid(what + ": a value has type " + to_string(value.type()) + " and " +
                     inits[i].name() + " has " + to_string(inits[i].type()) + "; cast it");
    }
    if (s.by && inits[i].type().is_bool()) {
      return invalid(what + ": bool values are not combined; cast them to an integer first");
    }
    result.values[i] = cast(inits[i].type(), value);
  }
  return {};
}

// A function of the old value and the new one.
Expr settle_combine(const std::string& what, const std::vector<Tensor>& inits, const Scatter& s,
                    Update::Scatter& result) {
  const Tensor& init = inits.front();
  if (inits.size() != 1) {
    return invalid(what +
                   ": a function of old and new updates one tensor; several are updated by "
                   "a reducer");
  }
  result.old = Var("old", init.type());
  const Expr combined = s.combine(result.old, result.values[0]);
  if (!combined) return invalid(what + ": combine returns no expression");
  if (combined.is<Invalid>()) return combined;
  if (combined.type() != init.type()) {
    return invalid(what + ": combine gives " + to_string(combined.type()) + " and " + init.name() +
                   " has " + to_string(init.type()) + "; cast it");
  }
  const bool reduced =
      any_in(combined, [&](const Expr& e) { return e.is<Reduce>() && uses(e, result.old); });
  if (reduced) return invalid(what + ": combine reduces over the old value");
  result.values = {combined};
  return {};
}

Settled settle(const std::string& what, const std::vector<Tensor>& inits, const Scatter& s) {
  const auto wrong = [](Expr e) { return Settled{{}, std::move(e)}; };
  const Tensor& init = inits.front();
  dsl::Space space = s.space;
  if (const Expr e = dsl::settle_space(what, space); e.get()) return wrong(e);
  if (s.index.size() != init.rank()) {
    // A function that could not be called says so.
    if (s.index.size() == 1 && s.index[0].is<Invalid>()) return wrong(s.index[0]);
    return wrong(invalid(what + ": " + init.name() + " has " + counted(init.rank(), "dimension") +
                         " and the index has " + std::to_string(s.index.size())));
  }
  Update::Scatter result;
  for (int d = 0; d < s.index.size(); ++d) {
    const Expr& i = s.index[d];
    if (!i) return wrong(invalid(what + ": index " + std::to_string(d) + " is empty"));
    if (i.is<Invalid>()) return wrong(i);
    if (!i.type().is_int() || i.type().is_vector()) {
      return wrong(invalid(what + ": index " + std::to_string(d) + " has type " +
                           to_string(i.type()) + "; an index is an integer"));
    }
    result.indices.push_back(dsl::checked_index(cast(i64, i), init.size(d)));
  }
  if (const Expr e = settle_values(what, inits, s, result); e.get()) return wrong(e);
  if (s.combine) {
    if (const Expr e = settle_combine(what, inits, s, result); e.get()) return wrong(e);
  }
  result.axes = std::move(space.axes);
  result.condition = space.condition;
  result.by = s.by;
  return {std::move(result), Expr()};
}

// A mistake stands in place of the inits.
void add_scatters(const std::string& what, const std::vector<Tensor>& inits,
                  const std::vector<Scatter>& scatters, Update& whole) {
  for (const Scatter& s : scatters) {
    Settled settled = settle(what, inits, s);
    if (settled.wrong) {
      whole.inits.assign(inits.size(), settled.wrong);
      return;
    }
    whole.scatters.push_back(std::move(settled.scatter));
  }
}

Expr wrong_inits(const std::string& what, const std::vector<Tensor>& inits) {
  for (const Tensor& init : inits) {
    if (!init.buffer()) return invalid(what + ": an init was never defined");
    if (dsl::same_shape(init.shape(), inits.front().shape())) continue;
    return invalid(what + ": " + inits.front().name() + " is " +
                   dsl::shape_text(inits.front().type(), inits.front().shape()) + " and " +
                   init.name() + " is " + dsl::shape_text(init.type(), init.shape()) +
                   "; tensors that are updated together have one shape");
  }
  return {};
}

}  // namespace

namespace dsl {

std::vector<Tensor> update_together(const std::vector<std::string>& names,
                                    const std::vector<Tensor>& inits,
                                    const std::vector<Scatter>& scatters) {
  std::string what = "update ";
  for (const std::string& name : names) what += (what.back() == ' ' ? "" : ", ") + name;
  Update whole;
  whole.shape = inits.front().shape();
  const Index at = make_indices(whole.shape);
  for (const Expr& i : at) whole.vars.push_back(i.as<VarRef>()->var);
  for (const Tensor& init : inits) whole.types.push_back(init.buffer() ? init.type() : f32);
  if (const Expr wrong = wrong_inits(what, inits); wrong.get()) {
    whole.inits.assign(inits.size(), wrong);
  } else {
    for (const Tensor& init : inits) whole.inits.push_back(init(at));
    add_scatters(what, inits, scatters, whole);
  }
  const std::vector<Type> types = whole.types;
  return make_results(Recipe{std::move(whole)}, names, types);
}

}  // namespace dsl

Tensor update(std::string name, const Tensor& init, const std::vector<Scatter>& scatters) {
  return dsl::update_together({std::move(name)}, {init}, scatters)[0];
}

Tensor update(std::string name, const Tensor& init, const Scatter& scatter) {
  return update(std::move(name), init, std::vector<Scatter>{scatter});
}

Tensor update(const Tensor& state, const std::vector<Scatter>& scatters) {
  Update whole;
  whole.shape = state.shape();
  whole.types = {state.buffer() ? state.type() : f32};
  const Expr wrong = dsl::wrong_target(state);
  if (wrong) whole.inits = {wrong};
  if (!wrong) add_scatters("update of " + state.name(), {state}, scatters, whole);
  const Buffer into = whole.inits.empty() ? state.buffer() : Buffer();
  return dsl::written_in_place(state, Recipe{std::move(whole), into});
}

Tensor update(const Tensor& state, const Scatter& scatter) {
  return update(state, std::vector<Scatter>{scatter});
}

}  // namespace tenon
