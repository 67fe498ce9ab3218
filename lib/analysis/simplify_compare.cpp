// Comparisons of indices: what cancels is dropped, common factors are divided out, and the
// solver is asked.
#include "analysis/linear.h"
#include "analysis/simplifier.h"

namespace tenon {
namespace {

uint64_t gcd_of_terms(const Affine& form) {
  uint64_t g = 0;
  for (const Affine::Term& term : form.terms) g = gcd_of(magnitude(term.coefficient), g);
  return g;
}

Affine divided(const Affine& form, int64_t g) {
  Affine result = form;
  for (Affine::Term& term : result.terms) term.coefficient /= g;
  result.constant = static_cast<int64_t>(floor_div(Wide{form.constant}, g));
  return result;
}

// form = positive - negative, both with positive coefficients and no constant.
struct Sides {
  Affine positive, negative;
};
Sides sides_of(const Affine& form) {
  Sides sides;
  for (const Affine::Term& term : form.terms) {
    if (term.coefficient > 0) {
      sides.positive.terms.push_back(term);
    } else {
      sides.negative.terms.push_back({term.atom, wrap_neg(term.coefficient)});
    }
  }
  return sides;
}

struct Comparison {
  BinaryOp op;
  Affine a, b;
};

// negative <= positive + constant, written with the constant where it is positive, or as the whole
// of one side.
Comparison order_between(Sides sides, int64_t constant) {
  Affine& low = sides.negative;
  Affine& high = sides.positive;
  if (low.is_constant()) {
    low.constant = wrap_neg(constant);
    return {BinaryOp::kLe, low, high};
  }
  if (high.is_constant() || constant > 0) {
    high.constant = wrap_add(constant, 1);
    return {BinaryOp::kLt, low, high};
  }
  if (constant == 0) return {BinaryOp::kLe, low, high};
  low.constant = wrap_add(wrap_neg(constant), -1);
  return {BinaryOp::kLt, low, high};
}

// positive + constant == negative
Comparison equation_between(BinaryOp op, Sides sides, int64_t constant) {
  Affine& a = sides.positive;
  Affine& b = sides.negative;
  if (a.is_constant()) {
    b.constant = 0;
    a.constant = constant;
    return {op, b, a};
  }
  if (constant >= 0 && !b.is_constant()) {
    a.constant = constant;
  } else {
    b.constant = wrap_neg(constant);
  }
  return {op, a, b};
}

}  // namespace

Expr Simplifier::compare(const Expr& e, const Binary& x) {
  const Expr result = compared(x.op, form(x.a), form(x.b));
  return equal(result, e) ? e : result;
}

Expr Simplifier::compared(BinaryOp op, const Affine& a, const Affine& b) {
  const auto rebuilt = [&](const Comparison& c) {
    return binary(c.op, to_expr(c.a), to_expr(c.b));
  };
  const bool is_order = op == BinaryOp::kLt || op == BinaryOp::kLe;
  const bool both_exact = exact(a) && exact(b);
  Affine difference = b - a;
  if (difference.is_constant()) {
    if (!is_order) return Expr((difference.constant == 0) == (op == BinaryOp::kEq));
    if (both_exact) {
      return Expr(op == BinaryOp::kLt ? difference.constant > 0 : difference.constant >= 0);
    }
  }
  if (!both_exact || !exact(difference)) {
    const Expr as_written = rebuilt({op, a, b});
    if (both_exact) {
      if (const std::optional<bool> known = decide(as_written)) return Expr(*known);
    }
    return finish(as_written);
  }

  const auto g = static_cast<int64_t>(gcd_of_terms(difference));
  Comparison normal{op, a, b};
  if (is_order) {
    if (op == BinaryOp::kLt) difference.constant = wrap_add(difference.constant, -1);
    if (g > 0 && exact(difference)) {
      difference = divided(difference, g);
      normal = order_between(sides_of(difference), difference.constant);
    }
  } else if (g > 0) {
    if (difference.constant % g != 0) return Expr(op == BinaryOp::kNe);
    difference = divided(difference, g);
    if (difference.terms.front().coefficient < 0) difference = -1 * difference;
    normal = equation_between(op, sides_of(difference), difference.constant);
  }
  if (!exact(normal.a) || !exact(normal.b)) normal = {op, a, b};
  const Expr result = rebuilt(normal);
  if (const std::optional<bool> known = decide(result)) return Expr(*known);
  return result;
}

}  // namespace tenon
