#include "lower/index_math.h"

#include "tenon/ir/fold.h"

namespace tenon {
namespace {

Expr constant(int64_t value) { return constant_int(i64, value); }

// What all lanes share, without the Broadcast around it.
Expr unwrapped(const Expr& e) {
  const Broadcast* b = e.as<Broadcast>();
  return b ? b->a : e;
}

bool is_scalar(const Expr& e) { return !e.type().is_vector(); }

// Wraps like the machine does.
int64_t wrapped_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrapped_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// e as base + constant.
struct Offset {
  Expr base;  // null: nothing but the constant
  int64_t constant = 0;
};

Offset split_offset(const Expr& e) {
  if (const std::optional<int64_t> value = as_int(e)) return {Expr(), *value};
  if (const Binary* b = e.as<Binary>()) {
    const std::optional<int64_t> value = as_int(b->b);
    if (value && b->op == BinaryOp::kAdd) return {b->a, *value};
    if (value && b->op == BinaryOp::kSub) return {b->a, wrapped_mul(*value, -1)};
  }
  return {e, 0};
}

Expr join_offset(const Expr& base, int64_t offset) {
  if (!base) return constant(offset);
  if (offset == 0) return base;
  if (offset < 0 && offset != INT64_MIN) {
    return binary(BinaryOp::kSub, base, constant(-offset));
  }
  return binary(BinaryOp::kAdd, base, constant(offset));
}

Expr add_scalars(const Expr& a, const Expr& b) {
  const Offset x = split_offset(a), y = split_offset(b);
  const int64_t offset = wrapped_add(x.constant, y.constant);
  if (!x.base || !y.base) return join_offset(x.base ? x.base : y.base, offset);
  return join_offset(binary(BinaryOp::kAdd, x.base, y.base), offset);
}

Expr sub_scalars(const Expr& a, const Expr& b) {
  const Offset x = split_offset(a), y = split_offset(b);
  const int64_t offset = wrapped_add(x.constant, wrapped_mul(y.constant, -1));
  if (!y.base) return join_offset(x.base, offset);
  if (x.base) {
    if (equal(x.base, y.base)) return constant(offset);
    return join_offset(binary(BinaryOp::kSub, x.base, y.base), offset);
  }
  return binary(BinaryOp::kSub, constant(offset), y.base);
}

Expr mul_scalars(const Expr& a, const Expr& b) {
  const std::optional<int64_t> x = as_int(a), y = as_int(b);
  if (x && y) return constant(wrapped_mul(*x, *y));
  if (x) return mul_scalars(b, a);
  if (y && *y == 0) return constant(0);
  if (y && *y == 1) return a;
  return binary(BinaryOp::kMul, a, b);
}

bool folds(const Binary& b) {
  return b.a.type().element() == i64 &&
         (b.op == BinaryOp::kAdd || b.op == BinaryOp::kSub || b.op == BinaryOp::kMul);
}

}  // namespace

Expr index_add(const Expr& left, const Expr& right) {
  const Expr a = unwrapped(left), b = unwrapped(right);
  if (is_scalar(a) && is_scalar(b)) return add_scalars(a, b);
  const Ramp* x = a.as<Ramp>();
  const Ramp* y = b.as<Ramp>();
  if (x && y) {
    return ramp(add_scalars(x->base, y->base), add_scalars(x->stride, y->stride), a.type().lanes);
  }
  if (x && is_scalar(b)) return ramp(add_scalars(x->base, b), x->stride, a.type().lanes);
  if (y && is_scalar(a)) return ramp(add_scalars(a, y->base), y->stride, b.type().lanes);
  return binary(BinaryOp::kAdd, a, b);
}

Expr index_sub(const Expr& left, const Expr& right) {
  const Expr a = unwrapped(left), b = unwrapped(right);
  if (is_scalar(a) && is_scalar(b)) return sub_scalars(a, b);
  const Ramp* x = a.as<Ramp>();
  const Ramp* y = b.as<Ramp>();
  if (x && y) {
    return ramp(sub_scalars(x->base, y->base), sub_scalars(x->stride, y->stride), a.type().lanes);
  }
  if (x && is_scalar(b)) return ramp(sub_scalars(x->base, b), x->stride, a.type().lanes);
  if (y && is_scalar(a)) {
    return ramp(sub_scalars(a, y->base), sub_scalars(constant(0), y->stride), b.type().lanes);
  }
  return binary(BinaryOp::kSub, a, b);
}

Expr index_mul(const Expr& left, const Expr& right) {
  const Expr a = unwrapped(left), b = unwrapped(right);
  if (is_scalar(a) && is_scalar(b)) return mul_scalars(a, b);
  const Ramp* x = a.as<Ramp>();
  const Ramp* y = b.as<Ramp>();
  if (x && is_scalar(b)) {
    return ramp(mul_scalars(x->base, b), mul_scalars(x->stride, b), a.type().lanes);
  }
  if (y && is_scalar(a)) {
    return ramp(mul_scalars(a, y->base), mul_scalars(a, y->stride), b.type().lanes);
  }
  return binary(BinaryOp::kMul, a, b);
}

Expr index_compare(BinaryOp op, const Expr& left, const Expr& right) {
  const Expr a = unwrapped(left), b = unwrapped(right);
  const Ramp* x = a.as<Ramp>();
  const Ramp* y = b.as<Ramp>();
  if (x && is_scalar(b)) {
    const Expr lanes = ramp(constant(0), x->stride, a.type().lanes);
    return binary(op, lanes, broadcast_lanes(sub_scalars(b, x->base), a.type().lanes));
  }
  if (y && is_scalar(a)) {
    const Expr lanes = ramp(constant(0), y->stride, b.type().lanes);
    return binary(op, broadcast_lanes(sub_scalars(a, y->base), b.type().lanes), lanes);
  }
  return fold(binary(op, a, b));
}

Expr fold_index(const Expr& e) {
  const Binary* b = e.as<Binary>();
  if (!b || !folds(*b)) return fold(e);
  const auto combined = b->op == BinaryOp::kAdd   ? index_add(b->a, b->b)
                        : b->op == BinaryOp::kSub ? index_sub(b->a, b->b)
                                                  : index_mul(b->a, b->b);
  return broadcast_lanes(combined, e.type().lanes);
}

namespace {

Expr replaced(const Expr& e, const VarMap& values) {
  if (const VarRef* ref = e.as<VarRef>()) {
    const auto found = values.find(ref->var);
    return found == values.end() ? e : found->second;
  }
  const Expr mapped = map_children(e, [&](const Expr& child) { return replaced(child, values); });
  return mapped.get() == e.get() ? e : fold_index(mapped);
}

}  // namespace

Expr substitute_folded(const Expr& e, const VarMap& values) { return replaced(e, values); }

Stmt substitute_folded(const Stmt& s, const VarMap& values) {
  return map_children(
      s, [&](const Expr& e) { return replaced(e, values); },
      [&](const Stmt& child) { return substitute_folded(child, values); });
}

}  // namespace tenon
