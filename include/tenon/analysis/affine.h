// Integer expressions as linear forms: sum of coefficient * atom, plus a constant.
//
//   Affine a = to_affine(io * 12 + ii + 3);    // 12*io + ii + 3
//   a.coefficient(io);                         // 12
//   Expr e = to_expr(a);
//
// An atom is a variable, `x // c`, `x % c`, `min`, `max`, `select`, a load, a check or a product of
// atoms: what is not linear. Products distribute over sums, so (io*12 + 3) * k keeps its parts.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tenon/ir/expr.h"

namespace tenon {

struct Affine {
  struct Term {
    Expr atom;
    int64_t coefficient;
  };
  std::vector<Term> terms;  // one per atom, in a fixed order; no zero coefficients
  int64_t constant = 0;

  bool is_constant() const { return terms.empty(); }
  int64_t coefficient(const Var& var) const;  // of the atom that is exactly this variable
  bool uses(const Var& var) const;            // in any atom, inside non-linear ones too
  bool is_linear_in(const Var& var) const;    // var occurs in no atom but itself
};

Affine to_affine(const Expr& e);  // e is one lane of i64
// Readable: the largest strides first, then older (outer) variables, the constant last.
Expr to_expr(const Affine& a);
Affine operator+(const Affine& a, const Affine& b);
Affine operator-(const Affine& a, const Affine& b);
Affine operator*(int64_t factor, const Affine& a);
bool equal(const Affine& a, const Affine& b);

}  // namespace tenon
