#include "tenon/analysis/affine.h"

#include <algorithm>

#include "analysis/inspect.h"
#include "analysis/linear.h"
#include "analysis/order.h"
#include "analysis/wide.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// Larger products stay products: distributing them would help nobody and costs much.
constexpr size_t kMaxProductTerms = 32;
constexpr int kMaxFactorDepth = 12;

bool is_deep(const Affine& form) {
  return std::any_of(form.terms.begin(), form.terms.end(), [](const Affine::Term& term) {
    return term.atom.node().depth > kMaxFactorDepth;
  });
}

// Products of atoms are written with their factors in order: n * (i * m) is i * m * n.
void collect_factors(const Expr& atom, std::vector<Expr>& factors) {
  const Binary* b = atom.as<Binary>();
  if (b && b->op == BinaryOp::kMul) {
    collect_factors(b->a, factors);
    collect_factors(b->b, factors);
  } else {
    factors.push_back(atom);
  }
}

Expr product_atom(const Expr& a, const Expr& b) {
  std::vector<Expr> factors;
  collect_factors(a, factors);
  collect_factors(b, factors);
  std::stable_sort(factors.begin(), factors.end(),
                   [](const Expr& x, const Expr& y) { return compare(x, y) < 0; });
  Expr result = factors.front();
  for (size_t i = 1; i < factors.size(); ++i) result = binary(BinaryOp::kMul, result, factors[i]);
  return result;
}

// Operands of //, min and so on in normal form, so that equal atoms look equal.
Affine normal_atom(const Expr& e) {
  const Expr normal = map_children(e, [](const Expr& child) {
    if (child.type() != i64 || child.is<VarRef>() || child.is<Const>()) return child;
    const Expr mapped = to_expr(to_affine(child));
    return equal(mapped, child) ? child : mapped;
  });
  return atom_form(normal);
}

}  // namespace

void add_term(Affine& form, const Expr& atom, int64_t coefficient) {
  if (coefficient == 0) return;
  auto place = form.terms.begin();
  for (; place != form.terms.end(); ++place) {
    const int order = compare(place->atom, atom);
    if (order > 0) break;
    if (order < 0) continue;
    place->coefficient = wrap_add(place->coefficient, coefficient);
    if (place->coefficient == 0) form.terms.erase(place);
    return;
  }
  form.terms.insert(place, {atom, coefficient});
}

void add_multiple(Affine& form, int64_t factor, const Affine& other) {
  for (const Affine::Term& term : other.terms) {
    add_term(form, term.atom, wrap_mul(factor, term.coefficient));
  }
  form.constant = wrap_add(form.constant, wrap_mul(factor, other.constant));
}

Affine product(const Affine& a, const Affine& b) {
  Affine result;
  if (a.is_constant()) {
    add_multiple(result, a.constant, b);
  } else if (b.is_constant()) {
    add_multiple(result, b.constant, a);
  } else if (a.terms.size() * b.terms.size() > kMaxProductTerms || is_deep(a) || is_deep(b)) {
    result = atom_form(binary(BinaryOp::kMul, to_expr(a), to_expr(b)));
  } else {
    for (const Affine::Term& x : a.terms) {
      for (const Affine::Term& y : b.terms) {
        add_term(result, product_atom(x.atom, y.atom), wrap_mul(x.coefficient, y.coefficient));
      }
      add_term(result, x.atom, wrap_mul(x.coefficient, b.constant));
    }
    for (const Affine::Term& y : b.terms) {
      add_term(result, y.atom, wrap_mul(y.coefficient, a.constant));
    }
    result.constant = wrap_mul(a.constant, b.constant);
  }
  return result;
}

