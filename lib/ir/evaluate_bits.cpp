#include "tenon/base/match.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {

std::optional<uint64_t> evaluate_bits(const Expr& e, const std::map<Var, uint64_t>& values) {
  using Bits = std::optional<uint64_t>;
  if (!e || e.type().is_vector()) return std::nullopt;
  const auto of = [&](const Expr& child) { return evaluate_bits(child, values); };
  return match(
      e.node().kind, [](const Const& c) { return Bits(c.bits); },
      [&](const VarRef& ref) {
        const auto found = values.find(ref.var);
        return found == values.end() ? Bits() : Bits(found->second);
      },
      [&](const Unary& u) {
        const Bits a = of(u.a);
        return a ? Bits(apply_unary(u.op, e.type(), *a)) : Bits();
      },
      [&](const Binary& b) {
        const Bits x = of(b.a), y = of(b.b);
        if (!x || !y || b.op == BinaryOp::kCheck) return Bits();
        return Bits(apply_binary(b.op, b.a.type(), *x, *y));
      },
      [&](const Select& s) {
        const Bits chosen = of(s.condition);
        return chosen ? of(*chosen ? s.on_true : s.on_false) : Bits();
      },
      [&](const Cast& c) {
        const Bits a = of(c.a);
        return a ? Bits(apply_cast(c.mode, c.a.type(), e.type(), *a)) : Bits();
      },
      [](const auto&) { return Bits(); });
}

}  // namespace tenon
