// settle_guards: conditions that unrolling made certain.
//
//   vector for v in 0..16 { if 13 < 29 { S } }                 ->   vector for v in 0..16 { S }
//   vector for v in 0..16 { if v + 16 < 29 and io < 11 { T } }      the same, if it is not certain
//   vector for v in 0..16 { if v + 32 < 29 { U } }             ->   nothing
//
// Needs: kNoUnroll. Gives: nothing new. This is what is left to simplify after unrolling, and it
// has to be cheap, since now there are many statements: ranges of variables decide most conditions.
// The solver is asked only about conditions that all lanes share, once per loop and condition.
#include <unordered_map>

#include "lower/guards.h"
#include "lower/passes.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

enum class Truth { kTrue, kFalse, kOpen };

// What the ranges of its variables say about an order of integers.
Truth by_range(const Expr& condition, const Facts& facts) {
  if (is_constant(condition)) return is_constant(condition, 1) ? Truth::kTrue : Truth::kFalse;
  const Binary* b = condition.as<Binary>();
  if (!b || b->a.type() != i64 || (b->op != BinaryOp::kLt && b->op != BinaryOp::kLe)) {
    return Truth::kOpen;
  }
  const Interval slack = bounds(to_expr(to_affine(b->b) - to_affine(b->a)), facts);
  const int64_t needed = b->op == BinaryOp::kLt ? 1 : 0;
  if (slack.lo && *slack.lo >= needed) return Truth::kTrue;
  return slack.hi && *slack.hi < needed ? Truth::kFalse : Truth::kOpen;
}

// Quotients, remainders and the like of indices may have become simpler.
bool wants_simplifier(const Expr& e) {
  return any_in(e, [](const Expr& x) {
    const Binary* b = x.as<Binary>();
    return b && b->a.type().element() == i64 && b->op >= BinaryOp::kFloorDiv &&
           b->op <= BinaryOp::kMax;
  });
}

bool has_select(const Expr& e) {
  return any_in(e, [](const Expr& x) { return x.is<Select>(); });
}

class Settler {
 public:
  explicit Settler(const Facts& facts) : facts_(facts), scope_facts_(facts) {}

  Stmt statement(const Stmt& s) {
    if (const For* x = s.as<For>()) return loop(*x);
    if (const If* x = s.as<If>()) return guarded(*x);
    if (!s.is<Seq>()) {
      return map_children(
          s, [&](const Expr& e) { return expression(e); }, [](const Stmt& t) { return t; });
    }
    std::vector<Stmt> parts;
    for (const Stmt& part : statements_of(s)) {
      if (const Bind* name = part.as<Bind>()) facts_ = facts_.bound(*name);
      Stmt settled = statement(part);
      if (!is_empty(settled)) parts.push_back(std::move(settled));
    }
    return seq(std::move(parts));
  }

 private:
  using Memo = std::unordered_map<Expr, Truth, ExprHash, ExprEqual>;

  Stmt loop(const For& x) {
    const Facts outer = facts_;
    const Var outer_lane = lane_;
    facts_ = facts_.inside(x);
    Stmt body;
    if (x.kind == ForKind::kVector) {
      lane_ = x.var;
      body = statement(x.body);
    } else {
      Memo outer_memo;
      std::swap(memo_, outer_memo);
      const Facts outer_scope = scope_facts_;
      scope_facts_ = facts_;
      body = statement(x.body);
      scope_facts_ = outer_scope;
      std::swap(memo_, outer_memo);
    }
    facts_ = outer;
    lane_ = outer_lane;
    if (is_empty(body)) return body;
    return make_for(x.var, expression(x.lo), expression(x.hi), x.kind, body);
  }

  Stmt guarded(const If& x) {
    std::vector<Expr> open;
    for (const Expr& part : conjuncts_of(x.condition)) {
      const Truth truth = decide(part);
      if (truth == Truth::kFalse) return seq({});
      if (truth == Truth::kOpen) open.push_back(expression(part));
    }
    const Facts outer = facts_;
    const Expr condition = conjunction_of(open);
    if (condition) facts_ = facts_.given(condition);
    const Stmt body = statement(x.body);
    facts_ = outer;
    return is_empty(body) || !condition ? body : make_if(condition, body);
  }

  Expr expression(const Expr& e) {
    if (e.is<Const>() || e.is<VarRef>()) return e;
    const Expr settled = has_select(e) ? selects(e) : e;
    return wants_simplifier(settled) ? simplify(settled, facts_) : settled;
  }

  Expr selects(const Expr& e) {
    const Select* s = e.as<Select>();
    if (!s) return map_children(e, [&](const Expr& child) { return selects(child); });
    std::vector<Expr> open;
    for (const Expr& part : conjuncts_of(s->condition)) {
      const Truth truth = decide(part);
      if (truth == Truth::kFalse) return selects(s->on_false);
      if (truth == Truth::kOpen) open.push_back(selects(part));
    }
    const Expr condition = conjunction_of(open);
    if (!condition) return selects(s->on_true);
    return make_select(condition, selects(s->on_true), selects(s->on_false));
  }

  Truth decide(const Expr& condition) {
    const Truth truth = by_range(condition, facts_);
    if (truth != Truth::kOpen || touches_memory(condition)) return truth;
    if (lane_ && uses(condition, lane_)) return truth;
    const auto [known, is_new] = memo_.emplace(condition, Truth::kOpen);
    if (is_new) known->second = by_solver(condition);
    return known->second;
  }

  Truth by_solver(const Expr& condition) const {
    if (proved(scope_facts_, condition)) return Truth::kTrue;
    return proved(scope_facts_, negated(condition)) ? Truth::kFalse : Truth::kOpen;
  }

  Facts facts_;        // of the place
  Facts scope_facts_;  // of the body of the loop around that is not a vector loop
  Memo memo_;          // what the solver said there
  Var lane_;           // of the vector loop around
};

}  // namespace

absl::StatusOr<Program> settle_guards(const Program& program, const Target&) {
  return program.with_body(Settler(facts_of(program)).statement(program->body));
}

}  // namespace tenon
