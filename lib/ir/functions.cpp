#include "tenon/ir/functions.h"

#include <limits>

#include "tenon/base/half.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

// The bits of the sign, and of everything but the exponent.
uint64_t sign_bit(Type type) { return uint64_t{1} << (type.bits() - 1); }

uint64_t highest_bits(Type type) {
  if (type.is_float()) return bits_of_float(type, std::numeric_limits<double>::infinity()) - 1;
  if (type.is_bool()) return 1;
  return apply_unary(UnaryOp::kNot, type, type.is_signed_int() ? sign_bit(type) : 0);
}

uint64_t lowest_bits(Type type) {
  if (type.is_float()) return highest_bits(type) | sign_bit(type);
  return type.is_signed_int() ? sign_bit(type) : 0;
}

Expr needs_float(const char* name, Type type) {
  return invalid(std::string(name) + " of " + to_string(type) + ": it is a value of floats");
}

// A value that depends on whether a is a float, or what is wrong with a.
template <class OfFloat, class OfInt>
Expr by_class(const char* name, const Expr& a, const OfFloat& of_float, const OfInt& of_int) {
  if (!a || a.is<Invalid>()) return abs(a);  // the message of every operator
  if (a.type().is_float()) return of_float();
  if (a.type().is_int()) return of_int();
  return invalid(std::string(name) + " of bool: it takes numbers; cast first");
}

Expr truth(const Expr& like, bool value) {
  return constant_int(boolean.with_lanes(like.type().lanes), value);
}

Expr one(const Expr& like) { return constant_int(like.type(), 1); }
Expr zero(const Expr& like) { return constant_int(like.type(), 0); }

}  // namespace

Expr lowest(Type type) { return constant_bits(type, lowest_bits(type.element())); }
Expr highest(Type type) { return constant_bits(type, highest_bits(type.element())); }

Expr infinity(Type type) {
  if (!type.is_float()) return needs_float("infinity", type);
  return constant_float(type, std::numeric_limits<double>::infinity());
}

Expr not_a_number(Type type) {
  if (!type.is_float()) return needs_float("not_a_number", type);
  return constant_float(type, std::numeric_limits<double>::quiet_NaN());
}

Expr isnan(const Expr& a) {
  return by_class(
      "isnan", a, [&] { return a != a; }, [&] { return truth(a, false); });
}

Expr isinf(const Expr& a) {
  return by_class(
      "isinf", a, [&] { return abs(a) == infinity(a.type()); }, [&] { return truth(a, false); });
}

Expr isfinite(const Expr& a) {
  return by_class(
      "isfinite", a, [&] { return abs(a) < infinity(a.type()); }, [&] { return truth(a, true); });
}

Expr sign(const Expr& a) {
  const auto otherwise = [&](const Expr& neither) {
    return select(zero(a) < a, one(a), select(a < zero(a), -one(a), neither));
  };
  return by_class(
      "sign", a, [&] { return otherwise(a); },
      [&] { return a.type().is_signed_int() ? otherwise(zero(a)) : min(a, one(a)); });
}

Expr clamp(const Expr& a, const Expr& lo, const Expr& hi) { return min(hi, max(a, lo)); }

Expr signed_index(const Expr& i, const Expr& n) { return select(i < 0, i + n, i); }

}  // namespace tenon
