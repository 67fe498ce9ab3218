// What is not linear: quotients and remainders get their defining rows, products of unknowns, data
// and the rest become open unknowns with constant ranges.
#include <algorithm>

#include "analysis/bounds.h"
#include "analysis/cases.h"
#include "analysis/encode.h"
#include "analysis/inspect.h"
#include "analysis/linear.h"

namespace tenon {
namespace {

int64_t coefficient(const Row& row, int unknown) {
  for (const auto& [v, a] : row.terms) {
    if (v == unknown) return a;
  }
  return 0;
}

// Numbers so small that the difference of two such rows does not overflow.
bool is_small(int64_t number) { return number >= -kSmall && number <= kSmall; }
bool is_small(const Row& row) {
  return is_small(row.constant) &&
         std::all_of(row.terms.begin(), row.terms.end(),
                     [](const auto& term) { return is_small(term.second); });
}

}  // namespace

Span Encoder::span_of(const Row& row) const {
  if (row.terms.size() == 1 && row.terms[0].second == 1 && row.constant == 0) {
    return spans_[row.terms[0].first];
  }
  Span span = Span::point(row.constant);
  Row rest;
  rest.terms = row.terms;
  for (const Sum& sum : sums_) {
    const int64_t a = coefficient(rest, sum.a);
    if (a == 0 || a != coefficient(rest, sum.b)) continue;
    span = span + Span::point(a) * sum.span;
    tenon::add_multiple(rest, -a, Row{{{sum.a, 1}, {sum.b, 1}}, 0});
  }
  for (const auto& [v, a] : rest.terms) span = span + Span::point(a) * spans_[v];
  return span;
}

bool Encoder::exact(const Row& row) const {
  const bool alone = row.terms.size() == 1 && row.terms[0].second == 1 && row.constant == 0;
  return alone || (is_small(row) && !span_of(row).is_whole());
}

Row Encoder::atom(const Expr& e, Environment& env) {
  if (const VarRef* ref = e.as<VarRef>()) return variable(ref->var, env);
  if (const Binary* b = e.as<Binary>(); b && b->a.type() == i64) {
    switch (b->op) {
      case BinaryOp::kFloorDiv: return floor_div(e, *b, env);
      case BinaryOp::kFloorMod: return floor_mod(e, *b, env);
      case BinaryOp::kTruncDiv:
      case BinaryOp::kTruncRem: {
        // The same as the floor forms where nothing is negative.
        const Row x = row(b->a, env), n = row(b->b, env);
        if (span_of(x).at_least(0) && span_of(n).at_least(0)) {
          return b->op == BinaryOp::kTruncDiv ? floor_div(e, *b, env) : floor_mod(e, *b, env);
        }
        break;
      }
      case BinaryOp::kMin: return extremum(false, e, *b, env);
      case BinaryOp::kMax: return extremum(true, e, *b, env);
      case BinaryOp::kCheck: {
        const Row index = row(b->a, env), size = row(b->b, env);
        const Row value = opaque(e, tenon::span_of(b->op, i64, span_of(index), span_of(size)), env);
        if (exact(size) && is_positive(b->b, size, env)) {
          add_at_least_zero(size - value - Row{{}, 1});
        }
        return value;
      }
      default: break;
    }
  }
  if (const Select* s = e.as<Select>()) return selection(e, *s, env);
  if (const Cast* c = e.as<Cast>(); c && c->a.type() == i64) {
    return opaque(e, span_of_cast(c->mode, i64, e.type(), span_of(row(c->a, env))), env);
  }
  return opaque(e, tenon::span_of(e, facts_), env);
}

// A loop over a size around the place says that the size is at least 1. (Asking the prover would
// come back here for the facts.)
bool Encoder::is_positive(const Expr& e, const Row& row, const Environment& env) const {
  if (span_of(row).at_least(1)) return true;
  if (differs(e, env)) return false;
  return std::any_of(facts_.loops().begin(), facts_.loops().end(), [&](const LoopRange& range) {
    return equal(range.hi, e) && as_int(range.lo).value_or(-1) >= 0;
  });
}

Row Encoder::floor_div(const Expr& e, const Binary& b, Environment& env) {
  const Row x = row(b.a, env), n = row(b.b, env);
  if (exact(x) && n.terms.empty() && n.constant != 0 && is_small(n.constant)) {
    if (n.constant > 0) return quotient(x, n.constant);
    const Row opposite = Row() - x;
    if (exact(opposite)) return quotient(opposite, -n.constant);
  }
  return opaque(e, tenon::floor_div(span_of(x), span_of(n)), env);
}

Row Encoder::floor_mod(const Expr& e, const Binary& b, Environment& env) {
  const Row x = row(b.a, env), n = row(b.b, env);
  if (exact(x) && n.terms.empty() && n.constant > 0 && is_small(n.constant)) {
    Row rest = x;
    tenon::add_multiple(rest, -n.constant, quotient(x, n.constant));
    return rest;
  }
  const Row value = opaque(e, tenon::floor_mod(span_of(x), span_of(n)), env);
  if (exact(n) && is_positive(b.b, n, env)) {
    add_at_least_zero(n - value - Row{{}, 1});
    if (exact(x) && span_of(x).at_least(0)) add_at_least_zero(x - value);
  }
  return value;
}

// x // divisor = A + R // divisor, where divisor divides every coefficient of A; the quotient of
// the small rest R is the unknown.
Row Encoder::quotient(const Row& x, int64_t divisor) {
  Row whole, rest;
  for (const auto& [v, a] : x.terms) {
    const int64_t q = static_cast<int64_t>(tenon::floor_div(Wide{a}, divisor));
    const int64_t r = a - q * divisor;
    if (r == 0) {
      whole.terms.emplace_back(v, q);
    } else {
      rest.terms.emplace_back(v, a);
    }
  }
  whole.constant = static_cast<int64_t>(tenon::floor_div(Wide{x.constant}, divisor));
  rest.constant = x.constant - whole.constant * divisor;
  if (rest.terms.empty()) return whole;
  if (!exact(rest)) whole = Row(), rest = x;
  const Span span = tenon::floor_div(span_of(rest), Span::point(divisor));
  if (span.is_point()) return whole + Row{{}, *span.lo};
  for (const Quotient& known : quotients_) {
    if (known.divisor == divisor && equal(known.row, rest)) return whole + row_of(known.unknown);
  }
  const int q = unknown(span);
  quotients_.push_back({rest, divisor, q});
  Row low = rest;
  tenon::add_multiple(low, -divisor, row_of(q));
  add_at_least_zero(low);
  add_at_least_zero(Row{{}, divisor - 1} - low);
  return whole + row_of(q);
}

// Products distribute over the terms of both rows; only a product of two unknowns is open.
Row Encoder::product(const Row& a, const Row& b, const Expr& e) {
  Row result = Row{{}, wrap_mul(a.constant, b.constant)};
  tenon::add_multiple(result, a.constant, Row{b.terms, 0});
  tenon::add_multiple(result, b.constant, Row{a.terms, 0});
  for (const auto& [u, x] : a.terms) {
    for (const auto& [v, y] : b.terms) {
      const int first = std::min(u, v), second = std::max(u, v);
      auto known = std::find_if(products_.begin(), products_.end(),
                                [&](const Product& p) { return p.a == first && p.b == second; });
      if (known == products_.end()) {
        products_.push_back({first, second, unknown(spans_[first] * spans_[second])});
        known = products_.end() - 1;
        relate_product(*known);
        add_open(e);
      }
      tenon::add_multiple(result, wrap_mul(x, y), row_of(known->unknown));
    }
  }
  return result;
}

// (u - end of u) * (v - end of v) has a known sign for each pair of ends: four linear rows, which
// say that n*d >= n where n >= 0 and d >= 1.
void Encoder::relate_product(const Product& p) {
  if (spans_[p.unknown].is_whole()) return;  // the product may wrap
  const Span u = spans_[p.a], v = spans_[p.b];
  const auto relate = [&](const std::optional<int64_t>& x, const std::optional<int64_t>& y,
                          int64_t sign) {
    constexpr int64_t kLarge = int64_t{1} << 31;  // keeps x*y and the rows small
    if (!x || !y || *x < -kLarge || *x > kLarge || *y < -kLarge || *y > kLarge) return;
    Row row{{}, sign * *x * *y};  // sign * (uv - x*v - y*u + xy) >= 0
    tenon::add_multiple(row, sign, row_of(p.unknown));
    tenon::add_multiple(row, -sign * *x, row_of(p.b));
    tenon::add_multiple(row, -sign * *y, row_of(p.a));
    add_at_least_zero(row);
  };
  relate(u.lo, v.lo, 1);
  relate(u.hi, v.hi, 1);
  relate(u.lo, v.hi, -1);
  relate(u.hi, v.lo, -1);
}

Row Encoder::extremum(bool is_max, const Expr& e, const Binary& b, Environment& env) {
  const Row x = row(b.a, env), y = row(b.b, env);
  if (!exact(x) || !exact(y)) return opaque(e, Span::whole(), env);
  const Span sx = span_of(x), sy = span_of(y);
  const Span difference = span_of(x - y);
  if (difference.at_least(0)) return is_max ? x : y;
  if (difference.at_most(0)) return is_max ? y : x;
  for (const Extremum& known : extrema_) {
    if (known.is_max == is_max && equal(known.a, x) && equal(known.b, y)) {
      return row_of(known.unknown);
    }
  }
  const int m = unknown(is_max ? max(sx, sy) : min(sx, sy));
  extrema_.push_back({is_max, x, y, m});
  complete_ = false;  // that it is one of the two is not said
  add_at_least_zero(is_max ? row_of(m) - x : x - row_of(m));
  add_at_least_zero(is_max ? row_of(m) - y : y - row_of(m));
  choices_.push_back({{Claim{row_of(m) - x, true}}, {Claim{row_of(m) - y, true}}});
  return row_of(m);
}

// One of the arms, where the condition says so. What a condition on data says is not known, but
// the value is one of the two all the same.
Row Encoder::selection(const Expr& e, const Select& s, Environment& env) {
  const Row on_true = row(s.on_true, env), on_false = row(s.on_false, env);
  const Span span = join(span_of(on_true), span_of(on_false));
  if (has_load(s.condition)) add_open(e);
  const auto [value, is_new] = stand_in(e, span, env);
  if (!is_new) return row_of(value);
  complete_ = false;
  Choice choice;
  std::vector<Claim>* const outer = claims_;
  for (const bool holds : {true, false}) {
    const Row difference = row_of(value) - (holds ? on_true : on_false);
    const bool says_value = exact(holds ? on_true : on_false);
    for (const Case& literals : cases_of(s.condition, holds)) {
      std::vector<Claim> claims;
      claims_ = &claims;
      for (const Literal& literal : literals) add_condition(literal.condition, literal.value, env);
      claims_ = outer;
      if (says_value) claims.push_back({difference, true});
      choice.push_back(std::move(claims));
    }
  }
  choices_.push_back(std::move(choice));
  return row_of(value);
}

// An expression has one value in all environments when everything in it does.
bool Encoder::differs(const Expr& e, const Environment& env) const {
  if (env.id_ == 0) return false;
  return any_in(e, [&](const Expr& x) {
    const VarRef* ref = x.as<VarRef>();
    return ref && (env.find(ref->var) || !known_outside(ref->var));
  });
}

// Whether it has one value throughout: it reads nothing that the Program writes.
bool Encoder::lasts(const Expr& e) const {
  return !any_in(e, [&](const Expr& x) {
    const Load* l = x.as<Load>();
    return l && !facts_.is_fixed(l->buffer);
  });
}

Row Encoder::opaque(const Expr& e, const Span& span, Environment& env) {
  add_open(e);
  return row_of(stand_in(e, span, env).first);
}

std::pair<int, bool> Encoder::stand_in(const Expr& e, const Span& span, Environment& env) {
  if (!lasts(e)) return {unknown(span), true};
  const int id = differs(e, env) ? env.id_ : 0;
  for (const Opaque& known : opaques_) {
    if (known.environment == id && equal(known.expr, e)) return {known.unknown, false};
  }
  if (id == 0) used_.add(e);  // facts may speak of it
  opaques_.push_back({e, id, unknown(span)});
  return {opaques_.back().unknown, true};
}

void Encoder::add_open(const Expr& e) {
  complete_ = false;
  for (const Expr& known : open_) {
    if (equal(known, e)) return;
  }
  open_.push_back(e);
}

}  // namespace tenon
