// Index arithmetic in linear normal form. The value is kept exactly, wrapping included: sums are
// equal modulo 2^64, and quotients and remainders are taken apart only where the numerator is known
// to stay in i64.
#include <algorithm>

#include "analysis/bounds.h"
#include "analysis/inspect.h"
#include "analysis/linear.h"
#include "analysis/rules.h"
#include "analysis/simplifier.h"
#include "tenon/analysis/prove.h"
#include "tenon/ir/fold.h"

namespace tenon {
namespace {

// Factors that facts give are taken up to here, so that products with them stay far from overflow.
constexpr int64_t kMaxFactor = int64_t{1} << 31;

Affine constant_form(int64_t value) { return Affine{{}, value}; }

bool is_atom(const Affine& form) {
  return form.terms.size() == 1 && form.terms[0].coefficient == 1 && form.constant == 0;
}

bool is_small(const Affine& form) {
  const auto small = [](int64_t number) { return number >= -kSmall && number <= kSmall; };
  return small(form.constant) && std::all_of(form.terms.begin(), form.terms.end(),
                                             [&](const auto& t) { return small(t.coefficient); });
}

const Binary* as_binary(const Expr& e, BinaryOp op) {
  const Binary* b = e.as<Binary>();
  return b && b->op == op ? b : nullptr;
}

// x = divisor * quotient + rest with |coefficients of the rest| < divisor and its constant in
// [0, divisor).
struct Division {
  Affine quotient, rest;
};
Division divide(const Affine& x, int64_t divisor) {
  Division d;
  for (const Affine::Term& term : x.terms) {
    const int64_t q = term.coefficient / divisor;
    if (q != 0) d.quotient.terms.push_back({term.atom, q});
    const int64_t r = term.coefficient % divisor;
    if (r != 0) d.rest.terms.push_back({term.atom, r});
  }
  d.quotient.constant = static_cast<int64_t>(floor_div(Wide{x.constant}, divisor));
  d.rest.constant = static_cast<int64_t>(floor_mod(Wide{x.constant}, divisor));
  return d;
}

}  // namespace

Affine simple_form(const Expr& e) {
  Affine form;
  accumulate_linear(form, 1, e, atom_form);
  return form;
}

Expr Simplifier::index(const Expr& e) {
  Affine sum = form(e);
  recombine(sum);
  push_into_extremum(sum);
  Expr simple = to_expr(sum);
  return equal(simple, e) ? e : simple;
}

Affine Simplifier::form(const Expr& e) {
  Affine sum;
  accumulate_linear(sum, 1, e, [&](const Expr& x) { return atom(x); });
  return sum;
}

Span Simplifier::span_of(const Affine& form) const {
  if (is_atom(form)) return tenon::span_of(form.terms[0].atom, facts_);
  Span span = Span::point(form.constant);
  for (const Affine::Term& term : form.terms) {
    span = span + Span::point(term.coefficient) * tenon::span_of(term.atom, facts_);
  }
  return span;
}

bool Simplifier::exact(const Affine& form) const {
  return is_atom(form) || (is_small(form) && !span_of(form).is_whole());
}

Affine Simplifier::atom(const Expr& e) {
  if (e.node().depth < kWorthRemembering) return atom_of(e);
  if (const auto found = seen_atoms_.find(e.get()); found != seen_atoms_.end()) {
    return found->second.second;
  }
  Affine form = atom_of(e);
  seen_atoms_.emplace(e.get(), std::pair(e, form));
  return form;
}

Affine Simplifier::atom_of(const Expr& e) {
  if (e.is<VarRef>()) return finished_atom(e);
  if (const Select* s = e.as<Select>()) return simple_form(walk_select(e, *s));
  if (const Binary* x = e.as<Binary>()) {
    switch (x->op) {
      case BinaryOp::kFloorDiv: return quotient(form(x->a), form(x->b));
      case BinaryOp::kFloorMod: return remainder(form(x->a), form(x->b));
      case BinaryOp::kTruncDiv:
      case BinaryOp::kTruncRem: {
        const Affine a = form(x->a), b = form(x->b);
        if (span_of(a).at_least(0) && span_of(b).at_least(0)) {
          return x->op == BinaryOp::kTruncDiv ? quotient(a, b) : remainder(a, b);
        }
        return finished_atom(binary(x->op, to_expr(a), to_expr(b)));
      }
      case BinaryOp::kMin:
      case BinaryOp::kMax: return extremum(x->op, form(x->a), form(x->b));
      case BinaryOp::kShl: {
        const Expr shifted = binary(x->op, to_expr(form(x->a)), walk(x->b));
        const bool is_product = linear_parts(shifted).kind != LinearParts::Kind::kAtom;
        return is_product ? simple_form(shifted) : finished_atom(shifted);
      }
      case BinaryOp::kCheck: {
        const Affine i = form(x->a), n = form(x->b);
        if (lies_below(i, n)) return i;
        return finished_atom(binary(BinaryOp::kCheck, to_expr(i), to_expr(n)));
      }
      default: break;
    }
  }
  if (const Load* l = e.as<Load>()) return simple_form(walk_load(e, *l));
  return finished_atom(map_children(e, [&](const Expr& child) { return walk(child); }));
}

Affine Simplifier::finished_atom(const Expr& e) {
  const Expr simple = finish(e);
  if (simple.get() != e.get()) return simple_form(simple);
  // What a condition says outright: n % 16 == 0.
  const uint64_t mask = vars_mask(e);
  for (size_t c = 0; c < facts_.conditions().size(); ++c) {
    if (!(facts_.condition_mask(c) & mask)) continue;
    const Binary* known = as_binary(facts_.conditions()[c], BinaryOp::kEq);
    if (known && known->b.is<Const>() && equal(known->a, e)) return simple_form(known->b);
  }
  return atom_form(e);
}

bool Simplifier::is_positive(const Affine& x) const {
  if (span_of(x).at_least(1)) return true;
  return !x.is_constant() &&
         proved(facts_, binary(BinaryOp::kLe, constant_int(i64, 1), to_expr(x)));
}

bool Simplifier::lies_below(const Affine& x, const Affine& limit) const {
  const Span span = span_of(x);
  if (!span.at_least(0) &&
      !proved(facts_, binary(BinaryOp::kLe, constant_int(i64, 0), to_expr(x)))) {
    return false;
  }
  const Span most = span_of(limit);
  if (span.hi && most.lo && *span.hi < *most.lo) return true;
  return proved(facts_, binary(BinaryOp::kLt, to_expr(x), to_expr(limit)));
}

namespace {

// The atom without one factor n; empty when n is no factor of it. 1 for n itself.
std::optional<Affine> divided_atom(const Expr& atom, const Expr& n) {
  if (equal(atom, n)) return constant_form(1);
  const Binary* product = as_binary(atom, BinaryOp::kMul);
  if (!product) return std::nullopt;
  if (equal(product->b, n)) return atom_form(product->a);
  std::optional<Affine> left = divided_atom(product->a, n);
  if (!left) return std::nullopt;
  return tenon::product(*left, atom_form(product->b));
}

// x = n * quotient + rest for a divisor that is one atom.
Division divide(const Affine& x, const Expr& n) {
  Division d;
  d.rest.constant = x.constant;
  for (const Affine::Term& term : x.terms) {
    if (const std::optional<Affine> q = divided_atom(term.atom, n)) {
      add_multiple(d.quotient, term.coefficient, *q);
    } else {
      add_term(d.rest, term.atom, term.coefficient);
    }
  }
  return d;
}

}  // namespace

// k where the facts say atom % k == 0; 1 otherwise.
int64_t Simplifier::known_factor(const Expr& atom) const {
  if (facts_.conditions().empty()) return 1;
  const uint64_t mask = vars_mask(atom);
  for (size_t c = 0; c < facts_.conditions().size(); ++c) {
    if ((facts_.condition_mask(c) & mask) != mask) continue;
    const Binary* equation = as_binary(facts_.conditions()[c], BinaryOp::kEq);
    const Binary* rest = equation ? as_binary(equation->a, BinaryOp::kFloorMod) : nullptr;
    if (!rest || !is_constant(equation->b, 0) || !equal(rest->a, atom)) continue;
    if (const std::optional<int64_t> k = as_int(rest->b); k && *k > 0 && *k < kMaxFactor) return *k;
  }
  return 1;
}

// The factors of the divisor by which some term can be divided, largest first.
std::vector<int64_t> Simplifier::common_factors(const Affine& x, int64_t divisor) const {
  std::vector<int64_t> factors;
  for (const Affine::Term& term : x.terms) {
    const Wide factor = Wide{term.coefficient} * known_factor(term.atom);
    if (!fits_int64(factor)) continue;
    const auto g =
        static_cast<int64_t>(gcd_of(magnitude(static_cast<int64_t>(factor)), magnitude(divisor)));
    if (g > 1) factors.push_back(g);
  }
  std::sort(factors.begin(), factors.end(), std::greater<>());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  return factors;
}

// x = factor * multiple + rest with 0 <= rest < factor, where the rest has the terms that the
// factor does not divide. Empty when the rest is not known to be so small.
std::optional<Simplifier::Multiple> Simplifier::split_multiple(const Affine& x, int64_t factor) {
  Multiple m;
  bool by_facts = false;
  for (const Affine::Term& term : x.terms) {
    const int64_t k = known_factor(term.atom);
    const Wide product = Wide{term.coefficient} * k;
    if (term.coefficient % factor == 0) {
      add_term(m.multiple, term.atom, term.coefficient / factor);
    } else if (product % factor == 0 && fits_int64(product)) {
      // k * (atom // k) stands for the atom.
      const Affine part =
          finished_atom(binary(BinaryOp::kFloorDiv, term.atom, constant_int(i64, k)));
      add_multiple(m.multiple, static_cast<int64_t>(product / factor), part);
      by_facts = true;
    } else {
      m.rest.terms.push_back(term);
    }
  }
  const Wide whole = floor_div(Wide{x.constant}, factor);
  m.multiple.constant = wrap_add(m.multiple.constant, static_cast<int64_t>(whole));
  m.rest.constant = static_cast<int64_t>(x.constant - whole * factor);
  // Naming atom // k is worth while only where it takes something off.
  if (by_facts && m.rest.is_constant() && m.rest.constant == 0) return std::nullopt;
  if (!span_of(m.rest).within(0, factor - 1)) return std::nullopt;
  return m;
}

Affine Simplifier::quotient(const Affine& x, const Affine& divisor) {
  if (divisor.is_constant() && divisor.constant > 0) {
    return constant_quotient(x, divisor.constant);
  }
  if (divisor.is_constant() && divisor.constant < 0 && divisor.constant >= -kSmall) {
    const Affine opposite = -1 * x;
    if (exact(x) && exact(opposite)) return constant_quotient(opposite, -divisor.constant);
  }
  if (is_atom(divisor) && !span_of(x).is_whole() && is_positive(divisor)) {
    if (const std::optional<Multiple> m = without_remainder(x, divisor)) {
      return quotient(m->rest, divisor) + m->multiple;
    }
    const Division d = divide(x, divisor.terms[0].atom);
    if (exact(d.rest)) {
      if (lies_below(d.rest, divisor)) return d.quotient;
      if (!d.quotient.is_constant() || d.quotient.constant != 0) {
        return d.quotient + quotient(d.rest, divisor);
      }
    }
  }
  return finished_atom(binary(BinaryOp::kFloorDiv, to_expr(x), to_expr(divisor)));
}

Affine Simplifier::remainder(const Affine& x, const Affine& divisor) {
  if (divisor.is_constant() && divisor.constant > 0) {
    return constant_remainder(x, divisor.constant);
  }
  if (is_atom(divisor) && !span_of(x).is_whole() && is_positive(divisor)) {
    if (const std::optional<Multiple> m = without_remainder(x, divisor)) {
      return remainder(m->rest, divisor);
    }
    const Division d = divide(x, divisor.terms[0].atom);
    if (exact(d.rest)) {
      if (lies_below(d.rest, divisor)) return d.rest;
      if (!d.quotient.is_constant() || d.quotient.constant != 0) {
        return remainder(d.rest, divisor);
      }
    }
  }
  return finished_atom(binary(BinaryOp::kFloorMod, to_expr(x), to_expr(divisor)));
}

Affine Simplifier::constant_quotient(const Affine& x, int64_t divisor) {
  if (divisor == 1) return x;
  if (!exact(x)) {
    return finished_atom(binary(BinaryOp::kFloorDiv, to_expr(x), constant_int(i64, divisor)));
  }
  // (c*q + r) // c = q + r // c
  Division d = divide(x, divisor);
  if (!exact(d.rest)) d = {Affine(), x};
  if (const std::optional<Multiple> m = without_remainder(d.rest, constant_form(divisor))) {
    return d.quotient + m->multiple + constant_quotient(m->rest, divisor);
  }
  const Span span = floor_div(span_of(d.rest), Span::point(divisor));
  if (span.is_point()) return d.quotient + constant_form(*span.lo);
  // (g*a + r) // (g*c) = a // c for 0 <= r < g
  for (const int64_t g : common_factors(d.rest, divisor)) {
    if (const std::optional<Multiple> m = split_multiple(d.rest, g)) {
      return d.quotient + constant_quotient(m->multiple, divisor / g);
    }
  }
  if (const std::optional<Affine> nested = nested_quotient(d.rest, divisor)) {
    return d.quotient + *nested;
  }
  return d.quotient +
         finished_atom(binary(BinaryOp::kFloorDiv, to_expr(d.rest), constant_int(i64, divisor)));
}

// x = divisor * multiple + rest where the rest is shorter: y % c = y - c * (y // c), and the terms
// of y meet others. (i - i % c) // c is i // c.
std::optional<Simplifier::Multiple> Simplifier::without_remainder(const Affine& x,
                                                                  const Affine& divisor) {
  for (const Affine::Term& term : x.terms) {
    const Binary* b = as_binary(term.atom, BinaryOp::kFloorMod);
    if (!b) continue;
    const Affine modulus = simple_form(b->b);
    Wide times = term.coefficient;
    if (divisor.is_constant() && modulus.is_constant()) {
      times *= modulus.constant;
      if (modulus.constant <= 0 || times % divisor.constant != 0) continue;
      times /= divisor.constant;
    } else if (!equal(modulus, divisor)) {
      continue;
    }
    if (times > kSmall || times < -kSmall) continue;
    const Affine number = simple_form(b->a);
    const Affine rest = x - term.coefficient * atom_form(term.atom) + term.coefficient * number;
    if (rest.terms.size() + 1 >= x.terms.size() || !exact(number) || !exact(rest)) continue;
    return Multiple{-static_cast<int64_t>(times) * quotient(number, modulus), rest};
  }
  return std::nullopt;
}

// (x // a + k) // b = (x + k*a) // (a*b)
std::optional<Affine> Simplifier::nested_quotient(const Affine& x, int64_t divisor) {
  if (x.terms.size() != 1 || x.terms[0].coefficient != 1) return std::nullopt;
  const Binary* inner = as_binary(x.terms[0].atom, BinaryOp::kFloorDiv);
  const std::optional<int64_t> a = inner ? as_int(inner->b) : std::nullopt;
  if (!a || *a <= 0) return std::nullopt;
  const Wide both = Wide{*a} * divisor, shift = Wide{*a} * x.constant;
  const Affine start = simple_form(inner->a);
  if (both > kSmall || shift > kSmall || shift < -kSmall || !exact(start)) return std::nullopt;
  const Affine number = start + constant_form(static_cast<int64_t>(shift));
  if (!exact(number)) return std::nullopt;
  return constant_quotient(number, static_cast<int64_t>(both));
}

Affine Simplifier::constant_remainder(const Affine& x, int64_t divisor) {
  if (divisor == 1) return {};
  if (!exact(x)) {
    return finished_atom(binary(BinaryOp::kFloorMod, to_expr(x), constant_int(i64, divisor)));
  }
  Affine rest = divide(x, divisor).rest;
  if (!exact(rest)) rest = x;
  if (const std::optional<Multiple> m = without_remainder(rest, constant_form(divisor))) {
    return constant_remainder(m->rest, divisor);
  }
  std::erase_if(rest.terms, [&](const Affine::Term& term) {
    return Wide{term.coefficient} * known_factor(term.atom) % divisor == 0;
  });
  const Span span = floor_div(span_of(rest), Span::point(divisor));
  if (span.is_point()) return rest - constant_form(wrap_mul(*span.lo, divisor));
  // (g*a + r) % (g*c) = g * (a % c) + r for 0 <= r < g
  for (const int64_t g : common_factors(rest, divisor)) {
    if (const std::optional<Multiple> m = split_multiple(rest, g)) {
      return g * constant_remainder(m->multiple, divisor / g) + m->rest;
    }
  }
  return finished_atom(binary(BinaryOp::kFloorMod, to_expr(rest), constant_int(i64, divisor)));
}

// c * (x // c) + x % c = x, and c * (x // c) = x where x % c is known to be 0.
void Simplifier::recombine(Affine& form) {
  for (size_t t = 0; t < form.terms.size(); ++t) {
    const Affine::Term term = form.terms[t];
    const Binary* q = as_binary(term.atom, BinaryOp::kFloorDiv);
    const std::optional<int64_t> c = q ? as_int(q->b) : std::nullopt;
    if (!c || *c <= 1 || term.coefficient % *c != 0) continue;
    const int64_t factor = term.coefficient / *c;
    const Affine x = simple_form(q->a);
    const Affine rest = constant_remainder(x, *c);
    // Only where it makes the form shorter: all terms of factor * (x % c) are there.
    const bool present = std::all_of(rest.terms.begin(), rest.terms.end(), [&](const auto& r) {
      return std::any_of(form.terms.begin(), form.terms.end(), [&](const auto& other) {
        return other.coefficient == wrap_mul(factor, r.coefficient) && equal(other.atom, r.atom);
      });
    });
    if (!present || !exact(x)) continue;
    form = form - factor * (*c * atom_form(term.atom) + rest) + factor * x;
    t = static_cast<size_t>(-1);  // the terms are new
  }
}

}  // namespace tenon
