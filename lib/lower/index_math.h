// Sums and products of i64 index expressions, kept in the forms that code generation knows: a Ramp
// stays a Ramp, what is the same for all lanes stays scalar, constants are folded and stand last.
//
//   index_add(ramp(i, 1, 16), 4)                // ramp(i + 4, 1, 16)
//   index_mul(ramp(i, 1, 16), n)                // ramp(i * n, n, 16)
//
// Operands are i64 with one or with equal numbers of lanes. A Broadcast among them counts as the
// scalar that it holds, so a result may have fewer lanes than an operand.
#pragma once

#include "tenon/ir/visit.h"

namespace tenon {

Expr index_add(const Expr& a, const Expr& b);
Expr index_sub(const Expr& a, const Expr& b);
Expr index_mul(const Expr& a, const Expr& b);

// A comparison of i64 operands. Between a Ramp and a scalar it becomes one of constant lanes with a
// scalar: ramp(i, 1, 16) < n is ramp(0, 1, 16) < broadcast(n - i).
Expr index_compare(BinaryOp op, const Expr& a, const Expr& b);

// The node with its constant operands folded, sums and products of i64 by the functions above.
Expr fold_index(const Expr& e);

// Replaces variables and folds what became constant. Statements keep their structure.
Expr substitute_folded(const Expr& e, const VarMap& values);
Stmt substitute_folded(const Stmt& s, const VarMap& values);

}  // namespace tenon
