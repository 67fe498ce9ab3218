// bounds_over: the ends of an index over inner loops, innermost first. What is monotone in a
// variable has its ends at the variable's ends; sums, min, max and // of such are bounded part by
// part, which is sound and exact where the variable occurs once. The arms of a select are bounded
// over what the condition leaves of the range.
#include <algorithm>
#include <span>

#include "analysis/bounds.h"
#include "analysis/inspect.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

enum class End : uint8_t { kLow, kHigh };
End opposite(End end) { return end == End::kLow ? End::kHigh : End::kLow; }

// Replaces one loop variable by what bounds the expression from below or above. Null: not known.
class Eliminator {
 public:
  // `later` are the ranges that are eliminated after this one.
  Eliminator(const LoopRange& range, const Facts& around, std::span<const LoopRange> later)
      : range_(range),
        var_(range_.var),
        later_(later),
        facts_(around),
        inside_(around.inside(range)) {
    ends_[0] = range.lo;
    ends_[1] = binary(BinaryOp::kSub, range.hi, constant_int(i64, 1));
  }

  Expr end_of(const Expr& e, End end) {
    if (!uses(e, var_)) return e;
    const Affine form = to_affine(e);
    Affine sum{{}, form.constant};
    for (const Affine::Term& term : form.terms) {
      const Expr part = end_of_atom(term.atom, term.coefficient > 0 ? end : opposite(end));
      if (!part) return {};
      sum = sum + term.coefficient * to_affine(part);
    }
    return to_expr(sum);
  }

 private:
  Expr end_of_atom(const Expr& e, End end) {
    if (const VarRef* ref = e.as<VarRef>()) {
      return ref->var == var_ ? ends_[end == End::kHigh] : e;
    }
    if (!uses(e, var_)) return e;
    if (const Select* s = e.as<Select>()) return end_of_select(*s, end);
    if (const Binary* b = e.as<Binary>()) return end_of_operator(*b, end);
    return {};
  }

  Expr end_of_select(const Select& s, End end) {
    const bool is_later = std::any_of(later_.begin(), later_.end(), [&](const LoopRange& range) {
      return uses(s.condition, range.var);
    });
    if (is_later && !uses(s.condition, var_)) {
      const Expr on_true = end_of(s.on_true, end), on_false = end_of(s.on_false, end);
      return on_true && on_false ? make_select(s.condition, on_true, on_false) : Expr();
    }
    return extremum(end, end_of_arm(s.on_true, s.condition, end),
                    end_of_arm(s.on_false, unary(UnaryOp::kNot, s.condition), end));
  }

  Expr end_of_arm(const Expr& arm, const Expr& holds, End end) {
    if (!uses(arm, var_)) return arm;
    LoopRange range = range_;
    const Facts arms = Facts().given(holds);
    for (const Expr& condition : arms.conditions()) narrow(range, condition);
    if (equal(range.lo, range_.lo) && equal(range.hi, range_.hi)) return end_of(arm, end);
    return Eliminator(range, facts_, later_).end_of(arm, end);
  }

  // The part of the range in which the condition holds, or more than that.
  void narrow(LoopRange& range, const Expr& condition) const {
    const Binary* x = condition.as<Binary>();
    if (!x || !is_comparison(x->op) || x->a.type() != i64) return;
    if (span_of(x->a, inside_).is_whole() || span_of(x->b, inside_).is_whole()) return;
    Affine rest = to_affine(x->b) - to_affine(x->a);
    const int64_t c = rest.coefficient(var_);
    if (c == 0 || !rest.is_linear_in(var_)) return;
    rest = rest - c * to_affine(var_);
    const bool is_equation = x->op == BinaryOp::kEq || x->op == BinaryOp::kNe;
    if (is_equation && c != 1 && c != -1) return;
    if (x->op == BinaryOp::kNe) {
      // Only at an end does a missing number leave a range.
      const Affine value = -c * rest, lo = to_affine(range.lo), hi = to_affine(range.hi);
      const Affine one{{}, 1};
      if (equal(value, lo)) range.lo = to_expr(lo + one);
      if (equal(value, hi - one)) range.hi = to_expr(value);
      return;
    }
    // c * var + rest >= 0
    if (x->op == BinaryOp::kLt) rest.constant -= 1;
    const auto at_least = [&](int64_t factor, const Affine& form) {
      const Expr quotient = binary(BinaryOp::kFloorDiv, to_expr(form),
                                   constant_int(i64, factor > 0 ? factor : -factor));
      if (factor > 0) {
        range.lo = binary(BinaryOp::kMax, range.lo, unary(UnaryOp::kNeg, quotient));
      } else {
        range.hi = binary(BinaryOp::kMin, range.hi,
                          binary(BinaryOp::kAdd, quotient, constant_int(i64, 1)));
      }
    };
    at_least(c, rest);
    if (is_equation) at_least(-c, -1 * rest);
  }

