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

// Calls f on each direct child, in printed order. Null children are left out. (A template for
// expressions: recursions through it need little stack for deep ones.)
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
void for_each_child(const Stmt& s, const std::function<void(const Expr&)>& on_expr,
                    const std::function<void(const Stmt&)>& on_stmt);

// Bottom-up: children first, then f on the result.
Expr rewrite(const Expr& e, const ExprMap& f);
// f on every expression of s, bottom-up; statements keep their kind.
Stmt rewrite(const Stmt& s, const ExprMap& f);
// f on every statement of s, bottom-up; expressions are left alone.
Stmt rewrite_stmts(const Stmt& s, const StmtMap& f);

// Pre-order visits.
void walk(const Expr& e, const std::function<void(const Expr&)>& f);
void walk(const Stmt& s, const std::function<void(const Stmt&)>& f);
// Every expression in s, sub-expressions included.
void walk_exprs(const Stmt& s, const std::function<void(const Expr&)>& f);

// Does `holds` hold for e or for any expression in it?
template <class Holds>
bool any_in(const Expr& e, const Holds& holds) {
  if (holds(e)) return true;
  bool found = false;
  for_each_child(e, [&](const Expr& child) { found = found || any_in(child, holds); });
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
