#include "ir/promote.h"

#include <algorithm>
#include <cmath>

#include "tenon/ir/operators.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

std::optional<Type> meet_ints(Type a, Type b) {
  if (a.is_signed_int() == b.is_signed_int()) return a.bits() >= b.bits() ? a : b;
  const Type with_sign = a.is_signed_int() ? a : b;
  const Type without = a.is_signed_int() ? b : a;
  switch (std::max(with_sign.bits(), 2 * without.bits())) {
    case 16: return i16;
    case 32: return i32;
    case 64: return i64;
    default: return std::nullopt;  // nothing holds every u64 and a negative number
  }
}

Type meet_floats(Type a, Type b) {
  if (a == b) return a;
  if (a.bits() == b.bits()) return f32;  // f16 with bf16
  return a.bits() > b.bits() ? a : b;
}

std::optional<Type> meet_elements(Type a, Type b) {
  if (a == b) return a;
  if (a.is_bool()) return b;
  if (b.is_bool()) return a;
  if (a.is_float() && b.is_float()) return meet_floats(a, b);
  if (a.is_float()) return a;
  if (b.is_float()) return b;
  return meet_ints(a, b);
}

bool lanes_agree(Type a, Type b) { return a.lanes == b.lanes || !a.is_vector() || !b.is_vector(); }

// The type that two operands meet in; a literal takes the type of the other side.
std::optional<Type> meet(const Expr& a, const Expr& b) {
  const Type type_a = a.type().element();
  const Type type_b = b.type().element();
  if (is_literal(a) == is_literal(b)) return meet_elements(type_a, type_b);
  const Type literal = is_literal(a) ? type_a : type_b;
  const Type other = is_literal(a) ? type_b : type_a;
  if (other.is_float() || (literal.is_int() && other.is_int())) return other;
  return literal;  // a float literal with an integer: f32; a number with a bool: the number's type
}

std::string misfit(std::string_view name, const Expr& literal, Type type) {
  return "operator " + std::string(name) + ": the literal " +
         std::to_string(as_int(literal).value_or(0)) + " does not fit the other operand's type " +
         to_string(type) + "; cast that operand to a wider type";
}

std::string misfit_float(std::string_view name, Type type) {
  return "operator " + std::string(name) + ": the literal is too large for the other operand's " +
         "type " + to_string(type) + "; cast that operand to a wider type";
}

// One operand in the type that was chosen; notes why not in `error`.
Expr converted(std::string_view name, const Expr& e, Type type, std::string& error) {
  if (!is_literal(e)) {
    if (e.type().element() == type) return e;
    return make_cast(CastMode::kValue, type.with_lanes(e.type().lanes), e);
  }
  if (std::optional<Expr> constant = adapted(e, type)) return *constant;
  if (error.empty()) {
    error = e.type().is_int() ? misfit(name, e, type) : misfit_float(name, type);
  }
  return e;
}

}  // namespace

bool is_literal(const Expr& e) {
  const Const* c = e.as<Const>();
  return c && c->literal;
}

std::optional<Expr> adapted(const Expr& literal, Type type) {
  const Const& c = *literal.as<Const>();
  if (type.is_float()) {
    const bool was_int = literal.type().is_int();
    const double value = was_int ? static_cast<double>(int_of_bits(i64, c.bits)) : c.written;
    const Expr rounded =
        was_int ? constant_int(type, int_of_bits(i64, c.bits)) : constant_float(type, value);
    const bool overflows = std::isfinite(value) && !std::isfinite(*as_float(rounded));
    return overflows ? std::nullopt : std::optional(rounded);
  }
  const Expr constant = constant_int(type, int_of_bits(i64, c.bits));
  const bool fits = as_int(constant) == int_of_bits(i64, c.bits);
  return fits ? std::optional(constant) : std::nullopt;
}

std::string describe(std::string_view name, const Expr& a, const Expr& b) {
  return "operator " + std::string(name) + " on " + to_string(a.type()) + " and " +
         to_string(b.type());
}

Operands promoted(std::string_view name, const Expr& a, const Expr& b) {
  if (!lanes_agree(a.type(), b.type())) {
    return {{}, {}, describe(name, a, b) + ": vectors of different lengths do not combine"};
  }
  const std::optional<Type> type = meet(a, b);
  if (!type) {
    return {{}, {}, describe(name, a, b) + ": no integer type holds both; cast one side"};
  }
  Operands result;
  result.a = converted(name, a, *type, result.error);
  result.b = converted(name, b, *type, result.error);
  const int32_t lanes = std::max(a.type().lanes, b.type().lanes);
  result.a = broadcast_lanes(result.a, lanes);
  result.b = broadcast_lanes(result.b, lanes);
  return result;
}

std::optional<Type> promote(Type a, Type b) {
  if (!lanes_agree(a, b)) return std::nullopt;
  const std::optional<Type> element = meet_elements(a.element(), b.element());
  if (!element) return std::nullopt;
  return element->with_lanes(std::max(a.lanes, b.lanes));
}

}  // namespace tenon
