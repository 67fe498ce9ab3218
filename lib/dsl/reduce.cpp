#include "tenon/dsl/reduce.h"

#include "dsl/space.h"
#include "tenon/ir/operators.h"

namespace tenon::dsl {
namespace {

const char* function_of(Reducer op) {
  switch (op) {
    case Reducer::kSum: return "sum";
    case Reducer::kProd: return "prod";
    case Reducer::kMax: return "max_over";
    case Reducer::kMin: return "min_over";
  }
  return "";
}

}  // namespace

Expr finish_reduce(Reducer op, Space space, const Expr& value) {
  const std::string name = function_of(op);
  if (!value) return invalid(name + ": the function returns no expression");
  if (value.is<Invalid>()) return value;
  if (value.type().is_bool()) {
    return invalid(name + " of bool values; cast them to an integer first");
  }
  if (const Expr wrong = settle_space(name, space); wrong.get()) return wrong;
  if (!space.axes.empty()) return reduce_over(op, space, {value});
  // Over rank 0: the one element.
  return space.condition ? select(space.condition, value, identity_of(op, value.type())) : value;
}

}  // namespace tenon::dsl
