#include "dsl/bounded.h"

#include <optional>

#include "tenon/analysis/affine.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"

namespace tenon::dsl {

std::vector<Expr> conjuncts_of(const Expr& condition) {
  if (!condition) return {};
  const Binary* both = condition.as<Binary>();
  if (!both || both->op != BinaryOp::kBitAnd) return {condition};
  std::vector<Expr> parts = conjuncts_of(both->a);
  for (Expr& part : conjuncts_of(both->b)) parts.push_back(std::move(part));
  return parts;
}

namespace {

// Arithmetic on e's data cannot leave i64, so e may be moved to the other side of a comparison.
bool is_tame(const Expr& e) {
  if (const Cast* cast = e.as<Cast>()) {
    if (cast->mode == CastMode::kValue && cast->a.type().is_int() && cast->a.type().bytes() < 8) {
      // A check inside would be asked even where the domain is empty.
      return !any_in(cast->a, [](const Expr& x) {
        const Binary* b = x.as<Binary>();
        return x.is<Reduce>() || (b && b->op == BinaryOp::kCheck);
      });
    }
  }
  if (e.type() != i64 || e.is<Load>() || e.is<Reduce>() || e.is<Cast>()) return false;
  if (const VarRef* ref = e.as<VarRef>()) return ref->var.use() != Var::Use::kScalar;
  if (const Binary* b = e.as<Binary>(); b && b->op == BinaryOp::kCheck) return false;
  if (const Select* s = e.as<Select>()) return is_tame(s->on_true) && is_tame(s->on_false);
  bool tame = true;
  for_each_child(e, [&](const Expr& child) { tame = tame && is_tame(child); });
  return tame;
}

// The quotient, as a form.
Affine floor_div(const Affine& a, int64_t divisor) {
  return to_affine(divisor == 1 ? to_expr(a) : to_expr(a) / Expr(divisor));
}

int64_t floor_mod(int64_t a, int64_t n) { return ((a % n) + n) % n; }

// x with a * x == 1 modulo n, for small n.
std::optional<int64_t> inverse(int64_t a, int64_t n) {
  for (int64_t x = 0; x < n && n <= 1024; ++x) {
    if (floor_mod(floor_mod(a, n) * x, n) == 1 % n) return x;
  }
  return std::nullopt;
}

Affine constant(int64_t value) {
  Affine a;
  a.constant = value;
  return a;
}

// The one atom of this operator with a positive constant on its right that holds the axis, and
// what is added to it.
struct Atom {
  Affine inner;
  int64_t divisor;
  int64_t coefficient;  // of the atom
  Affine rest;
};
std::optional<Atom> atom_with(const Affine& form, const Var& axis, BinaryOp op) {
  std::optional<Atom> found;
  for (const Affine::Term& term : form.terms) {
    if (!uses(term.atom, axis)) continue;
    const Binary* b = term.atom.as<Binary>();
    const std::optional<int64_t> divisor = b ? as_int(b->b) : std::nullopt;
    if (found || !b || b->op != op || divisor.value_or(0) <= 0) return std::nullopt;
    found = Atom{to_affine(b->a), *divisor, term.coefficient,
                 form - term.coefficient * to_affine(term.atom)};
  }
  return found;
}

// What is known of one axis so far.
struct Limits {
  std::vector<Expr> lows, highs;  // lows <= axis < highs
  // axis % divisor == residue, with the residue in [0, divisor).
  std::optional<std::pair<int64_t, Expr>> step;
};

class Bounder {
 public:
  Bounder(const std::vector<ReduceAxis>& axes, Facts around)
      : axes_(axes), limits_(axes.size()), facts_(std::move(around)) {}

  Bounded run(const Expr& condition) {
    for (const Expr& part : conjuncts_of(condition)) {
      if (!bounds(part)) rest_.push_back(part);
    }
    Bounded result;
    for (size_t d = 0; d < axes_.size(); ++d) result.axes.push_back(finish(d));
    for (const Expr& part : rest_) result.conditions.push_back(substitute(part, indices_));
    result.indices = std::move(indices_);
    return result;
  }

 private:
  // Makes limits of a condition. False when it is none.
  bool bounds(const Expr& condition) {
    const Binary* b = condition.as<Binary>();
    if (!b || b->a.type() != i64) return false;
    size_t d = axes_.size();
    while (d > 0 && !uses(condition, axes_[d - 1].var)) --d;
    if (d == 0) return false;
    const Affine difference = to_affine(b->b) - to_affine(b->a);
    switch (b->op) {
      case BinaryOp::kLe: return at_least_zero(difference, d - 1, true);
      case BinaryOp::kLt: return at_least_zero(difference - constant(1), d - 1, true);
      case BinaryOp::kEq:
        if (residue(difference, d - 1)) return true;
        return at_least_zero(difference, d - 1, false) &&
               at_least_zero(-1 * difference, d - 1, false) &&
               at_least_zero(difference, d - 1, true) &&
               at_least_zero(-1 * difference, d - 1, true);
      default: return false;
    }
  }

