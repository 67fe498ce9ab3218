// bounds_over: the ends of an index over inner loops, innermost first. What is monotone in a
// variable has its ends at the variable's ends; sums, min, max and // of such are bounded part by
// part, which is sound and exact where the variable occurs once.
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
  Eliminator(const LoopRange& range, const Facts& around)
      : var_(range.var), facts_(around), inside_(around.inside(range)) {
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
    if (const Select* s = e.as<Select>()) {
      return extremum(end, end_of(s->on_true, end), end_of(s->on_false, end));
    }
    if (const Binary* b = e.as<Binary>()) return end_of_operator(*b, end);
    return {};
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

  const Var& var_;
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
    Eliminator eliminator(inner[k], around[k]);
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
