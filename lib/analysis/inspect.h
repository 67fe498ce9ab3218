// Small questions about an expression that many analyses ask.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tenon/ir/visit.h"

namespace tenon {

inline uint64_t mask_of(const Var& var) { return uint64_t{1} << (var.id() % 64); }

// The bits of all variables in e; two expressions without a common bit share no variable.
inline uint64_t vars_mask(const Expr& e) {
  if (!e) return 0;
  if (const VarRef* ref = e.as<VarRef>()) return mask_of(ref->var);
  uint64_t mask = 0;
  for_each_child(e, [&](const Expr& child) { mask |= vars_mask(child); });
  return mask;
}

// Variables, for leaving out what shares none with them. The bits answer most questions at once;
// what has a common bit is looked at, or the answer would depend on the numbers that variables got.
class VarSet {
 public:
  void add(const Var& var) {
    if (has(var)) return;
    bits_ |= mask_of(var);
    ids_.push_back(var.id());
  }
  void add(const Expr& e) {
    walk(e, [&](const Expr& x) {
      if (const VarRef* ref = x.as<VarRef>()) add(ref->var);
    });
  }
  void add_every_variable() { has_all_ = true; }

  bool has(const Var& var) const {
    return has_all_ || ((bits_ & mask_of(var)) != 0 &&
                        std::find(ids_.begin(), ids_.end(), var.id()) != ids_.end());
  }
  bool meets(const Expr& e) const {
    return has_all_ || any_in(e, [&](const Expr& x) {
             const VarRef* ref = x.as<VarRef>();
             return ref && has(ref->var);
           });
  }
  // Whether something with these bits may have a variable in common.
  bool may_meet(uint64_t bits) const { return has_all_ || (bits & bits_) != 0; }

 private:
  uint64_t bits_ = 0;
  std::vector<uint64_t> ids_;
  bool has_all_ = false;
};

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
