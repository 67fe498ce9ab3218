// How an expression falls into a linear form: the part of affine.h that the simplifier shares.
#pragma once

#include <utility>

#include "tenon/analysis/affine.h"

namespace tenon {

// i64 wraps, and so do linear forms: both are arithmetic modulo 2^64, so a form has exactly the
// value of its expression, always.
constexpr int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
constexpr int64_t wrap_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
constexpr int64_t wrap_neg(int64_t a) { return wrap_mul(-1, a); }

// form += coefficient * atom, in the fixed order, without zero coefficients.
void add_term(Affine& form, const Expr& atom, int64_t coefficient);
// form += factor * other
void add_multiple(Affine& form, int64_t factor, const Affine& other);
// The product of two forms, term by term; empty terms of a product are products of atoms. One atom
// when there would be too many terms.
Affine product(const Affine& a, const Affine& b);

// The parts of an i64 expression that add up. kAtom: none.
struct LinearParts {
  enum class Kind : uint8_t { kAtom, kConstant, kSum, kDifference, kNegation, kProduct };
  Kind kind = Kind::kAtom;
  Expr a, b;
  int64_t constant = 0;
};
LinearParts linear_parts(const Expr& e);

// form += factor * e. What is not linear is asked of atom(e), which gives the linear form that
// stands for it.
template <class Atom>
void accumulate_linear(Affine& form, int64_t factor, const Expr& e, Atom&& atom) {
  const LinearParts parts = linear_parts(e);
  switch (parts.kind) {
    case LinearParts::Kind::kAtom: add_multiple(form, factor, atom(e)); break;
    case LinearParts::Kind::kConstant:
      form.constant = wrap_add(form.constant, wrap_mul(factor, parts.constant));
      break;
    case LinearParts::Kind::kSum:
      accumulate_linear(form, factor, parts.a, atom);
      accumulate_linear(form, factor, parts.b, atom);
      break;
    case LinearParts::Kind::kDifference:
      accumulate_linear(form, factor, parts.a, atom);
      accumulate_linear(form, wrap_neg(factor), parts.b, atom);
      break;
    case LinearParts::Kind::kNegation:
      accumulate_linear(form, wrap_neg(factor), parts.a, atom);
      break;
    case LinearParts::Kind::kProduct: {
      Affine a, b;
      accumulate_linear(a, 1, parts.a, atom);
      accumulate_linear(b, 1, parts.b, atom);
      add_multiple(form, factor, product(a, b));
      break;
    }
  }
}

inline Affine atom_form(const Expr& atom) { return Affine{{{atom, 1}}, 0}; }

}  // namespace tenon
