#include "lower/lanes.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "lower/index_math.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/prove.h"
#include "tenon/ir/fold.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

Expr both(const Expr& a, const Expr& b) { return a ? binary(BinaryOp::kBitAnd, a, b) : b; }

bool is_zero_bits(const Expr& e) {
  if (const Broadcast* b = e.as<Broadcast>()) return is_zero_bits(b->a);
  const Const* c = e.as<Const>();
  return c && c->bits == 0;
}

Expr zero_of(Type type) { return constant_bits(type, 0); }

}  // namespace

bool any_vector(const std::vector<Expr>& list) {
  for (const Expr& e : list) {
    if (e.type().is_vector()) return true;
  }
  return false;
}

LaneMask LaneMask::with(const Expr& lanes, const Expr& condition) const {
  LaneMask result = *this;
  result.vector = both(vector, lanes);
  for (const Expr& part : conjuncts_of(condition)) result.conditions.push_back(part);
  return result;
}

Lanes::Lanes(const For& loop, int32_t count, BoundsProver& prover)
    : lane_(loop.var), lo_(loop.lo), count_(count), prover_(prover) {
  names_.emplace(lane_, ramp(lo_, constant_int(i64, 1), count));
}

bool Lanes::differs(const Expr& e) const {
  if (const VarRef* ref = e.as<VarRef>()) return names_.count(ref->var) > 0;
  bool found = false;
  for_each_child(e, [&](const Expr& child) { found = found || differs(child); });
  return found;
}

// Values bound inside of the loop, which differ between lanes in ways not looked into.
bool Lanes::uses_names(const Expr& e) const {
  for (const auto& [var, lanes] : names_) {
    if (!(var == lane_) && uses(e, var)) return true;
  }
  return false;
}

bool Lanes::apart(const std::vector<Expr>& indices, const Facts& facts) const {
  for (const Expr& index : indices) {
    const Affine a = to_affine(index);
    if (!uses_names(index) && a.is_linear_in(lane_) && a.coefficient(lane_) != 0) return true;
  }
  const Var other(lane_.name(), i64);
  const LoopRange behind{other, Expr(lane_) + 1, lo_ + Expr(int64_t{count_})};
  return never_meet(indices, {{lane_, other}}, facts.inside(behind));
}

bool Lanes::workers_apart(const Var& parallel, const std::vector<Expr>& indices,
                          const Facts& facts) const {
  VarMap others;
  Facts both = facts;
  for (const LoopRange& loop : facts.loops()) {
    const bool is_it = loop.var == parallel;
    if (!is_it && others.empty()) continue;  // the same for both
    const Var other(loop.var.name(), i64);
    const Expr lo = is_it ? Expr(loop.var) + 1 : substitute(loop.lo, others);
    both = both.inside(LoopRange{other, lo, substitute(loop.hi, others)});
    others.emplace(loop.var, other);
  }
  // Of names and data the other iteration may have others.
  const auto is_loops = [&](const Expr& index) {
    const std::set<Var> vars = free_vars(index);
    return !has_load(index) && std::all_of(vars.begin(), vars.end(), [&](const Var& var) {
      return facts.range_of(var) || facts.is_fixed(var);
    });
  };
  std::vector<Expr> known;
  std::copy_if(indices.begin(), indices.end(), std::back_inserter(known), is_loops);
  return never_meet(known, others, both);
}

bool Lanes::never_meet(const std::vector<Expr>& indices, const VarMap& others,
                       const Facts& facts) const {
  std::vector<Expr> meet;
  for (const Expr& index : indices) {
    if (uses_names(index)) continue;  // it may differ or not
    meet.push_back(index == substitute(index, others));
  }
  return never(facts, meet) == Answer::kYes;
}

// A comparison that is linear in the lane holds for some lane if it holds at one end. When all of
// them prefer the same end, they hold together there or nowhere.
Expr Lanes::any_on(const LaneMask& mask) const {
  int direction = 0;
  for (const Expr& condition : mask.conditions) {
    if (touches_memory(condition) || uses_names(condition)) return {};
    if (!uses(condition, lane_)) continue;
    const Binary* b = condition.as<Binary>();
    if (!b || b->a.type() != i64 || (b->op != BinaryOp::kLt && b->op != BinaryOp::kLe)) return {};
    const Affine slack = to_affine(b->b) - to_affine(b->a);
    if (!slack.is_linear_in(lane_)) return {};
    const int wants = slack.coefficient(lane_) < 0 ? -1 : 1;
    if (direction != 0 && wants != direction) return {};
    direction = wants;
  }
  const Expr end = direction < 0 ? lo_ : index_add(lo_, constant_int(i64, count_ - 1));
  return substitute_folded(conjunction_of(mask.conditions), {{lane_, end}});
}

