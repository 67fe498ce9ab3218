#include "analysis/evaluate.h"

#include "tenon/base/match.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

using Bits = std::optional<uint64_t>;

Bits value_of(const Var& var, const Values& values) {
  for (auto it = values.rbegin(); it != values.rend(); ++it) {
    if (it->first == var) return bits_of_int(var.type(), it->second);
  }
  return std::nullopt;
}

Bits bits(const Expr& e, const Values& values);

Bits value_of(const Binary& x, const Values& values) {
  const Bits a = bits(x.a, values);
  const Bits b = bits(x.b, values);
  if (!a || !b) return std::nullopt;
  if (x.op == BinaryOp::kCheck) {
    const int64_t index = int_of_bits(x.a.type(), *a);
    if (index < 0 || index >= int_of_bits(x.b.type(), *b)) return std::nullopt;
  }
  return apply_binary(x.op, x.a.type(), *a, *b);
}

Bits bits(const Expr& e, const Values& values) {
  if (e.type().is_float() || e.type().is_vector()) return std::nullopt;
  return match(
      e.node().kind,  //
      [&](const Const& c) -> Bits { return c.bits; },
      [&](const VarRef& x) { return value_of(x.var, values); },
      [&](const Unary& x) -> Bits {
        const Bits a = bits(x.a, values);
        if (!a) return std::nullopt;
        return apply_unary(x.op, e.type(), *a);
      },
      [&](const Binary& x) { return value_of(x, values); },
      [&](const Select& x) -> Bits {
        const Bits condition = bits(x.condition, values);
        if (!condition) return std::nullopt;
        return bits(*condition ? x.on_true : x.on_false, values);
      },
      [&](const Cast& x) -> Bits {
        const Bits a = bits(x.a, values);
        if (!a) return std::nullopt;
        return apply_cast(x.mode, x.a.type(), e.type(), *a);
      },
      [&](const auto&) -> Bits { return std::nullopt; });
}

}  // namespace

std::optional<int64_t> evaluate(const Expr& e, const Values& values) {
  const Bits found = bits(e, values);
  if (!found) return std::nullopt;
  return int_of_bits(e.type(), *found);
}

}  // namespace tenon
