// Floats of eight bits, stored in a u8: e4m3 (3 bits of mantissa, no infinity, highest 448, the
// "fn" format of OCP and ONNX) and e5m2 (2 bits, infinities, highest 57344).
//
//   Expr v = decode_e4m3(w(i, r));                  // f32, exact
//   Expr b = encode_e4m3(v * scale);                // u8: to nearest, ties to even
//
// Values that are too large, infinities included, become the highest value; with Overflow::kSpecial
// they become the infinity of e5m2 and the NaN of e4m3. NaN stays NaN.
#pragma once

#include "tenon/ir/expr.h"

namespace tenon {

enum class Overflow { kSaturate, kSpecial };

// A u8 as an f32.
Expr decode_e4m3(const Expr& bits);
Expr decode_e5m2(const Expr& bits);

// A float as a u8. An f64 is rounded to f32 first.
Expr encode_e4m3(const Expr& value, Overflow overflow = Overflow::kSaturate);
Expr encode_e5m2(const Expr& value, Overflow overflow = Overflow::kSaturate);

}  // namespace tenon
