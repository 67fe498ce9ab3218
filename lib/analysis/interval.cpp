#include "tenon/analysis/interval.h"

#include <algorithm>

#include "analysis/bounds.h"
#include "analysis/inspect.h"

namespace tenon {
namespace {

// How far conditions are followed from one variable to the next: `let` after `let`, but one
// inequality only, since each may lead to all the others.
constexpr int kMaxHops = 4;

// A result that leaves a type narrower than i64 wraps to anything.
Span held(Type type, const Span& span) {
  if (type.element() == i64) return span;
  const Span all = Span::of(type);
  return span.inside(all) ? span : all;
}

class Bounder {
 public:
  explicit Bounder(const Facts& facts) : facts_(facts) {}

  Span of(const Expr& e) {
    if (e.type().is_float() || e.type().element() == u64) return Span::whole();
    return match(
        e.node().kind,  //
        [&](const Const& c) {
          return Span::point(as_int(e).value_or(static_cast<int64_t>(c.bits)));
        },
        [&](const VarRef& x) { return of(x.var); },
        [&](const Unary& x) { return span_of(x.op, e.type(), of(x.a)); },
        [&](const Binary& x) {
          if (x.a.type().is_float() || x.a.type().element() == u64) return Span::of(e.type());
          return span_of(x.op, x.a.type(), of(x.a), of(x.b));
        },
        [&](const Select& x) { return of(x); },
        [&](const Cast& x) { return span_of_cast(x.mode, x.a.type(), e.type(), of(x.a)); },
        [&](const Broadcast& x) { return of(x.a); },
        [&](const Ramp& x) {
          const Span steps{0, e.type().lanes - 1};
          return held(e.type(), of(x.base) + of(x.stride) * steps);
        },
        [&](const auto&) { return Span::of(e.type()); });
  }

 private:
  // Each arm matters only where the condition says so. While conditions are followed the arms are
  // taken as they are, since the way from one to the next has to end.
  Span of(const Select& x) {
    const Span condition = of(x.condition);
    if (condition.at_least(1)) return of(x.on_true);
    if (condition.at_most(0)) return of(x.on_false);
    const bool is_plain = x.condition.type() != boolean || hops_ > 0;
    const auto arm = [&](const Expr& value, const Expr& holds) {
      if (is_plain || value.is<Const>()) return of(value);
      const Facts facts = facts_.given(holds);
      return Bounder(facts).of(value);
    };
    return join(arm(x.on_true, x.condition), arm(x.on_false, unary(UnaryOp::kNot, x.condition)));
  }

  Span of(const Var& var) {
    if (hops_ > 0) return computed(var);
    // Bounds of inner loops mention outer ones again and again.
    for (const auto& [known, span] : vars_) {
      if (known == var) return span;
    }
    vars_.emplace_back(var, computed(var));
    return vars_.back().second;
  }

  Span computed(const Var& var) {
    Span span = Span::of(var.type());
    if (facts_.is_size(var)) {
      span = {0, std::nullopt};
    } else if (const LoopRange* range = facts_.range_of(var)) {
      span = Span{of(range->lo).lo, (of(range->hi) - Span::point(1)).hi};
    }
    for (size_t c = 0; c < facts_.conditions().size(); ++c) {
      if (facts_.condition_mask(c) & mask_of(var)) narrow(span, var, facts_.conditions()[c]);
    }
    return span;
  }

  // Conditions that compare the variable itself.
  void narrow(Span& span, const Var& var, const Expr& condition) {
    const Binary* x = condition.as<Binary>();
    if (!x || !is_comparison(x->op) || x->op == BinaryOp::kNe) return;
    const bool left = is(x->a, var), right = is(x->b, var);
    if (left == right || hops_ >= (x->op == BinaryOp::kEq ? kMaxHops : 1)) return;
    ++hops_;
    const Span other = of(left ? x->b : x->a);
    --hops_;
    const int64_t gap = x->op == BinaryOp::kLt ? 1 : 0;
    const Span below{kInt64Min, (other - Span::point(gap)).hi};
    const Span above{(other + Span::point(gap)).lo, kInt64Max};
    if (x->op == BinaryOp::kEq) {
      span = equal_to(span, other);
    } else {
      span = intersect(span, left ? below : above);
    }
  }

  // A name for an index expression is an index variable.
  static Span equal_to(const Span& span, const Span& other) {
    return span.is_whole() ? other : intersect(span, other);
  }

