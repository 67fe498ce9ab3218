// One walk over an expression, bottom-up, under the facts of its place.
//
// i64 sums, quotients, minima and comparisons go through linear forms (simplify_index,
// simplify_extremum, simplify_compare); everything else through the table of rules, the casts and
// the forms of vectors. Each node is finished until nothing changes, so that a second walk finds
// nothing to do.
#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/span.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/facts.h"

namespace tenon {

class Simplifier {
 public:
  // Keeps a reference to the facts.
  explicit Simplifier(const Facts& facts) : facts_(facts) {}
  explicit Simplifier(const Facts&&) = delete;

  Expr run(const Expr& e) { return walk(e); }
  // Whether a simple condition always holds (true) or never does (false); empty: not known.
  std::optional<bool> decide(const Expr& condition) const;

 private:
  // simplify_expr.cpp
  Expr walk(const Expr& e);
  Expr walk_kind(const Expr& e);
  Expr walk_both(const Expr& e, const Binary& x);
  Expr walk_select(const Expr& e, const Select& s);
  Expr walk_load(const Expr& e, const Load& l);
  Expr finish(const Expr& e);      // the children are simple
  Expr step(const Expr& e) const;  // one change to the node itself; null when there is none

  // simplify_index.cpp: one lane of i64
  Expr index(const Expr& e);
  Affine form(const Expr& e);
  Affine atom(const Expr& e);
  Affine atom_of(const Expr& e);
  Affine finished_atom(const Expr& e);  // the operands are simple
  Affine quotient(const Affine& x, const Affine& divisor);
  Affine remainder(const Affine& x, const Affine& divisor);
  Affine constant_quotient(const Affine& x, int64_t divisor);
  Affine constant_remainder(const Affine& x, int64_t divisor);
  std::optional<Affine> nested_quotient(const Affine& x, int64_t divisor);
  struct Multiple {
    Affine multiple, rest;
  };
  std::optional<Multiple> split_multiple(const Affine& x, int64_t factor);
  std::optional<Multiple> without_remainder(const Affine& x, const Affine& divisor);
  std::vector<int64_t> common_factors(const Affine& x, int64_t divisor) const;
  int64_t known_factor(const Expr& atom) const;
  bool is_positive(const Affine& x) const;
  bool lies_below(const Affine& x, const Affine& limit) const;  // 0 <= x < limit
  void recombine(Affine& form);
  Span span_of(const Affine& form) const;
  // Whether the form's value, as integers go, lies in i64: then the expression does not wrap.
  bool exact(const Affine& form) const;

  // simplify_extremum.cpp
  Affine extremum(BinaryOp op, const Affine& a, const Affine& b);
  void push_into_extremum(Affine& form);
  bool at_most(const Affine& a, const Affine& b) const;

  // simplify_compare.cpp: i64 operands
  Expr compare(const Expr& e, const Binary& x);
  Expr compared(BinaryOp op, const Affine& a, const Affine& b);

  const Facts& facts_;
  // Deep sub-expressions that occur more than once are walked once. The first of the pair keeps the
  // key alive.
  static constexpr int kWorthRemembering = 6;
  std::unordered_map<const ExprNode*, std::pair<Expr, Expr>> seen_;
  std::unordered_map<const ExprNode*, std::pair<Expr, Affine>> seen_atoms_;
  int nested_changes_ = 0;
};

// The form of an expression whose atoms are simple.
Affine simple_form(const Expr& e);

// simplify_cast.cpp, simplify_vector.cpp: null when there is nothing to do.
Expr simplify_cast(const Expr& e, const Cast& x, const Facts& facts);
Expr simplify_vector(const Expr& e, const Facts& facts);

}  // namespace tenon
