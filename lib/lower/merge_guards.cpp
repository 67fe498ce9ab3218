// merge_guards: one branch instead of many.
//
//   if i < n { A }                      if i < n {
//   if i < n { for r { if c(r) { B } } }  ->  A
//                                         for r { if c(r) { B } }
//                                       }
//   for r { if i < n { C } }        ->  if i < n { for r { C } }
//
// Needs: kExplicitVectors. Gives: nothing new. Neighbours with the same condition share it, a
// condition that implies its neighbour's moves inside, and a condition leaves the loops that it
// does not depend on. Only conditions that read no memory move.
#include "lower/guards.h"
#include "lower/passes.h"
#include "tenon/analysis/affine.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// A statement and the conditions around it, outermost first.
struct Guarded {
  std::vector<Expr> conditions;
  Stmt body;
};

bool may_move(const Expr& condition) { return !touches_memory(condition); }

Guarded opened(Stmt s) {
  Guarded g{{}, std::move(s)};
  while (const If* guard = g.body.as<If>()) {
    if (!may_move(guard->condition)) break;
    for (const Expr& part : conjuncts_of(guard->condition)) g.conditions.push_back(part);
    g.body = Stmt(guard->body);
  }
  return g;
}

Stmt closed(const Guarded& g, size_t from = 0) {
  Stmt s = g.body;
  for (size_t i = g.conditions.size(); i-- > from;) s = make_if(g.conditions[i], s);
  return s;
}

bool starts_with(const Guarded& g, const Expr& condition) {
  return !g.conditions.empty() && equal(g.conditions.front(), condition);
}

bool is_order(const Expr& e) {
  const Binary* b = e.as<Binary>();
  return b && b->a.type() == i64 && (b->op == BinaryOp::kLt || b->op == BinaryOp::kLe);
}

// b - a of a < b + 1 or a <= b.
Affine slack_of(const Expr& order) {
  const Binary& b = *order.as<Binary>();
  Affine slack = to_affine(b.b) - to_affine(b.a);
  if (b.op == BinaryOp::kLt) slack.constant -= 1;
  return slack;
}

// Does i + 3 < n imply i + 2 < n? Wherever both differ by a constant.
bool implies(const Expr& condition, const Expr& weaker) {
  if (!is_order(condition) || !is_order(weaker)) return false;
  const Affine gap = slack_of(weaker) - slack_of(condition);
  return gap.is_constant() && gap.constant >= 0;
}

// Runs of neighbours that start with the same condition share it; inside the run the same again.
// What holds only if that condition does stands inside, too: guards of rows become a chain that
// ends at the first row that is off.
std::vector<Stmt> merged(std::vector<Guarded> list) {
  std::vector<Stmt> result;
  for (size_t i = 0; i < list.size();) {
    if (list[i].conditions.empty()) {
      result.push_back(list[i++].body);
      continue;
    }
    const Expr shared = list[i].conditions.front();
    std::vector<Guarded> run;
    for (; i < list.size() && !list[i].conditions.empty(); ++i) {
      if (starts_with(list[i], shared)) {
        list[i].conditions.erase(list[i].conditions.begin());
      } else if (!implies(list[i].conditions.front(), shared)) {
        break;
      }
      run.push_back(std::move(list[i]));
    }
    result.push_back(make_if(shared, seq(merged(std::move(run)))));
  }
  return result;
}

Stmt merge(const Stmt& s);

// The conditions that do not use the loop's variable leave it.
Stmt hoisted(const For& loop) {
  Guarded g = opened(merge(loop.body));
  std::vector<Expr> outside, inside;
  for (const Expr& c : g.conditions) (uses(c, loop.var) ? inside : outside).push_back(c);
  g.conditions = std::move(inside);
  const Stmt rest = make_for(loop.var, loop.lo, loop.hi, loop.kind, closed(g));
  return closed({std::move(outside), rest});
}

Stmt merge(const Stmt& s) {
  if (const For* loop = s.as<For>()) {
    // A parallel loop stays where its caller put it.
    if (loop->kind != ForKind::kParallel) return hoisted(*loop);
    return make_for(loop->var, loop->lo, loop->hi, loop->kind, merge(loop->body));
  }
  if (const If* guard = s.as<If>()) return make_if(guard->condition, merge(guard->body));
  if (!s.is<Seq>()) return s;
  std::vector<Guarded> list;
  for (const Stmt& part : statements_of(s)) list.push_back(opened(merge(part)));
  return seq(merged(std::move(list)));
}

}  // namespace

absl::StatusOr<Program> merge_guards(const Program& program, const Target&) {
  return program.with_body(merge(program->body));
}

}  // namespace tenon
