// merge_guards: one branch instead of many.
//
//   if i < n { A }                      if i < n {
//   if i < n { for r { if c(r) { B } } }  ->  A
//                                         for r { if c(r) { B } }
//                                       }
//   for r { if i < n { C } }        ->  if i < n { for r { C } }
//
// Needs: kExplicitVectors. Gives: nothing new. Neighbours with the same condition share it, and a
// condition leaves the loops that it does not depend on. Only conditions that read no memory move.
#include "lower/guards.h"
#include "lower/passes.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// A statement and the conditions around it, outermost first.
struct Guarded {
  std::vector<Expr> conditions;
  Stmt body;
};

bool may_move(const Expr& condition) { return !has_effects(condition); }

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

// Runs of neighbours that start with the same condition share it; inside the run the same again.
std::vector<Stmt> merged(std::vector<Guarded> list) {
  std::vector<Stmt> result;
  for (size_t i = 0; i < list.size();) {
    if (list[i].conditions.empty()) {
      result.push_back(list[i++].body);
      continue;
    }
    const Expr shared = list[i].conditions.front();
    std::vector<Guarded> run;
    for (; i < list.size() && starts_with(list[i], shared); ++i) {
      list[i].conditions.erase(list[i].conditions.begin());
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
