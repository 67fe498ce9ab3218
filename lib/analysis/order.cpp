#include "analysis/order.h"

#include <algorithm>

#include "analysis/inspect.h"

namespace tenon {
namespace {

int sign(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

uint64_t oldest_var(const Expr& e) {
  if (const VarRef* ref = e.as<VarRef>()) return ref->var.id();
  uint64_t oldest = UINT64_MAX;
  for_each_child(e, [&](const Expr& child) { oldest = std::min(oldest, oldest_var(child)); });
  return oldest;
}

int structural(const Expr& a, const Expr& b);

int lists(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  if (a.size() != b.size()) return sign(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (const int order = structural(a[i], b[i])) return order;
  }
  return 0;
}

int first_of(int a, int b) { return a != 0 ? a : b; }
int of(UnaryOp a, UnaryOp b) { return sign(static_cast<uint64_t>(a), static_cast<uint64_t>(b)); }
int of(BinaryOp a, BinaryOp b) { return sign(static_cast<uint64_t>(a), static_cast<uint64_t>(b)); }

int of(const Const& a, const Const& b) { return sign(a.bits, b.bits); }
int of(const VarRef& a, const VarRef& b) { return sign(a.var.id(), b.var.id()); }
int of(const Unary& a, const Unary& b) { return first_of(of(a.op, b.op), structural(a.a, b.a)); }
int of(const Binary& a, const Binary& b) {
  if (const int order = of(a.op, b.op)) return order;
  return first_of(structural(a.a, b.a), structural(a.b, b.b));
}
int of(const Select& a, const Select& b) {
  if (const int order = structural(a.condition, b.condition)) return order;
  return first_of(structural(a.on_true, b.on_true), structural(a.on_false, b.on_false));
}
int of(const Cast& a, const Cast& b) {
  const int modes = sign(static_cast<uint64_t>(a.mode), static_cast<uint64_t>(b.mode));
  return first_of(modes, structural(a.a, b.a));
}
int of(const Load& a, const Load& b) {
  if (const int order = sign(a.buffer.id(), b.buffer.id())) return order;
  return first_of(lists(a.indices, b.indices), structural(a.mask, b.mask));
}
int of(const Ramp& a, const Ramp& b) {
  return first_of(structural(a.base, b.base), structural(a.stride, b.stride));
}
int of(const Broadcast& a, const Broadcast& b) { return structural(a.a, b.a); }
// Neither stands in a finished Program; their hashes are order enough.
int of(const Reduce&, const Reduce&) { return 0; }
int of(const Invalid&, const Invalid&) { return 0; }

int structural(const Expr& a, const Expr& b) {
  if (equal(a, b)) return 0;
  if (!a || !b) return a ? 1 : -1;
  const ExprNode& x = a.node();
  const ExprNode& y = b.node();
  if (x.kind.index() != y.kind.index()) return sign(x.kind.index(), y.kind.index());
  const int kinds = std::visit(
      [&](const auto& kind) { return of(kind, std::get<std::decay_t<decltype(kind)>>(y.kind)); },
      x.kind);
  if (kinds != 0) return kinds;
  const int types =
      first_of(sign(static_cast<uint64_t>(x.type.scalar), static_cast<uint64_t>(y.type.scalar)),
               sign(static_cast<uint64_t>(x.type.lanes), static_cast<uint64_t>(y.type.lanes)));
  return first_of(types, sign(x.hash, y.hash));
}

}  // namespace

int compare(const Expr& a, const Expr& b) {
  const VarRef* x = a.as<VarRef>();
  const VarRef* y = b.as<VarRef>();
  if (x && y) return sign(x->var.id(), y->var.id());
  if (equal(a, b)) return 0;
  if (a.is<Const>() != b.is<Const>()) return a.is<Const>() ? 1 : -1;
  if (const int order = sign(oldest_var(a), oldest_var(b))) return order;
  if ((x != nullptr) != (y != nullptr)) return x ? -1 : 1;
  return structural(a, b);
}

}  // namespace tenon
