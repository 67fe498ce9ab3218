// Integer arithmetic that keeps what + - * lose: wider results, saturation, rounding, halves of
// products, and fields of bits. Made of the operators, so that it is exact by docs/semantics.md;
// the code generator finds the instructions (pmaddwd, paddsb, pavgb, pmulhrsw ...) in the forms
// given.
//
//   Expr acc  = acc0 + cast(i32, widening_mul(a, b));          // u8 * i8 as i16
//   Expr mean = rounding_halving_add(a, b);                    // (a + b + 1) >> 1, no overflow
//   Expr q    = saturating_cast(i8, rounding_shift_right(acc, shift));
//   Expr nibble = bit_field(byte, 4, 4);                       // the high four bits
//
// Operands meet in one type as for + (u8 and i8 in i16); floats are refused.
#pragma once

#include "tenon/ir/operators.h"

namespace tenon {

// --- In the signed or unsigned type of twice the bits, which holds every result: u8 and i8 give
// i16
// --- for a product. Sums of unsigned numbers stay unsigned; differences are signed. 64 bits have
// no
// --- such type.
Expr widening_add(const Expr& a, const Expr& b);
Expr widening_sub(const Expr& a, const Expr& b);
Expr widening_mul(const Expr& a, const Expr& b);

// --- In the type of the operands, clamped to its range; of any width.
Expr saturating_add(const Expr& a, const Expr& b);
Expr saturating_sub(const Expr& a, const Expr& b);

// --- Halves, computed without overflow: floor((a + b) / 2), and (a + b + 1) / 2.
Expr halving_add(const Expr& a, const Expr& b);
Expr rounding_halving_add(const Expr& a, const Expr& b);

// |a - b|, as an unsigned number of the operands' width.
Expr absolute_difference(const Expr& a, const Expr& b);

// --- Right shifts of a by s bits.

// floor(a / 2^s + 1/2): to the nearest, ties towards +infinity, without overflow. An s outside of
// [0, bits) shifts everything out, but for the rounding.
Expr rounding_shift_right(const Expr& a, const Expr& s);
// The high half of the product: floor(a * b / 2^bits). Up to 32 bits.
Expr mul_high(const Expr& a, const Expr& b);
// floor((a * b + 2^(bits-2)) / 2^(bits-1)), saturated: the product of fixed-point fractions.
// Signed, up to 32 bits.
Expr rounding_mul_high(const Expr& a, const Expr& b);

// --- Fields.

// Bits lo .. lo+count-1 as a number of the type of `a`: unsigned, or in two's complement. The first
// may be an expression; the field must lie in the type.
Expr bit_field(const Expr& a, const Expr& lo, int count);
Expr signed_bit_field(const Expr& a, const Expr& lo,
                      int count);  // in the signed type of that width

}  // namespace tenon
