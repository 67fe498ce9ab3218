#include "tenon/ir/operators.h"

#include "ir/promote.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

// The first operand that is already wrong; null when all are right.
Expr first_invalid(std::initializer_list<const Expr*> operands) {
  for (const Expr* e : operands) {
    if (!*e) return invalid("an operand is empty: a default-made Expr has no value");
    if (e->is<Invalid>()) return *e;
  }
  return {};
}

// What to write instead, for the mistakes that have a usual cause.
std::string advice(BinaryOp op, Type type) {
  const bool is_bitwise =
      op == BinaryOp::kBitAnd || op == BinaryOp::kBitOr || op == BinaryOp::kBitXor;
  if (type.is_float() && is_bitwise) return "; bitcast to an integer first";
  if (type.is_float() && op == BinaryOp::kFloorMod) {
    return "; write x - floor(x / y) * y, or truncrem";
  }
  if (type.is_bool()) return "; use & and |, or cast to an integer";
  return "; cast first";
}

// `name` is what the user wrote.
Expr apply(const char* name, BinaryOp op, const Expr& a, const Expr& b) {
  if (Expr wrong = first_invalid({&a, &b})) return wrong;
  Operands x = promoted(name, a, b);
  if (!x.error.empty()) return invalid(x.error);
  if (!accepts(op, x.a.type())) {
    return invalid(describe(name, a, b) + ": it takes " + operands_of(op) + advice(op, x.a.type()));
  }
  return binary(op, std::move(x.a), std::move(x.b));
}

Expr apply(BinaryOp op, const Expr& a, const Expr& b) { return apply(name_of(op), op, a, b); }

// Negation, absolute value and rounding keep the type; on integers rounding changes nothing.
Expr apply(UnaryOp op, const Expr& a) {
  if (Expr wrong = first_invalid({&a})) return wrong;
  if (!accepts(op, a.type())) {
    return invalid("operator " + std::string(name_of(op)) + " on " + to_string(a.type()) +
                   ": it takes " + operands_of(op) + "; cast first");
  }
  return unary(op, a);
}

Expr apply_rounding(UnaryOp op, const Expr& a) {
  Expr result = apply(op, a);
  return !result.is<Invalid>() && a.type().is_int() ? a : result;
}

// Mathematical functions are defined on floats; an integer is promoted to f32.
Expr apply_math(UnaryOp op, const Expr& a) {
  if (Expr wrong = first_invalid({&a})) return wrong;
  if (a.type().is_int()) return unary(op, cast(f32, a));
  return apply(op, a);
}

Expr negated(const Expr& literal) {
  const Const& c = *literal.as<Const>();
  if (literal.type().is_float()) return Expr(-c.written);
  return Expr(int_of_bits(i64, apply_unary(UnaryOp::kNeg, i64, c.bits)));
}

// A literal is converted once, from what was written.
Expr cast_literal(CastMode mode, Type type, const Expr& literal) {
  const Const& c = *literal.as<Const>();
  if (literal.type().is_int()) return constant_bits(type, apply_cast(mode, i64, type, c.bits));
  return constant_bits(type, apply_cast(mode, f64, type, bits_of_float(f64, c.written)));
}

Expr apply_cast_to(CastMode mode, Type type, const Expr& a) {
  if (Expr wrong = first_invalid({&a})) return wrong;
  if (is_literal(a)) return cast_literal(mode, type, a);
  const Expr source = broadcast_lanes(a, type.lanes);
  if (type.is_vector() && source.type().lanes != type.lanes) {
    return invalid("cast of " + to_string(a.type()) + " to " + to_string(type) +
                   ": the numbers of lanes differ");
  }
  if (source.type().scalar == type.scalar) return source;
  return make_cast(mode, type.with_lanes(source.type().lanes), source);
}

}  // namespace

Expr operator+(const Expr& a, const Expr& b) { return apply(BinaryOp::kAdd, a, b); }
Expr operator-(const Expr& a, const Expr& b) { return apply(BinaryOp::kSub, a, b); }
Expr operator*(const Expr& a, const Expr& b) { return apply(BinaryOp::kMul, a, b); }

Expr operator/(const Expr& a, const Expr& b) {
  if (Expr wrong = first_invalid({&a, &b})) return wrong;
  const bool floats = a.type().is_float() || b.type().is_float();
  return apply("/", floats ? BinaryOp::kDiv : BinaryOp::kFloorDiv, a, b);
}

Expr operator%(const Expr& a, const Expr& b) { return apply(BinaryOp::kFloorMod, a, b); }

Expr operator-(const Expr& a) { return is_literal(a) ? negated(a) : apply(UnaryOp::kNeg, a); }

Expr operator<(const Expr& a, const Expr& b) { return apply(BinaryOp::kLt, a, b); }
Expr operator<=(const Expr& a, const Expr& b) { return apply(BinaryOp::kLe, a, b); }
Expr operator>(const Expr& a, const Expr& b) { return apply(BinaryOp::kLt, b, a); }
Expr operator>=(const Expr& a, const Expr& b) { return apply(BinaryOp::kLe, b, a); }
Expr operator==(const Expr& a, const Expr& b) { return apply(BinaryOp::kEq, a, b); }
Expr operator!=(const Expr& a, const Expr& b) { return apply(BinaryOp::kNe, a, b); }

