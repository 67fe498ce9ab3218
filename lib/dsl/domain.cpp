#include "tenon/dsl/domain.h"

#include "dsl/space.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/reducer.h"

namespace tenon {
namespace {

constexpr const char* kAxisNames[] = {"r", "s", "t", "u", "v", "w", "y", "z"};

size_t values_of_element(const Reduction& by) {
  return by.functions() ? by.functions()->element.size() : 1;
}

}  // namespace

Expr Domain::condition(const Index& at) const {
  Expr all;
  for (const auto& condition : conditions_) {
    const Expr one = condition(at);
    if (!one) return invalid("where: the function returns no expression");
    if (one.is<Invalid>()) return one;
    if (one.type() != boolean) {
      return invalid("where: the condition has type " + to_string(one.type()) +
                     "; it must be bool: compare it");
    }
    all = all ? all & one : one;
  }
  return all;
}

Expr at_most(const Expr& extent, const Expr& most) {
  for (const Expr& e : {extent, most}) {
    if (!e) return invalid("at_most: an extent is empty");
    if (e.is<Invalid>()) return e;
    if (!e.type().is_int() || e.type().is_vector()) {
      return invalid("at_most: an extent has type " + to_string(e.type()) +
                     "; it must be an integer");
    }
  }
  return binary(BinaryOp::kCheck, cast(i64, extent), cast(i64, most) + 1);
}

Expr inside(const Expr& i, const Expr& extent) { return (Expr(0) <= i) & (i < extent); }

namespace dsl {

Space make_space(const Domain& domain) {
  Space space;
  for (const Expr& extent : domain.extents()) {
    const char* name = kAxisNames[space.axes.size() % std::size(kAxisNames)];
    space.axes.push_back({Var(name, i64, Var::Use::kIndex), extent});
  }
  space.condition = domain.condition(indices_of(space));
  return space;
}

Index indices_of(const Space& space) {
  std::vector<Expr> vars;
  for (const ReduceAxis& axis : space.axes) vars.emplace_back(axis.var);
  return Index(std::move(vars));
}

Expr settle_space(const std::string& name, Space& space) {
  for (ReduceAxis& axis : space.axes) {
    if (!axis.extent) return invalid(name + ": an extent is empty");
    if (axis.extent.is<Invalid>()) return axis.extent;
    if (!axis.extent.type().is_int()) {
      return invalid(name + ": an extent has type " + to_string(axis.extent.type()) +
                     "; it must be an integer");
    }
    axis.extent = cast(i64, axis.extent);
  }
  return space.condition.is<Invalid>() ? space.condition : Expr();
}

Expr reduce_over(const Reduction& by, const Space& space, std::vector<Expr> values, int result) {
  if (space.condition) values.push_back(space.condition);
  return make_reduce(by, space.axes, std::move(values), result);
}

std::vector<Expr> element_of(const Reduce& reduce) {
  std::vector<Expr> values = reduce.values;
  values.resize(values_of_element(reduce.by));
  return values;
}

Expr condition_of(const Reduce& reduce) {
  return reduce.values.size() > values_of_element(reduce.by) ? reduce.values.back() : Expr();
}

}  // namespace dsl
}  // namespace tenon