std::vector<Expr> Lanes::across(const std::vector<Expr>& list, const LanePlace& place) const {
  std::vector<Expr> result;
  result.reserve(list.size());
  for (const Expr& e : list) result.push_back(across(e, place));
  return result;
}

Expr Lanes::across(const Expr& e, const LanePlace& place) const {
  if (const VarRef* ref = e.as<VarRef>()) {
    const auto found = names_.find(ref->var);
    return found == names_.end() ? e : found->second;
  }
  if (!differs(e) && (place.mask.all() || !touches_memory(e))) return e;
  if (const Binary* b = e.as<Binary>()) return across_binary(e, *b, place);
  if (const Select* s = e.as<Select>()) return across_select(*s, place);
  if (const Load* l = e.as<Load>()) return across_load(*l, place);
  return map_children(e, [&](const Expr& child) { return across(child, place); });
}

Expr Lanes::across_binary(const Expr& e, const Binary& b, const LanePlace& place) const {
  if (b.op == BinaryOp::kCheck) return across_check(b, place);
  const Expr x = across(b.a, place), y = across(b.b, place);
  if (b.a.type() != i64) return binary(b.op, x, y);
  if (is_comparison(b.op)) return index_compare(b.op, x, y);
  return fold_index(x.get() == b.a.get() && y.get() == b.b.get() ? e : binary(b.op, x, y));
}

// A scalar condition stays a branch. With a condition per lane, both arms are computed, each made
// harmless where it is not chosen.
Expr Lanes::across_select(const Select& s, const LanePlace& place) const {
  const Expr condition = across(s.condition, place);
  if (!condition.type().is_vector()) {
    const LanePlace chosen{place.mask, place.facts.given(condition)};
    const LanePlace other{place.mask, place.facts.given(negated(condition))};
    return make_select(condition, across(s.on_true, chosen), across(s.on_false, other));
  }
  const Expr opposite = negated(s.condition);
  const LanePlace chosen{place.mask.with(condition, s.condition), place.facts};
  const LanePlace other{place.mask.with(unary(UnaryOp::kNot, condition), opposite), place.facts};
  const Expr on_true = across(s.on_true, chosen);
  const Expr on_false = across(s.on_false, other);
  // Where a masked load is off, it gives 0 by itself.
  const Load* l = on_true.as<Load>();
  if (l && l->mask && equal(l->mask, chosen.mask.vector) && is_zero_bits(on_false)) return on_true;
  return make_select(condition, on_true, on_false);
}

Expr Lanes::across_load(const Load& l, const LanePlace& place) const {
  std::vector<Expr> indices = across(l.indices, place);
  if (l.mask) {
    const Expr mask = across(l.mask, place);
    return load(l.buffer, std::move(indices), both(place.mask.vector, spread(mask)));
  }
  if (place.mask.all() || in_bounds(l.buffer, l.indices, place.facts)) {
    return load(l.buffer, std::move(indices));
  }
  if (!any_vector(indices)) {
    if (const Expr any = any_on(place.mask)) {
      return make_select(any, load(l.buffer, std::move(indices)), zero_of(l.buffer.type()));
    }
  }
  return load(l.buffer, std::move(indices), place.mask.vector);
}

// Lanes that are off check that 0 is in [0, 1).
Expr Lanes::across_check(const Binary& b, const LanePlace& place) const {
  const Expr index = across(b.a, place), bound = across(b.b, place);
  if (place.mask.all()) return binary(b.op, index, bound);
  const Expr zero = constant_int(i64, 0), one = constant_int(i64, 1);
  const bool scalar = !index.type().is_vector() && !bound.type().is_vector();
  const Expr any = scalar ? any_on(place.mask) : Expr();
  const Expr on = any ? any : place.mask.vector;
  return binary(b.op, make_select(on, index, zero), make_select(on, bound, one));
}

}  // namespace tenon
