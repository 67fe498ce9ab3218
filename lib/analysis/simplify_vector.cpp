// Lanes: operations on broadcasts happen once, sums of ramps are ramps, and a comparison of ramps
// is decided at its two ends.
#include "analysis/bounds.h"
#include "analysis/simplifier.h"
#include "tenon/analysis/prove.h"

namespace tenon {
namespace {

// What all lanes share; null when the lanes differ.
Expr shared(const Expr& e) {
  const Broadcast* b = e.as<Broadcast>();
  return b ? b->a : Expr();
}

// base + lane * stride; a Broadcast has stride 0.
struct Line {
  Expr base, stride;
};
std::optional<Line> line_of(const Expr& e) {
  if (const Ramp* r = e.as<Ramp>()) return Line{r->base, r->stride};
  if (const Broadcast* b = e.as<Broadcast>())
    return Line{b->a, constant_int(e.type().element(), 0)};
  return std::nullopt;
}

Expr line(const Expr& base, const Expr& stride, int32_t lanes) {
  if (is_constant(stride, 0)) return broadcast_lanes(base, lanes);
  return ramp(base, stride, lanes);
}

Expr of_lines(const Expr& e, const Binary& x) {
  const std::optional<Line> a = line_of(x.a), b = line_of(x.b);
  if (!a || !b || !e.type().is_int()) return {};
  const int32_t lanes = e.type().lanes;
  switch (x.op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return line(binary(x.op, a->base, b->base), binary(x.op, a->stride, b->stride), lanes);
    case BinaryOp::kMul:
      if (const Expr factor = shared(x.b)) {
        return line(binary(x.op, a->base, factor), binary(x.op, a->stride, factor), lanes);
      }
      if (const Expr factor = shared(x.a)) {
        return line(binary(x.op, b->base, factor), binary(x.op, b->stride, factor), lanes);
      }
      return {};
    default: return {};
  }
}

Expr lane(const Line& line, int32_t number) {
  const Expr offset = binary(BinaryOp::kMul, line.stride, constant_int(i64, number));
  return binary(BinaryOp::kAdd, line.base, offset);
}

// Between two ends that stay in i64 a line does not wrap, so what holds at both holds between.
std::optional<bool> decided_at_ends(const Expr& e, const Binary& x, const Facts& facts) {
  const std::optional<Line> a = line_of(x.a), b = line_of(x.b);
  const bool is_order = x.op == BinaryOp::kLt || x.op == BinaryOp::kLe;
  if (!a || !b || !is_order || x.a.type().element() != i64) return std::nullopt;
  bool all = true, none = true;
  for (const int32_t number : {0, e.type().lanes - 1}) {
    const Expr left = lane(*a, number), right = lane(*b, number);
    if (span_of(left, facts).is_whole() || span_of(right, facts).is_whole()) return std::nullopt;
    const Expr condition = binary(x.op, left, right);
    all = all && proved(facts, condition);
    none = none && !all && proved(facts, unary(UnaryOp::kNot, condition));
    if (!all && !none) return std::nullopt;
  }
  return all;
}

Expr of_binary(const Expr& e, const Binary& x, const Facts& facts) {
  const int32_t lanes = e.type().lanes;
  const Expr a = shared(x.a), b = shared(x.b);
  if (a && b) return broadcast_lanes(binary(x.op, a, b), lanes);
  if (is_comparison(x.op)) {
    const std::optional<bool> known = decided_at_ends(e, x, facts);
    return known ? broadcast_lanes(Expr(*known), lanes) : Expr();
  }
  return of_lines(e, x);
}

}  // namespace

Expr simplify_vector(const Expr& e, const Facts& facts) {
  const Type type = e.type();
  if (!type.is_vector()) return {};
  if (const Ramp* r = e.as<Ramp>()) {
    return is_constant(r->stride, 0) ? broadcast_lanes(r->base, type.lanes) : Expr();
  }
  if (const Unary* u = e.as<Unary>()) {
    const Expr a = shared(u->a);
    return a ? broadcast_lanes(unary(u->op, a), type.lanes) : Expr();
  }
  if (const Cast* c = e.as<Cast>()) {
    const Expr a = shared(c->a);
    return a ? broadcast_lanes(make_cast(c->mode, type.element(), a), type.lanes) : Expr();
  }
  if (const Binary* b = e.as<Binary>()) return of_binary(e, *b, facts);
  return {};
}

}  // namespace tenon
