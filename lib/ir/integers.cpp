#include "tenon/ir/integers.h"

#include <algorithm>

#include "ir/promote.h"
#include "tenon/ir/functions.h"

namespace tenon {
namespace {

Type int_type(int bits, bool is_signed) {
  for (Type t : {i8, i16, i32, i64, u8, u16, u32, u64}) {
    if (t.bits() == bits && t.is_signed_int() == is_signed) return t;
  }
  return {};
}
Type as_signed(Type t) { return int_type(t.bits(), true).with_lanes(t.lanes); }
Type as_unsigned(Type t) { return int_type(t.bits(), false).with_lanes(t.lanes); }

// The operands as they are, a literal in the type of the other; or what is wrong with them.
Operands integers(const char* name, const Expr& a, const Expr& b) {
  for (const Expr& e : {a, b}) {
    if (!e || e.is<Invalid>()) return {{}, {}, (a + b).as<Invalid>()->message};
    if (!e.type().is_int()) {
      return {{}, {}, describe(name, a, b) + ": it takes integers; cast first"};
    }
  }
  Operands x{a, b, ""};
  if (is_literal(a) != is_literal(b)) {
    Expr& literal = is_literal(a) ? x.a : x.b;
    const Type type = (is_literal(a) ? b : a).type();
    const std::optional<Expr> fitting = adapted(literal, type);
    if (!fitting) return promoted(name, a, b);  // which says that it does not fit
    literal = *fitting;
  }
  return x;
}

// The same, in one type.
Operands same_integers(const char* name, const Expr& a, const Expr& b) {
  const Operands x = integers(name, a, b);
  return x.error.empty() ? promoted(name, x.a, x.b) : x;
}

// Both operands in the type of twice the bits.
Operands widened(const char* name, const Expr& a, const Expr& b, bool is_difference) {
  const Operands x = integers(name, a, b);
  if (!x.error.empty()) return x;
  const int bits = std::max(x.a.type().bits(), x.b.type().bits());
  if (bits == 64) return {{}, {}, describe(name, a, b) + ": no type holds twice 64 bits"};
  const bool is_signed = is_difference || x.a.type().is_signed_int() || x.b.type().is_signed_int();
  const Type wide = int_type(2 * bits, is_signed);
  return {cast(wide, x.a), cast(wide, x.b), ""};
}

// The first operand, in the type that they meet in, and the product in twice its bits.
Operands product_of(const char* name, const Expr& a, const Expr& b) {
  const Operands x = same_integers(name, a, b);
  if (!x.error.empty()) return x;
  const Operands wide = widened(name, x.a, x.b, false);
  return wide.error.empty() ? Operands{x.a, wide.a * wide.b, ""} : wide;
}

Expr shift_by(const Expr& a, int bits) { return a >> constant_int(a.type().element(), bits); }

// The result of f(a, b), or the error.
template <class F>
Expr on(const Operands& x, const F& f) {
  return x.error.empty() ? f(x.a, x.b) : invalid(x.error);
}

bool is_wide(const Expr& a) { return a.type().bits() == 64; }

}  // namespace

Expr widening_add(const Expr& a, const Expr& b) {
  return on(widened("widening_add", a, b, false),
            [](const Expr& x, const Expr& y) { return x + y; });
}

Expr widening_sub(const Expr& a, const Expr& b) {
  return on(widened("widening_sub", a, b, true),
            [](const Expr& x, const Expr& y) { return x - y; });
}

Expr widening_mul(const Expr& a, const Expr& b) {
  return on(widened("widening_mul", a, b, false),
            [](const Expr& x, const Expr& y) { return x * y; });
}

// 64 bits: b is clamped to what a leaves room for.
Expr saturating_add(const Expr& a, const Expr& b) {
  return on(same_integers("saturating_add", a, b), [](const Expr& x, const Expr& y) {
    const Type t = x.type();
    if (!is_wide(x)) return saturating_cast(t, widening_add(x, y));
    if (!t.is_signed_int()) return x + min(y, ~x);
    const Expr lo = lowest(t) - min(x, 0), hi = highest(t) - max(x, 0);
    return x + clamp(y, lo, hi);
  });
}

Expr saturating_sub(const Expr& a, const Expr& b) {
  return on(same_integers("saturating_sub", a, b), [](const Expr& x, const Expr& y) {
    const Type t = x.type();
    if (!is_wide(x)) return saturating_cast(t, widening_sub(x, y));
    if (!t.is_signed_int()) return x - min(x, y);
    const Expr lo = max(x, -1) - highest(t), hi = min(x, -1) - lowest(t);
    return x - clamp(y, lo, hi);
  });
}

// Bits that both have, and half of those that one has.
Expr halving_add(const Expr& a, const Expr& b) {
  return on(same_integers("halving_add", a, b),
            [](const Expr& x, const Expr& y) { return (x & y) + shift_by(x ^ y, 1); });
}

// Bits that one has, without half of those that only one has.
Expr rounding_halving_add(const Expr& a, const Expr& b) {
  return on(same_integers("rounding_halving_add", a, b),
            [](const Expr& x, const Expr& y) { return (x | y) - shift_by(x ^ y, 1); });
}

Expr absolute_difference(const Expr& a, const Expr& b) {
  return on(same_integers("absolute_difference", a, b), [](const Expr& x, const Expr& y) {
    return bitcast(as_unsigned(x.type()), max(x, y) - min(x, y));
  });
}

// The last bit that is shifted out decides.
Expr rounding_shift_right(const Expr& a, const Expr& s) {
  return on(same_integers("rounding_shift_right", a, s), [](const Expr& x, const Expr& amount) {
    return select(amount == 0, x, (x >> amount) + ((x >> (amount - 1)) & 1));
  });
}

Expr mul_high(const Expr& a, const Expr& b) {
  return on(product_of("mul_high", a, b), [](const Expr& type, const Expr& product) {
    return cast(type.type(), shift_by(product, type.type().bits()));
  });
}

Expr rounding_mul_high(const Expr& a, const Expr& b) {
  return on(product_of("rounding_mul_high", a, b), [&](const Expr& x, const Expr& product) {
    if (!x.type().is_signed_int()) {
      return invalid(describe("rounding_mul_high", a, b) +
                     ": it takes signed integers; cast first");
    }
    const int bits = x.type().bits();
    const Expr half = constant_int(product.type().element(), int64_t{1} << (bits - 2));
    return saturating_cast(x.type(), shift_by(product + half, bits - 1));
  });
}

namespace {

// What is wrong with a field; null when nothing is.
Expr wrong_field(const char* name, const Expr& a, const Expr& lo, int count) {
  const Operands x = integers(name, a, lo);
  if (!x.error.empty()) return invalid(x.error);
  const int bits = a.type().bits();
  const std::string field = std::string(name) + " of " + to_string(a.type()) + ": ";
  if (count < 1 || count > bits) {
    return invalid(field + std::to_string(count) + " bits; 1 to " + std::to_string(bits) +
                   " can be taken");
  }
  const std::optional<int64_t> first = as_int(lo);
  if (first && (*first < 0 || *first > bits - count)) {
    return invalid(field + "the " + std::to_string(count) + " bits from bit " +
                   std::to_string(*first) + " do not lie in it");
  }
  return {};
}

}  // namespace

Expr bit_field(const Expr& a, const Expr& lo, int count) {
  if (Expr wrong = wrong_field("bit_field", a, lo, count)) return wrong;
  const Type type = as_unsigned(a.type());
  if (count == type.bits()) return bitcast(type, a);
  const Expr rest = bitcast(type, a) >> cast(type.element(), lo);
  return rest & constant_int(type.element(), (int64_t{1} << count) - 1);
}

// The field goes to the top, and comes down with its sign.
Expr signed_bit_field(const Expr& a, const Expr& lo, int count) {
  if (Expr wrong = wrong_field("signed_bit_field", a, lo, count)) return wrong;
  const Type type = as_signed(a.type());
  const int above = type.bits() - count;
  if (above == 0) return bitcast(type, a);
  const Expr top = bitcast(type, a)
                   << (constant_int(type.element(), above) - cast(type.element(), lo));
  return shift_by(top, above);
}

}  // namespace tenon
