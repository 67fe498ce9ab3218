// Casts of casts, where one cast gives the same value.
#include "analysis/bounds.h"
#include "analysis/simplifier.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

// Bits of an integer's magnitude, and the number of them that a float holds exactly.
int magnitude_bits(Type type) { return type.bits() - (type.is_signed_int() ? 1 : 0); }
int precision(Type type) {
  switch (type.scalar) {
    case Scalar::kF64: return 53;
    case Scalar::kF32: return 24;
    case Scalar::kF16: return 11;
    default: return 8;  // bf16
  }
}

bool float_holds_float(Type wide, Type narrow) {
  if (wide.scalar == narrow.scalar || wide.scalar == Scalar::kF64) return true;
  return wide.scalar == Scalar::kF32 && narrow.is_small_float();
}

bool int_holds_int(Type wide, Type narrow) {
  if (wide.is_unsigned_int() && narrow.is_signed_int()) return false;
  return magnitude_bits(wide) >= magnitude_bits(narrow);
}

// Whether every value of `from` is a value of `to`.
bool holds_all(Type to, Type from) {
  if (to.scalar == from.scalar) return true;
  if (to.is_bool()) return false;
  if (from.is_bool()) return true;
  if (from.is_float()) return to.is_float() && float_holds_float(to, from);
  return to.is_float() ? precision(to) >= magnitude_bits(from) : int_holds_int(to, from);
}

// Whether the value cast to `middle` is the value itself.
bool keeps_value(const Expr& value, Type middle, const Facts& facts) {
  const Type from = value.type();
  if (holds_all(middle, from)) return true;
  if (!from.is_int() || !middle.is_int() || from.element() == u64 || middle.element() == u64) {
    return false;
  }
  return span_of(value, facts).inside(Span::of(middle));
}

}  // namespace

Expr simplify_cast(const Expr& e, const Cast& x, const Facts& facts) {
  const Type to = e.type();
  if (x.a.type() == to) return x.a;
  if (const Const* c = x.a.as<Const>()) {
    return constant_bits(to, apply_cast(x.mode, x.a.type(), to, c->bits));
  }
  const Cast* inner = x.a.as<Cast>();
  if (!inner) return {};
  const Type middle = x.a.type(), from = inner->a.type();
  if (x.mode == CastMode::kBits || inner->mode == CastMode::kBits) {
    const bool both = x.mode == inner->mode;
    return both ? make_cast(CastMode::kBits, to, inner->a) : Expr();
  }
  if (keeps_value(inner->a, middle, facts)) {
    // A float becomes an integer by saturation, an integer by wrapping.
    const bool saturates = middle.is_float() && from.is_int() && to.is_int();
    return make_cast(saturates ? CastMode::kSaturate : x.mode, to, inner->a);
  }
  // Wrapping twice is wrapping once to the narrower type.
  const bool wraps_twice = x.mode == CastMode::kValue && inner->mode == CastMode::kValue &&
                           to.is_int() && middle.is_int() && from.is_int();
  if (wraps_twice && middle.bits() >= to.bits()) return make_cast(CastMode::kValue, to, inner->a);
  return {};
}

}  // namespace tenon
