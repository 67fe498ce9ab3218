// Small questions about an expression that are asked too often for std::function walks.
#pragma once

#include <cstdint>

#include "tenon/base/match.h"
#include "tenon/ir/expr.h"

namespace tenon {

// Calls f(child) on each direct child that is not null.
template <class F>
void for_each_operand(const Expr& e, F&& f) {
  const auto each = [&](const Expr& child) {
    if (child) f(child);
  };
  match(
      e.node().kind,  //
      [&](const Const&) {}, [&](const VarRef&) {}, [&](const Invalid&) {},
      [&](const Unary& x) { each(x.a); }, [&](const Binary& x) { each(x.a), each(x.b); },
      [&](const Select& x) { each(x.condition), each(x.on_true), each(x.on_false); },
      [&](const Cast& x) { each(x.a); },
      [&](const Load& x) {
        for (const Expr& index : x.indices) each(index);
        each(x.mask);
      },
      [&](const Ramp& x) { each(x.base), each(x.stride); }, [&](const Broadcast& x) { each(x.a); },
      [&](const Reduce& x) {
        for (const ReduceAxis& axis : x.axes) each(axis.extent);
        each(x.value);
      });
}

// Does `holds` hold for e or for any expression in it?
template <class Holds>
bool any_in(const Expr& e, Holds&& holds) {
  if (holds(e)) return true;
  bool found = false;
  for_each_operand(e, [&](const Expr& child) { found = found || any_in(child, holds); });
  return found;
}

inline uint64_t mask_of(const Var& var) { return uint64_t{1} << (var.id() % 64); }

// The bits of all variables in e; two expressions without a common bit share no variable.
inline uint64_t vars_mask(const Expr& e) {
  if (!e) return 0;
  if (const VarRef* ref = e.as<VarRef>()) return mask_of(ref->var);
  uint64_t mask = 0;
  for_each_operand(e, [&](const Expr& child) { mask |= vars_mask(child); });
  return mask;
}

inline bool has_load(const Expr& e) {
  return any_in(e, [](const Expr& x) { return x.is<Load>(); });
}

// A condition's parts for case distinctions: is it `a & b`, `a | b`, `~a` on bool?
inline const Binary* as_bool(const Expr& e, BinaryOp op) {
  const Binary* b = e.as<Binary>();
  return b && b->op == op && e.type().is_bool() ? b : nullptr;
}
inline const Unary* as_not(const Expr& e) {
  const Unary* u = e.as<Unary>();
  return u && u->op == UnaryOp::kNot && e.type().is_bool() ? u : nullptr;
}

// The comparison that holds when this one does not; null for floats, where NaN fails both.
inline Expr negated_comparison(const Binary& x) {
  if (x.a.type().is_float()) return {};
  switch (x.op) {
    case BinaryOp::kLt: return binary(BinaryOp::kLe, x.b, x.a);
    case BinaryOp::kLe: return binary(BinaryOp::kLt, x.b, x.a);
    case BinaryOp::kEq: return binary(BinaryOp::kNe, x.a, x.b);
    case BinaryOp::kNe: return binary(BinaryOp::kEq, x.a, x.b);
    default: return {};
  }
}

}  // namespace tenon
