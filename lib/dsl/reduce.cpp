#include "tenon/dsl/reduce.h"

#include "dsl/axes.h"

namespace tenon::dsl {
namespace {

constexpr const char* kAxisNames[] = {"r", "s", "t", "u", "v", "w", "y", "z"};

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

std::vector<ReduceAxis> make_axes(const Domain& domain) {
  std::vector<ReduceAxis> axes;
  for (const Expr& extent : domain.extents()) {
    const char* name = kAxisNames[axes.size() % std::size(kAxisNames)];
    axes.push_back({Var(name, i64, Var::Use::kIndex), extent});
  }
  return axes;
}

Index indices_of(const std::vector<ReduceAxis>& axes) {
  std::vector<Expr> vars;
  for (const ReduceAxis& axis : axes) vars.emplace_back(axis.var);
  return Index(std::move(vars));
}

Expr settle_axes(const std::string& name, std::vector<ReduceAxis>& axes) {
  for (ReduceAxis& axis : axes) {
    if (!axis.extent) return invalid(name + ": an extent is empty");
    if (axis.extent.is<Invalid>()) return axis.extent;
    if (!axis.extent.type().is_int()) {
      return invalid(name + ": an extent has type " + to_string(axis.extent.type()) +
                     "; it must be an integer");
    }
    axis.extent = cast(i64, axis.extent);
  }
  return Expr();
}

Expr finish_reduce(Reducer op, std::vector<ReduceAxis> axes, const Expr& value) {
  const std::string name = function_of(op);
  if (!value) return invalid(name + ": the function returns no expression");
  if (value.is<Invalid>()) return value;
  if (value.type().is_bool()) {
    return invalid(name + " of bool values; cast them to an integer first");
  }
  if (const Expr wrong = settle_axes(name, axes); wrong.get()) return wrong;
  if (axes.empty()) return value;  // over rank 0: the one element
  return make_reduce(op, std::move(axes), {value});
}

}  // namespace tenon::dsl
