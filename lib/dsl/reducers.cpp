// Reductions by functions.
#include "dsl/space.h"
#include "tenon/dsl/reduce.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

std::vector<Var> variables(const std::string& prefix, const std::vector<Type>& types) {
  std::vector<Var> vars;
  for (const Type type : types) vars.emplace_back(prefix + std::to_string(vars.size()), type);
  return vars;
}

Values values_of(const std::vector<Var>& vars) { return {vars.begin(), vars.end()}; }

}  // namespace

Reduction reducer(std::string name, const Values& identity, const std::vector<Type>& element,
                  const ValuesFunction& update, const ValuesFunction& combine) {
  CustomReducer functions;
  functions.name = std::move(name);
  functions.identity = identity;
  std::vector<Type> types;
  for (const Expr& e : identity) types.push_back(e.type());
  functions.state = variables("s", types);
  functions.other = variables("t", types);
  functions.element = variables("v", element);
  if (update) functions.update = update(values_of(functions.state), values_of(functions.element));
  if (combine) functions.combine = combine(values_of(functions.state), values_of(functions.other));
  return custom_reducer(std::move(functions));
}

namespace dsl {
namespace {

Expr place_in(const std::vector<ReduceAxis>& axes) {
  if (axes.empty()) return Expr(0);
  Expr place = axes[0].var;
  for (size_t d = 1; d < axes.size(); ++d) place = place * axes[d].extent + axes[d].var;
  return place;
}

// A number that is greater, in the order of op; a NaN is the greatest.
Expr beats(Reducer op, const Expr& a, const Expr& b) {
  const Expr greater = op == Reducer::kMax ? b < a : a < b;
  return a.type().is_float() ? greater | ((a != a) & (b == b)) : greater;
}

// The state is (value, index), with -1 for nothing yet. Elements come with rising indices.
Reduction extremum_reducer(Reducer op, Type type, Tie tie) {
  const std::string name = op == Reducer::kMax ? "argmax" : "argmin";
  const bool first = tie == Tie::kFirst;
  CustomReducer r;
  r.name = first ? name : name + "_last";
  const Var best("best", type), at("at"), v("v", type), j("j"), best2("best2", type), at2("at2");
  r.identity = {identity_of(op, type), Expr(-1)};
  r.state = {best, at};
  r.element = {v, j};
  r.other = {best2, at2};
  const Expr takes = (Expr(at) < 0) | (first ? beats(op, v, best) : ~beats(op, best, v));
  r.update = {select(takes, v, best), select(takes, j, at)};
  const Expr later = first ? Expr(at2) < at : Expr(at) < at2;
  const Expr equal = ~beats(op, best, best2) & ~beats(op, best2, best);
  const Expr other = (Expr(0) <= at2) & ((Expr(at) < 0) | beats(op, best2, best) | (equal & later));
  r.combine = {select(other, best2, best), select(other, at2, at)};
  return custom_reducer(std::move(r));
}

}  // namespace

Expr settle_element(const CustomReducer& functions, std::vector<Expr>& values) {
  if (!functions.status.ok()) return invalid(std::string(functions.status.message()));
  if (values.size() != functions.element.size()) {
    return invalid("reducer " + functions.name + " takes " +
                   std::to_string(functions.element.size()) + " values of an element, and " +
                   std::to_string(values.size()) + " are given");
  }
  for (size_t v = 0; v < values.size(); ++v) {
    const Expr value = values[v];
    const Type type = functions.element[v].type();
    if (!value) return invalid("reducer " + functions.name + ": an element is empty");
    if (value.is<Invalid>()) return value;
    const Const* literal = value.as<Const>();
    if (value.type() != type && !(literal && literal->literal)) {
      return invalid("reducer " + functions.name + " takes a value of type " + to_string(type) +
                     ", and " + to_string(value.type()) + " is given; cast it");
    }
    if (value.type() != type) values[v] = cast(type, value);
  }
  return {};
}

Values finish_reduce(const Reduction& by, Space space, const Values& values) {
  const size_t n = by.results();
  const auto wrong = [&](const Expr& e) { return std::vector<Expr>(std::max<size_t>(n, 1), e); };
  if (!by.functions()) {
    return {finish_reduce(by.op(), std::move(space), values.empty() ? Expr() : values[0])};
  }
  std::vector<Expr> converted = values;
  const Expr wrong_element = settle_element(*by.functions(), converted);
  if (wrong_element.get()) return wrong(wrong_element);
  const Expr wrong_axis = settle_space("reducer " + by.functions()->name, space);
  if (wrong_axis.get()) return wrong(wrong_axis);
  std::vector<Expr> results;
  for (size_t r = 0; r < n; ++r) {
    results.push_back(reduce_over(by, space, converted, static_cast<int>(r)));
  }
  return results;
}

Expr wrong_results(const Reduction& by, size_t asked) {
  return invalid("reducer " + (by.functions() ? by.functions()->name : name_of(by.op())) + " has " +
                 std::to_string(by.results()) + " results, and " + std::to_string(asked) +
                 " are asked for");
}

Extremum finish_extremum(Reducer op, Tie tie, Space space, const Expr& value) {
  if (!value || value.is<Invalid>() || value.type().is_bool()) {
    const Expr wrong = finish_reduce(op, std::move(space), value);  // says what is wrong
    return {wrong, wrong};
  }
  const Expr place = place_in(space.axes);
  const Values results =
      finish_reduce(extremum_reducer(op, value.type(), tie), std::move(space), {value, place});
  return {results[0], results[1]};
}

Expr finish_truth(Reducer op, Space space, const Expr& value) {
  if (!value || value.is<Invalid>()) return finish_reduce(op, std::move(space), value);
  if (!value.type().is_bool()) {
    return invalid(std::string(op == Reducer::kMax ? "any" : "all") + " takes bool values, and " +
                   to_string(value.type()) + " is given");
  }
  return finish_reduce(op, std::move(space), cast(u8, value)) != Expr(0);
}

}  // namespace dsl
}  // namespace tenon