LinearParts linear_parts(const Expr& e) {
  using Kind = LinearParts::Kind;
  if (const Const* c = e.as<Const>())
    return {Kind::kConstant, {}, {}, static_cast<int64_t>(c->bits)};
  if (const Unary* u = e.as<Unary>()) {
    if (u->op == UnaryOp::kNeg) return {Kind::kNegation, u->a, {}};
    return {};
  }
  const Binary* b = e.as<Binary>();
  if (!b) return {};
  switch (b->op) {
    case BinaryOp::kAdd: return {Kind::kSum, b->a, b->b};
    case BinaryOp::kSub: return {Kind::kDifference, b->a, b->b};
    case BinaryOp::kMul: return {Kind::kProduct, b->a, b->b};
    case BinaryOp::kShl: {
      const std::optional<int64_t> amount = as_int(b->b);
      if (!amount || *amount < 0 || *amount > 63) return {};
      return {Kind::kProduct, b->a,
              constant_int(i64, static_cast<int64_t>(uint64_t{1} << *amount))};
    }
    default: return {};
  }
}

Affine to_affine(const Expr& e) {
  Affine form;
  accumulate_linear(form, 1, e, normal_atom);
  return form;
}

namespace {

Expr times(const Expr& atom, int64_t coefficient) {
  if (coefficient == 1) return atom;
  if (coefficient == -1) return unary(UnaryOp::kNeg, atom);
  return binary(BinaryOp::kMul, atom, constant_int(i64, coefficient));
}

// sum + coefficient * atom, with a minus sign where that reads better.
Expr plus(const Expr& sum, const Expr& atom, int64_t coefficient) {
  const int64_t opposite = wrap_neg(coefficient);
  if (opposite > 0) return binary(BinaryOp::kSub, sum, times(atom, opposite));
  return binary(BinaryOp::kAdd, sum, times(atom, coefficient));
}

Expr plus(const Expr& sum, int64_t constant) {
  if (constant == 0) return sum;
  const int64_t opposite = wrap_neg(constant);
  if (opposite > 0) return binary(BinaryOp::kSub, sum, constant_int(i64, opposite));
  return binary(BinaryOp::kAdd, sum, constant_int(i64, constant));
}

}  // namespace

Expr to_expr(const Affine& a) {
  if (a.is_constant()) return constant_int(i64, a.constant);
  std::vector<const Affine::Term*> terms;
  for (const Affine::Term& term : a.terms) terms.push_back(&term);
  // The largest strides first: "io * 12 + i".
  std::stable_sort(terms.begin(), terms.end(), [](const auto* x, const auto* y) {
    return magnitude(x->coefficient) > magnitude(y->coefficient);
  });
  // A form starts with something positive if it can: "n - i * 4", "5 - i", and only then "-i - 5".
  const auto positive = std::find_if(terms.begin(), terms.end(),
                                     [](const auto* term) { return term->coefficient > 0; });
  const bool constant_first = positive == terms.end() && a.constant > 0;
  if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
  Expr sum = constant_first ? constant_int(i64, a.constant) : Expr();
  for (const Affine::Term* term : terms) {
    sum = sum ? plus(sum, term->atom, term->coefficient) : times(term->atom, term->coefficient);
  }
  return constant_first ? sum : plus(sum, a.constant);
}

int64_t Affine::coefficient(const Var& var) const {
  for (const Term& term : terms) {
    const VarRef* ref = term.atom.as<VarRef>();
    if (ref && ref->var == var) return term.coefficient;
  }
  return 0;
}

bool Affine::uses(const Var& var) const {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const Term& term) { return tenon::uses(term.atom, var); });
}

bool Affine::is_linear_in(const Var& var) const {
  return std::none_of(terms.begin(), terms.end(), [&](const Term& term) {
    return !term.atom.is<VarRef>() && tenon::uses(term.atom, var);
  });
}

Affine operator+(const Affine& a, const Affine& b) {
  Affine sum = a;
  add_multiple(sum, 1, b);
  return sum;
}

Affine operator-(const Affine& a, const Affine& b) {
  Affine difference = a;
  add_multiple(difference, -1, b);
  return difference;
}

Affine operator*(int64_t factor, const Affine& a) {
  Affine result;
  add_multiple(result, factor, a);
  return result;
}

bool equal(const Affine& a, const Affine& b) {
  return a.constant == b.constant &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const Affine::Term& x, const Affine::Term& y) {
                      return x.coefficient == y.coefficient && equal(x.atom, y.atom);
                    });
}

}  // namespace tenon