  static bool is(const Expr& e, const Var& var) {
    const VarRef* ref = e.as<VarRef>();
    return ref && ref->var == var;
  }

  const Facts& facts_;
  int hops_ = 0;
  std::vector<std::pair<Var, Span>> vars_;
};

}  // namespace

Span span_of(const Expr& e, const Facts& facts) { return Bounder(facts).of(e); }

Span span_of(UnaryOp op, Type type, const Span& a) {
  switch (op) {
    case UnaryOp::kNeg: return held(type, -a);
    case UnaryOp::kAbs:
      if (a.at_least(0)) return a;
      return held(type, a.at_most(0) ? -a : max(a, -a));
    case UnaryOp::kNot: return type.is_bool() ? Span{1 - *a.hi, 1 - *a.lo} : Span::of(type);
    default: return Span::of(type);
  }
}

namespace {

// The truth of a < b or a <= b (gap 0) as a span of 0 and 1.
Span order_of(const Span& a, const Span& b, int64_t gap) {
  if (a.hi && b.lo && Wide{*a.hi} + gap <= *b.lo) return Span::point(1);
  if (a.lo && b.hi && Wide{*a.lo} + gap > *b.hi) return Span::point(0);
  return {0, 1};
}

Span equality_of(const Span& a, const Span& b) {
  if (a.is_point() && b.is_point() && *a.lo == *b.lo) return Span::point(1);
  const bool apart = order_of(a, b, 1).at_least(1) || order_of(b, a, 1).at_least(1);
  return apart ? Span::point(0) : Span{0, 1};
}

}  // namespace

Span span_of(BinaryOp op, Type type, const Span& a, const Span& b) {
  switch (op) {
    case BinaryOp::kAdd: return held(type, a + b);
    case BinaryOp::kSub: return held(type, a - b);
    case BinaryOp::kMul: return held(type, a * b);
    case BinaryOp::kFloorDiv: return held(type, floor_div(a, b));
    case BinaryOp::kFloorMod: return held(type, floor_mod(a, b));
    case BinaryOp::kTruncDiv:
      return a.at_least(0) && b.at_least(0) ? floor_div(a, b) : Span::of(type);
    case BinaryOp::kTruncRem:
      return a.at_least(0) && b.at_least(0) ? floor_mod(a, b) : Span::of(type);
    case BinaryOp::kMin: return min(a, b);
    case BinaryOp::kMax: return max(a, b);
    case BinaryOp::kBitAnd:
      if (type.is_bool()) return min(a, b);
      if (a.at_least(0) && b.at_least(0)) return {0, min(a, b).hi};
      return Span::of(type);
    case BinaryOp::kBitOr: return type.is_bool() ? max(a, b) : Span::of(type);
    case BinaryOp::kLt: return order_of(a, b, 1);
    case BinaryOp::kLe: return order_of(a, b, 0);
    case BinaryOp::kEq: return equality_of(a, b);
    case BinaryOp::kNe: return Span::point(1) - equality_of(a, b);
    case BinaryOp::kCheck: {
      // i, or 0 where the promise is broken.
      const Span kept = intersect(a, {kInt64Min, (b - Span::point(1)).hi});
      return {0, max(kept, Span::point(0)).hi};
    }
    default: return Span::of(is_comparison(op) ? boolean : type);
  }
}

Span span_of_cast(CastMode mode, Type from, Type to, const Span& a) {
  const Span all = Span::of(to);
  if (mode == CastMode::kBits || from.is_float() || from.element() == u64 || to.is_float()) {
    return all;
  }
  if (to.is_bool()) return all;
  if (a.inside(all)) return a;
  if (mode != CastMode::kSaturate) return all;
  const auto saturated = [&](const std::optional<int64_t>& end,
                             const std::optional<int64_t>& open) {
    return end ? std::clamp(*end, *all.lo, *all.hi) : *open;
  };
  return {saturated(a.lo, all.lo), saturated(a.hi, all.hi)};
}

Interval bounds(const Expr& e, const Facts& facts) {
  const Span span = span_of(e, facts);
  Interval interval{span.lo, span.hi};
  if (interval.lo == kInt64Min) interval.lo.reset();
  if (interval.hi == kInt64Max) interval.hi.reset();
  return interval;
}

}  // namespace tenon
