// Walking and rewriting, built on one function per sort that knows the children.
//
//   Stmt s2 = rewrite(s, [&](const Expr& e) { return equal(e, i) ? lo + e : e; });
//   walk(s, [&](const Stmt& t) { if (t.is<For>()) ++loops; });
//   Expr e2 = substitute(e, {{i, 0}});
//
// A rewrite that changes nothing returns the node that it was given (same pointer), so callers can
// see by comparison whether something happened.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <type_traits>
#include <vector>

#include "tenon/base/match.h"
#include "tenon/ir/program.h"

namespace tenon {

using ExprMap = std::function<Expr(const Expr&)>;
using StmtMap = std::function<Stmt(const Stmt&)>;

// Applies f to each direct child expression and builds the node again; the node itself if nothing
// changed. Null children (masks) are left alone.
Expr map_children(const Expr& e, const ExprMap& f);
// Likewise for a statement: on_expr for child expressions, on_stmt for child statements. A body
// that becomes null becomes an empty Seq; an If or For over nothing disappears only by the
// simplifier, never here.
Stmt map_children(const Stmt& s, const ExprMap& on_expr, const StmtMap& on_stmt);
Stmt map_children(const Stmt& s, const StmtMap& on_stmt);  // its expressions stay

// Calls f on each direct child, in printed order. Null children are left out. (Templates:
// recursions through them need little stack for deep expressions, and every step of a schedule
// walks.)
template <class F>
void for_each_child(const Expr& e, const F& f) {
  const auto each = [&](const Expr& child) {
    if (child) f(child);
  };
  match(
      e.node().kind,  //
      [&](const Const&) {}, [&](const VarRef&) {}, [&](const Invalid&) {},
      [&](const Unary& x) { each(x.a); }, [&](const Binary& x) { each(x.a), each(x.b); },
      [&](const Select& x) { each(x.condition), each(x.on_true), each(x.on_false); },
      [&](const Cast& x) { each(x.a); },
      [&](const Load& x) {
        for (const Expr& index : x.indices) each(index);
        each(x.mask);
      },
      [&](const Ramp& x) { each(x.base), each(x.stride); }, [&](const Broadcast& x) { each(x.a); },
      [&](const Reduce& x) {
        for (const ReduceAxis& axis : x.axes) each(axis.extent);
        for (const Expr& value : x.values) each(value);
      });
}
template <class OnExpr, class OnStmt>
void for_each_child(const Stmt& s, const OnExpr& on_expr, const OnStmt& on_stmt) {
  const auto each = [&](const Expr& child) {
    if (child) on_expr(child);
  };
  const auto all = [&](const std::vector<Expr>& children) {
    for (const Expr& child : children) each(child);
  };
  match(
      s.node().kind,  //
      [&](const Store& x) { all(x.indices), each(x.value), each(x.mask); },
      [&](const Accumulate& x) { all(x.indices), all(x.values), each(x.mask); },
      [&](const For& x) { each(x.lo), each(x.hi), on_stmt(x.body); },
      [&](const If& x) { each(x.condition), on_stmt(x.body); },
      [&](const Seq& x) {
        for (const Stmt& part : x.stmts) on_stmt(part);
      },
      [&](const Alloc& x) { all(x.shape), each(x.offset); }, [&](const Bind& x) { each(x.value); },
      [&](const Call& x) {
        for (const std::vector<CallRegion>* parts : {&x.writes, &x.reads}) {
          for (const CallRegion& part : *parts) {
            for (const CallRegion::Range& range : part.ranges) each(range.lo), each(range.hi);
            all(part.strides);
          }
        }
      },
      [&](const Prefetch& x) { all(x.indices); });
}

// Bottom-up: children first, then f on the result.
Expr rewrite(const Expr& e, const ExprMap& f);
// f on every expression of s, bottom-up; statements keep their kind.
Stmt rewrite(const Stmt& s, const ExprMap& f);
// f on every statement of s, bottom-up; expressions are left alone.
Stmt rewrite_stmts(const Stmt& s, const StmtMap& f);

// Pre-order visits.
template <class F>
requires std::is_invocable_v<const F&, const Expr&>
void walk(const Expr& e, const F& f) {
  f(e);
  for_each_child(e, [&](const Expr& child) { walk(child, f); });
}
template <class F>
requires std::is_invocable_v<const F&, const Stmt&>
void walk(const Stmt& s, const F& f) {
  f(s);
  for_each_child(
      s, [](const Expr&) {}, [&](const Stmt& child) { walk(child, f); });
}
// Every expression in s, sub-expressions included.
template <class F>
void walk_exprs(const Stmt& s, const F& f) {
  for_each_child(
      s, [&](const Expr& e) { walk(e, f); }, [&](const Stmt& child) { walk_exprs(child, f); });
}

// Does `holds` hold for e or for any expression in it, for s or any statement in it?
template <class Holds>
bool any_in(const Expr& e, const Holds& holds) {
  if (holds(e)) return true;
  bool found = false;
  for_each_child(e, [&](const Expr& child) { found = found || any_in(child, holds); });
  return found;
}
template <class Holds>
bool any_in(const Stmt& s, const Holds& holds) {
  if (holds(s)) return true;
  bool found = false;
  for_each_child(
      s, [](const Expr&) {}, [&](const Stmt& child) { found = found || any_in(child, holds); });
  return found;
}
bool has_load(const Expr& e);
// Loads, or checks an index: must not be evaluated where the program does not.
bool touches_memory(const Expr& e);

// Replaces free variables. Loops are not capture-checked: a Program's variables are distinct.
using VarMap = std::map<Var, Expr>;
Expr substitute(const Expr& e, const VarMap& values);
Stmt substitute(const Stmt& s, const VarMap& values);
// Replaces buffers in loads, stores, accumulates, calls and Allocs.
using BufferMap = std::map<Buffer, Buffer>;
Expr substitute(const Expr& e, const BufferMap& buffers);
Stmt substitute(const Stmt& s, const BufferMap& buffers);

bool uses(const Expr& e, const Var& var);
bool uses(const Stmt& s, const Var& var);
bool uses(const Expr& e, const Buffer& buffer);  // loads it
bool uses(const Stmt& s, const Buffer& buffer);  // loads, writes or declares it
std::set<Var> free_vars(const Expr& e);

// The reductions by functions in s, each once, in the order of the text.
std::vector<Reduction> reducers_of(const Stmt& s);
// The instructions of loops in s, likewise.
std::vector<Instruction> instructions_of(const Stmt& s);
// The functions that calls in s call, likewise.
std::vector<ExternFunction> externs_of(const Stmt& s);

// A copy of s in which every loop, bound name and local buffer that s declares is a new identity
// of the same name. For passes that copy a body.
Stmt with_fresh_names(const Stmt& s);

}  // namespace tenon
