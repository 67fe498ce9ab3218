#include "tenon/dsl/update.h"

#include "dsl/definition.h"
#include "dsl/space.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The scatter with the types of the tensor; an Invalid says what is wrong with it.
struct Settled {
  Update::Scatter scatter;
  Expr wrong;
};

Settled settle(const std::string& what, const Tensor& init, const Scatter& s) {
  const auto wrong = [](Expr e) { return Settled{{}, std::move(e)}; };
  dsl::Space space = s.space;
  if (const Expr e = dsl::settle_space(what, space); e.get()) return wrong(e);
  if (s.index.size() != init.rank()) {
    // A function that could not be called says so.
    if (s.index.size() == 1 && s.index[0].is<Invalid>()) return wrong(s.index[0]);
    return wrong(invalid(what + ": " + init.name() + " has " + std::to_string(init.rank()) +
                         (init.rank() == 1 ? " dimension" : " dimensions") + " and the index has " +
                         std::to_string(s.index.size())));
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
  if (!s.value) return wrong(invalid(what + ": the function returns no expression"));
  if (s.value.is<Invalid>()) return wrong(s.value);
  const Const* literal = s.value.as<Const>();
  if (s.value.type() != init.type() && !(literal && literal->literal)) {
    return wrong(invalid(what + ": a value has type " + to_string(s.value.type()) + " and " +
                         init.name() + " has " + to_string(init.type()) + "; cast it"));
  }
  if (s.by && init.type().is_bool()) {
    return wrong(invalid(what + ": bool values are not combined; cast them to an integer first"));
  }
  result.value = cast(init.type(), s.value);
  if (s.combine) {
    result.old = Var("old", init.type());
    const Expr combined = s.combine(result.old, result.value);
    if (!combined) return wrong(invalid(what + ": combine returns no expression"));
    if (combined.is<Invalid>()) return wrong(combined);
    if (combined.type() != init.type()) {
      return wrong(invalid(what + ": combine gives " + to_string(combined.type()) + " and " +
                           init.name() + " has " + to_string(init.type()) + "; cast it"));
    }
    const bool reduced =
        any_in(combined, [&](const Expr& e) { return e.is<Reduce>() && uses(e, result.old); });
    if (reduced) return wrong(invalid(what + ": combine reduces over the old value"));
    result.value = combined;
  }
  result.axes = std::move(space.axes);
  result.condition = space.condition;
  result.by = s.by;
  return {std::move(result), Expr()};
}

// A mistake stands in place of the init.
void add_scatters(const std::string& what, const Tensor& init, const std::vector<Scatter>& scatters,
                  Update& whole) {
  for (const Scatter& s : scatters) {
    Settled settled = settle(what, init, s);
    if (settled.wrong) {
      whole.init = settled.wrong;
      return;
    }
    whole.scatters.push_back(std::move(settled.scatter));
  }
}

}  // namespace

Tensor update(std::string name, const Tensor& init, const std::vector<Scatter>& scatters) {
  const Index at = dsl::make_indices(init.shape());
  const std::vector<Expr> shape = init.shape();
  Update whole;
  whole.shape = shape;
  for (const Expr& i : at) whole.vars.push_back(i.as<VarRef>()->var);
  whole.init = init(at);
  add_scatters("update " + name, init, scatters, whole);
  return dsl::make_tensor(std::move(name), init.type(), shape, Recipe{std::move(whole)});
}

Tensor update(std::string name, const Tensor& init, const Scatter& scatter) {
  return update(std::move(name), init, std::vector<Scatter>{scatter});
}

Tensor update(const Tensor& state, const std::vector<Scatter>& scatters) {
  Update whole;
  whole.shape = state.shape();
  whole.init = dsl::wrong_target(state);
  if (!whole.init) add_scatters("update of " + state.name(), state, scatters, whole);
  const Buffer into = whole.init ? Buffer() : state.buffer();
  return dsl::written_in_place(state, Recipe{std::move(whole), into});
}

Tensor update(const Tensor& state, const Scatter& scatter) {
  return update(state, std::vector<Scatter>{scatter});
}

}  // namespace tenon
