// Functions made of the operators: what they mean follows from docs/semantics.md, and they print as
// the operators that they stand for.
//
//   Expr y = clamp(x, 0, 6);                            // min(6, max(x, 0))
//   Expr z = select(isnan(x), zero, x);
//   Expr e = table(signed_index(index(i), n));          // index -1 is the last
#pragma once

#include "tenon/ir/operators.h"

namespace tenon {

// --- Limits, as constants of a type. Of an integer and of a bool, lowest and highest are the
// --- bounds of its values; of a float the finite ones.

Expr lowest(Type type);
Expr highest(Type type);
Expr infinity(Type type);  // floats
Expr not_a_number(Type type);

// --- Classes of floats, as bool. An integer is finite.

Expr isnan(const Expr& a);
Expr isinf(const Expr& a);
Expr isfinite(const Expr& a);

// --- Numbers.

// -1, 0 or 1 in the type of a; a zero and a NaN stay as they are.
Expr sign(const Expr& a);
// min(hi, max(a, lo)): hi where lo > hi, and a NaN stays.
Expr clamp(const Expr& a, const Expr& lo, const Expr& hi);
// i + n where i is negative, as numpy counts from the end.
Expr signed_index(const Expr& i, const Expr& n);

}  // namespace tenon