Expr operator&(const Expr& a, const Expr& b) { return apply(BinaryOp::kBitAnd, a, b); }
Expr operator|(const Expr& a, const Expr& b) { return apply(BinaryOp::kBitOr, a, b); }
Expr operator^(const Expr& a, const Expr& b) { return apply(BinaryOp::kBitXor, a, b); }
Expr operator~(const Expr& a) { return apply(UnaryOp::kNot, a); }
Expr operator<<(const Expr& a, const Expr& b) { return apply(BinaryOp::kShl, a, b); }
Expr operator>>(const Expr& a, const Expr& b) { return apply(BinaryOp::kShr, a, b); }

Expr min(const Expr& a, const Expr& b) { return apply(BinaryOp::kMin, a, b); }
Expr max(const Expr& a, const Expr& b) { return apply(BinaryOp::kMax, a, b); }
Expr truncdiv(const Expr& a, const Expr& b) { return apply(BinaryOp::kTruncDiv, a, b); }
Expr truncrem(const Expr& a, const Expr& b) { return apply(BinaryOp::kTruncRem, a, b); }

Expr ceildiv(const Expr& a, const Expr& b) {
  if (Expr wrong = first_invalid({&a, &b})) return wrong;
  const Operands x = promoted("ceildiv", a, b);
  if (!x.error.empty()) return invalid(x.error);
  const Type type = x.a.type();
  if (!type.is_int()) return invalid(describe("ceildiv", a, b) + ": it takes integers; cast first");
  const Const* divisor = x.b.as<Const>();
  const Expr less_one =
      divisor ? constant_bits(type, apply_binary(BinaryOp::kSub, type, divisor->bits, 1))
              : x.b - constant_int(type, 1);
  return (x.a + less_one) / x.b;
}

Expr pow(const Expr& a, const Expr& b) {
  if (Expr wrong = first_invalid({&a, &b})) return wrong;
  const bool ints = a.type().is_int() && b.type().is_int();
  return apply(BinaryOp::kPow, ints ? cast(f32, a) : a, b);
}

Expr select(const Expr& condition, const Expr& on_true, const Expr& on_false) {
  if (Expr wrong = first_invalid({&condition, &on_true, &on_false})) return wrong;
  if (!condition.type().is_bool()) {
    return invalid("select: the condition has type " + to_string(condition.type()) +
                   " and must be bool; compare with 0");
  }
  Operands x = promoted("select", on_true, on_false);
  if (!x.error.empty()) return invalid(x.error);
  return make_select(condition, std::move(x.a), std::move(x.b));
}

Expr cast(Type type, const Expr& a) { return apply_cast_to(CastMode::kValue, type, a); }
Expr saturating_cast(Type type, const Expr& a) {
  return apply_cast_to(CastMode::kSaturate, type, a);
}

Expr bitcast(Type type, const Expr& a) {
  if (Expr wrong = first_invalid({&a})) return wrong;
  if (type.bits() != a.type().bits()) {
    return invalid("bitcast of " + to_string(a.type()) + " to " + to_string(type) +
                   ": both must have the same size; use cast to convert the value");
  }
  if (type.scalar == a.type().scalar) return a;
  return make_cast(CastMode::kBits, type.with_lanes(a.type().lanes), a);
}

Expr abs(const Expr& a) { return apply(UnaryOp::kAbs, a); }
Expr floor(const Expr& a) { return apply_rounding(UnaryOp::kFloor, a); }
Expr ceil(const Expr& a) { return apply_rounding(UnaryOp::kCeil, a); }
Expr round(const Expr& a) { return apply_rounding(UnaryOp::kRound, a); }
Expr trunc(const Expr& a) { return apply_rounding(UnaryOp::kTrunc, a); }
Expr sqrt(const Expr& a) { return apply_math(UnaryOp::kSqrt, a); }
Expr rsqrt(const Expr& a) { return apply_math(UnaryOp::kRsqrt, a); }
Expr exp(const Expr& a) { return apply_math(UnaryOp::kExp, a); }
Expr expm1(const Expr& a) { return apply_math(UnaryOp::kExpm1, a); }
Expr log(const Expr& a) { return apply_math(UnaryOp::kLog, a); }
Expr log1p(const Expr& a) { return apply_math(UnaryOp::kLog1p, a); }
Expr sin(const Expr& a) { return apply_math(UnaryOp::kSin, a); }
Expr cos(const Expr& a) { return apply_math(UnaryOp::kCos, a); }
Expr tan(const Expr& a) { return apply_math(UnaryOp::kTan, a); }
Expr asin(const Expr& a) { return apply_math(UnaryOp::kAsin, a); }
Expr acos(const Expr& a) { return apply_math(UnaryOp::kAcos, a); }
Expr atan(const Expr& a) { return apply_math(UnaryOp::kAtan, a); }
Expr sinh(const Expr& a) { return apply_math(UnaryOp::kSinh, a); }
Expr cosh(const Expr& a) { return apply_math(UnaryOp::kCosh, a); }
Expr tanh(const Expr& a) { return apply_math(UnaryOp::kTanh, a); }
Expr asinh(const Expr& a) { return apply_math(UnaryOp::kAsinh, a); }
Expr acosh(const Expr& a) { return apply_math(UnaryOp::kAcosh, a); }
Expr atanh(const Expr& a) { return apply_math(UnaryOp::kAtanh, a); }
Expr erf(const Expr& a) { return apply_math(UnaryOp::kErf, a); }
Expr sigmoid(const Expr& a) { return apply_math(UnaryOp::kSigmoid, a); }

}  // namespace tenon