  Expr end_of_operator(const Binary& b, End end) {
    switch (b.op) {
      case BinaryOp::kMin:
      case BinaryOp::kMax: return made(b.op, end_of(b.a, end), end_of(b.b, end));
      case BinaryOp::kMul: return end_of_product(b, end);
      case BinaryOp::kFloorDiv:
        if (uses(b.b, var_) || !span_of(b.b, facts_).at_least(1)) return {};
        return made(b.op, end_of(b.a, end), b.b);
      case BinaryOp::kFloorMod:
        if (!span_of(b.b, inside_).at_least(1)) return {};
        return end == End::kLow ? constant_int(i64, 0) : last_below(end_of(b.b, End::kHigh));
      case BinaryOp::kCheck:
        if (!span_of(b.b, inside_).at_least(1)) return {};
        return end == End::kLow ? constant_int(i64, 0) : last_below(end_of(b.b, End::kHigh));
      default: return {};
    }
  }

  // x * y with y >= 0 or y <= 0 free of the variable.
  Expr end_of_product(const Binary& b, End end) {
    const bool left = uses(b.a, var_);
    if (left && uses(b.b, var_)) return {};
    const Expr& moving = left ? b.a : b.b;
    const Expr& factor = left ? b.b : b.a;
    const Span span = span_of(factor, facts_);
    if (span.at_least(0)) return made(b.op, end_of(moving, end), factor);
    if (span.at_most(0)) return made(b.op, end_of(moving, opposite(end)), factor);
    return {};
  }

  static Expr last_below(const Expr& size) {
    return size ? binary(BinaryOp::kSub, size, constant_int(i64, 1)) : Expr();
  }
  static Expr extremum(End end, const Expr& a, const Expr& b) {
    return made(end == End::kLow ? BinaryOp::kMin : BinaryOp::kMax, a, b);
  }
  static Expr made(BinaryOp op, const Expr& a, const Expr& b) {
    return a && b ? binary(op, a, b) : Expr();
  }

  const LoopRange range_;
  const Var& var_;
  std::span<const LoopRange> later_;
  const Facts& facts_;  // outside of the loop
  Facts inside_;
  Expr ends_[2];
};

// Written elements may have changed by the time that a bound is used elsewhere.
bool reads_written(const Expr& e, const Facts& facts) {
  return any_in(e, [&](const Expr& x) {
    const Load* l = x.as<Load>();
    return l && !facts.is_fixed(l->buffer);
  });
}

}  // namespace

std::optional<SymbolicInterval> bounds_over(const Expr& e, const std::vector<LoopRange>& inner,
                                            const Facts& facts) {
  std::vector<Facts> around = {facts};  // around[k]: outside of inner[k]
  for (const LoopRange& range : inner) around.push_back(around.back().inside(range));
  const Expr start = simplify(e, around.back());
  SymbolicInterval result{start, start};
  for (size_t k = inner.size(); k-- > 0;) {
    Eliminator eliminator(inner[k], around[k], std::span(inner).first(k));
    result.lo = eliminator.end_of(result.lo, End::kLow);
    result.hi = eliminator.end_of(result.hi, End::kHigh);
    if (!result.lo || !result.hi) return std::nullopt;
    result.lo = simplify(result.lo, around[k]);
    result.hi = simplify(result.hi, around[k]);
  }
  if (reads_written(result.lo, facts) || reads_written(result.hi, facts)) return std::nullopt;
  return result;
}

}  // namespace tenon