  // form >= 0. Without `keep`: only whether it can be said.
  bool at_least_zero(const Affine& form, size_t d, bool keep) {
    const Var& axis = axes_[d].var;
    if (!form.is_linear_in(axis)) {
      const std::optional<Atom> atom = atom_with(form, axis, BinaryOp::kFloorDiv);
      if (!atom || form.coefficient(axis) != 0) return false;
      // x // n + rest >= 0 is x + rest * n >= 0; rest - x // n >= 0 is x < (rest + 1) * n.
      if (atom->coefficient == 1) {
        return at_least_zero(atom->inner + atom->divisor * atom->rest, d, keep);
      }
      return atom->coefficient == -1 &&
             at_least_zero(atom->divisor * (atom->rest + constant(1)) - constant(1) - atom->inner,
                           d, keep);
    }
    const int64_t c = form.coefficient(axis);
    const Affine rest = form - c * to_affine(axis);
    if (c == 0 || !is_tame(rest)) return false;
    if (!keep) return true;
    if (c > 0) {
      // axis >= ceil(-rest / c)
      limits_[d].lows.push_back(to_expr(floor_div(-1 * rest + constant(c - 1), c)));
    } else {
      limits_[d].highs.push_back(to_expr(floor_div(rest, -c) + constant(1)));
    }
    return true;
  }

  static bool is_tame(const Affine& form) {
    for (const Affine::Term& term : form.terms) {
      if (!dsl::is_tame(term.atom)) return false;
    }
    return true;
  }

  // form == 0, which is x % n == constant.
  bool residue(const Affine& form, size_t d) {
    const Var& axis = axes_[d].var;
    const std::optional<Atom> atom = atom_with(form, axis, BinaryOp::kFloorMod);
    if (!atom || limits_[d].step || form.coefficient(axis) != 0) return false;
    if (std::abs(atom->coefficient) != 1 || !atom->rest.is_constant()) return false;
    const int64_t target = -atom->coefficient * atom->rest.constant, n = atom->divisor;
    if (target < 0 || target >= n || !atom->inner.is_linear_in(axis)) return false;
    const int64_t c = atom->inner.coefficient(axis);
    const Affine rest = atom->inner - c * to_affine(axis);
    const std::optional<int64_t> back = inverse(c, n);
    if (!back || !is_tame(rest)) return false;
    // With the smaller factor: modulo 2, -i is i.
    const int64_t factor = *back * 2 > n ? *back - n : *back;
    Affine start = factor * (constant(target) - rest);
    for (Affine::Term& term : start.terms) {
      if (floor_mod(term.coefficient, n) * 2 <= n) {
        term.coefficient = floor_mod(term.coefficient, n);
      }
    }
    start.constant = floor_mod(start.constant, n);
    limits_[d].step = {n, start.is_constant() ? Expr(start.constant) : to_expr(start) % Expr(n)};
    return true;
  }

  Bounded::Axis finish(size_t d) {
    const auto settle = [&](const Expr& e) { return simplify(substitute(e, indices_), facts_); };
    const Limits& limits = limits_[d];
    const Expr extent = substitute(axes_[d].extent, indices_);
    Expr lo = constant_int(i64, 0), hi = extent;
    for (const Expr& low : limits.lows) lo = settle(max(lo, low));
    for (const Expr& high : limits.highs) hi = settle(min(hi, high));
    Bounded::Axis axis{{axes_[d].var, lo, hi}, extent};
    if (limits.step) {
      const Expr n(limits.step->first), start = settle(limits.step->second);
      axis.range.var = Var(axes_[d].var.name(), i64, Var::Use::kIndex);
      axis.range.lo = is_constant(lo, 0) ? lo : settle((lo - start + n - 1) / n);
      axis.range.hi = settle((hi - start + n - 1) / n);
      axis.extent = settle((extent + n - 1) / n);
      indices_[axes_[d].var] = simplify(Expr(axis.range.var) * n + start, facts_);
    }
    facts_ = facts_.inside(axis.range);
    return axis;
  }

  const std::vector<ReduceAxis>& axes_;
  std::vector<Limits> limits_;
  Facts facts_;
  std::vector<Expr> rest_;
  VarMap indices_;
};

}  // namespace

Bounded bounded(const std::vector<ReduceAxis>& axes, const Expr& condition, Facts around) {
  return Bounder(axes, std::move(around)).run(condition);
}

}  // namespace tenon::dsl
