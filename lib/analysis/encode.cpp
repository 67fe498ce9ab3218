#include "analysis/encode.h"

#include <algorithm>

#include "analysis/bounds.h"
#include "analysis/inspect.h"
#include "analysis/linear.h"

namespace tenon {
namespace {

// Bounds that only data has say nothing to the solver, which computes with them.
std::optional<int64_t> solver_bound(const std::optional<int64_t>& end) {
  if (!end || *end == kInt64Min || *end == kInt64Max) return std::nullopt;
  return end;
}

Row constant_row(int64_t value) { return Row{{}, value}; }

}  // namespace

Row row_of(int unknown, int64_t coefficient) { return Row{{{unknown, coefficient}}, 0}; }

// Coefficients wrap, as the expressions do; exact() decides where that matters.
void add_multiple(Row& row, int64_t factor, const Row& other) {
  for (const auto& [v, a] : other.terms) {
    const int64_t change = wrap_mul(factor, a);
    auto place = std::lower_bound(row.terms.begin(), row.terms.end(), v,
                                  [](const auto& term, int u) { return term.first < u; });
    if (place == row.terms.end() || place->first != v) {
      if (change != 0) row.terms.insert(place, {v, change});
      continue;
    }
    place->second = wrap_add(place->second, change);
    if (place->second == 0) row.terms.erase(place);
  }
  row.constant = wrap_add(row.constant, wrap_mul(factor, other.constant));
}

Row operator+(Row a, const Row& b) {
  add_multiple(a, 1, b);
  return a;
}

Row operator-(Row a, const Row& b) {
  add_multiple(a, -1, b);
  return a;
}

bool equal(const Row& a, const Row& b) { return a.constant == b.constant && a.terms == b.terms; }

int64_t value_of(const Row& row, const std::vector<int64_t>& witness) {
  int64_t sum = row.constant;
  for (const auto& [v, a] : row.terms) sum = wrap_add(sum, wrap_mul(a, witness[v]));
  return sum;
}

void Environment::set(const Var& var, Row value) { values_.emplace_back(var, std::move(value)); }

const Row* Environment::find(const Var& var) const {
  for (auto value = values_.rbegin(); value != values_.rend(); ++value) {
    if (value->first == var) return &value->second;
  }
  return nullptr;
}

int Encoder::unknown(std::optional<int64_t> lo, std::optional<int64_t> hi) {
  return unknown(Span{lo, hi});
}

int Encoder::unknown(const Span& span) {
  spans_.push_back(span);
  return system_.variable(solver_bound(span.lo), solver_bound(span.hi));
}

Row Encoder::row(const Expr& e, Environment& env) {
  Row result;
  accumulate(result, 1, e, env);
  return result;
}

void Encoder::accumulate(Row& row, int64_t factor, const Expr& e, Environment& env) {
  const LinearParts parts = linear_parts(e);
  switch (parts.kind) {
    case LinearParts::Kind::kAtom: add_multiple(row, factor, atom(e, env)); break;
    case LinearParts::Kind::kConstant:
      row.constant = wrap_add(row.constant, wrap_mul(factor, parts.constant));
      break;
    case LinearParts::Kind::kSum:
      accumulate(row, factor, parts.a, env);
      accumulate(row, factor, parts.b, env);
      break;
    case LinearParts::Kind::kDifference:
      accumulate(row, factor, parts.a, env);
      accumulate(row, wrap_neg(factor), parts.b, env);
      break;
    case LinearParts::Kind::kNegation: accumulate(row, wrap_neg(factor), parts.a, env); break;
    case LinearParts::Kind::kProduct:
      add_multiple(row, factor, product(this->row(parts.a, env), this->row(parts.b, env), e));
      break;
  }
}

// --- Variables.

Row Encoder::variable(const Var& var, Environment& env) {
  if (const Row* value = env.find(var)) return *value;
  if (env.id_ == 0 || known_outside(var)) return outer_variable(var);
  Row fresh = row_of(unknown(Span::of(var.type())));
  env.set(var, fresh);
  return fresh;
}

bool Encoder::known_outside(const Var& var) const {
  return facts_.knows(var) || outer_.find(var) != nullptr;
}

Row Encoder::outer_variable(const Var& var) {
  if (const Row* value = outer_.find(var)) return *value;
  used_.add(var);
  if (const LoopRange* range = facts_.range_of(var)) return add_loop(*range, outer_);
  Row fresh = row_of(unknown(tenon::span_of(var, facts_)));
  outer_.set(var, fresh);
  return fresh;
}

Row Encoder::add_loop(const LoopRange& range, Environment& env) {
  std::vector<Row> lower, upper;
  collect_bounds(range.lo, BinaryOp::kMax, env, lower);
  collect_bounds(range.hi, BinaryOp::kMin, env, upper);
  // The constant sides go into the box, so that cheap tests see them.
  Span span = Span::whole();
  for (const Row& bound : lower) span = intersect(span, {span_of(bound).lo, kInt64Max});
  for (const Row& bound : upper) {
    span = intersect(span, {kInt64Min, (span_of(bound) - Span::point(1)).hi});
  }
  const Row var = row_of(unknown(span));
  env.set(range.var, var);
  for (const Row& bound : lower) {
    if (!bound.terms.empty()) add_at_least_zero(var - bound);
  }
  for (const Row& bound : upper) {
    if (!bound.terms.empty()) add_at_least_zero(bound - var - constant_row(1));
  }
  return var;
}

void Encoder::add_range(const LoopRange& range, Environment& env) {
  const Row var = variable(range.var, env);
  std::vector<Row> lower, upper;
  collect_bounds(range.lo, BinaryOp::kMax, env, lower);
  collect_bounds(range.hi, BinaryOp::kMin, env, upper);
  for (const Row& bound : lower) add_at_least_zero(var - bound);
  for (const Row& bound : upper) add_at_least_zero(bound - var - constant_row(1));
  const bool is_sum = var.terms.size() == 2 && var.constant == 0 && var.terms[0].second == 1 &&
                      var.terms[1].second == 1;
  if (!is_sum) return;
  Span span = span_of(var);
  for (const Row& bound : lower) span = intersect(span, {span_of(bound).lo, kInt64Max});
  for (const Row& bound : upper) {
    span = intersect(span, {kInt64Min, (span_of(bound) - Span::point(1)).hi});
  }
  sums_.push_back({var.terms[0].first, var.terms[1].first, span});
}

// `op` max: v >= max(a, b) is v >= a and v >= b; min likewise from above.
void Encoder::collect_bounds(const Expr& bound, BinaryOp op, Environment& env,
                             std::vector<Row>& rows) {
  if (const Binary* b = bound.as<Binary>(); b && b->op == op) {
    collect_bounds(b->a, op, env, rows);
    collect_bounds(b->b, op, env, rows);
    return;
  }
  Row value = row(bound, env);
  if (exact(value)) {
    rows.push_back(std::move(value));
  } else {
    complete_ = false;
  }
}

// --- Conditions.

void Encoder::add_condition(const Expr& condition, bool value, Environment& env) {
  if (const Unary* negation = as_not(condition)) return add_condition(negation->a, !value, env);
  if (const Binary* both = as_bool(condition, value ? BinaryOp::kBitAnd : BinaryOp::kBitOr)) {
    add_condition(both->a, value, env);
    add_condition(both->b, value, env);
    return;
  }
  if (const std::optional<int64_t> constant = as_int(condition)) {
    if ((*constant != 0) != value) claim(constant_row(-1), false);
    return;
  }
  const Binary* x = condition.as<Binary>();
  if (!x || !is_comparison(x->op) || x->a.type() != i64) return leave_out();
  switch (x->op) {
    case BinaryOp::kLt:
      return value ? add_order(x->a, x->b, 1, env) : add_order(x->b, x->a, 0, env);
    case BinaryOp::kLe:
      return value ? add_order(x->a, x->b, 0, env) : add_order(x->b, x->a, 1, env);
    case BinaryOp::kEq:
    case BinaryOp::kNe: break;
    default: return leave_out();
  }
  if ((x->op == BinaryOp::kEq) != value) return leave_out();
  equate(x->a, env, x->b, env);
}

// less + gap <= greater
void Encoder::add_order(const Expr& less, const Expr& greater, int64_t gap, Environment& env) {
  const auto parts = [](const Expr& e, BinaryOp op) {
    const Binary* b = e.as<Binary>();
    return b && b->op == op ? b : nullptr;
  };
  // max(a, b) <= c and c <= min(a, b) are two conditions each.
  if (const Binary* b = parts(less, BinaryOp::kMax)) {
    add_order(b->a, greater, gap, env);
    add_order(b->b, greater, gap, env);
    return;
  }
  if (const Binary* b = parts(greater, BinaryOp::kMin)) {
    add_order(less, b->a, gap, env);
    add_order(less, b->b, gap, env);
    return;
  }
  const Row low = row(less, env), high = row(greater, env);
  if (exact(low) && exact(high)) {
    claim(high - low - constant_row(gap), false);
  } else {
    leave_out();
  }
}

void Encoder::equate(const Expr& a, Environment& env_a, const Expr& b, Environment& env_b) {
  const Row x = row(a, env_a), y = row(b, env_b);
  // Forms that differ by a range within 2^63 are equal exactly when i64 says so, even where both
  // wrap.
  const Row difference = x - y;
  if (exact(difference) || (exact(x) && exact(y))) {
    claim(difference, true);
  } else {
    leave_out();
  }
}

void Encoder::add_at_least_zero(const Row& row) { system_.at_least_zero(row); }

// What a condition says, unlike what unknowns are, holds in one alternative of a choice only.
void Encoder::claim(Row row, bool equation) {
  if (claims_) {
    claims_->push_back({std::move(row), equation});
  } else if (equation) {
    system_.equal_zero(row);
  } else {
    system_.at_least_zero(row);
  }
}

void Encoder::leave_out() { complete_ = false; }

// --- Facts.

void Encoder::add_facts() {
  std::vector<char> loop_done(facts_.loops().size()), condition_done(facts_.conditions().size());
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < loop_done.size(); ++i) {
      const LoopRange& loop = facts_.loops()[i];
      if (loop_done[i] || !used_.may_meet(facts_.loop_mask(i))) continue;
      if (!used_.has(loop.var) && !used_.meets(loop.lo) && !used_.meets(loop.hi)) continue;
      loop_done[i] = more = true;
      outer_variable(loop.var);
    }
    for (size_t i = 0; i < condition_done.size(); ++i) {
      if (condition_done[i] || !used_.may_meet(facts_.condition_mask(i))) continue;
      if (!used_.meets(facts_.conditions()[i])) continue;
      condition_done[i] = more = true;
      add_condition(facts_.conditions()[i], true, outer_);
    }
  }
}

std::vector<IntegerSystem> Encoder::systems() const {
  constexpr size_t kMaxSystems = 16;
  std::vector<IntegerSystem> all = {system_};
  for (const Choice& choice : choices_) {
    if (all.size() * choice.size() > kMaxSystems) continue;
    std::vector<IntegerSystem> more;
    more.reserve(all.size() * choice.size());
    for (const IntegerSystem& system : all) {
      for (const std::vector<Claim>& claims : choice) {
        more.push_back(system);
        for (const Claim& claim : claims) {
          claim.equation ? more.back().equal_zero(claim.row) : more.back().at_least_zero(claim.row);
        }
      }
    }
    all = std::move(more);
  }
  return all;
}

void Encoder::add_all_facts() {
  used_.add_every_variable();
  add_facts();
}

}  // namespace tenon
