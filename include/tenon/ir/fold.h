// Constant folding: exactly what the interpreter would compute (scalar_ops.h), done beforehand.
//
//   fold_constants(Expr(i) + (constant_int(i64, 2) * constant_int(i64, 3)));   // i + 6
//
// Only integer and bool results, and conversions from them, are folded; algebra (x + 0, x * 1) is
// the simplifier's. Sharing constants of floats saves nothing and would hide what was written.
#pragma once

#include "tenon/ir/visit.h"

namespace tenon {

// The node alone, when its operands are constants; the same node otherwise. A Select on a constant
// is the arm that it chooses. A broken check(i, n) stays, so that the call reports it.
Expr fold(const Expr& e);

// Every node, children first.
Expr fold_constants(const Expr& e);
Stmt fold_constants(const Stmt& s);

}  // namespace tenon
