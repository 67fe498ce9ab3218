#include "tenon/ir/visit.h"

#include "tenon/base/match.h"

namespace tenon {
namespace {

// The functions of one kind are templates over f, so that the recursions below call themselves
// without a std::function between: deep expressions need little stack.

// Applies f to an optional child and notes whether it changed.
template <class F>
Expr map_one(const Expr& e, const F& f, bool& changed) {
  if (!e) return e;
  Expr mapped = f(e);
  if (mapped.get() != e.get()) changed = true;
  return mapped;
}

template <class F>
std::vector<Expr> map_list(const std::vector<Expr>& list, const F& f, bool& changed) {
  std::vector<Expr> mapped;
  mapped.reserve(list.size());
  for (const Expr& e : list) mapped.push_back(map_one(e, f, changed));
  return mapped;
}

template <class F>
std::vector<CallRegion> map_parts(const std::vector<CallRegion>& parts, const F& f, bool& changed) {
  std::vector<CallRegion> mapped = parts;
  for (CallRegion& part : mapped) {
    for (CallRegion::Range& range : part.ranges) {
      range.lo = map_one(range.lo, f, changed);
      range.hi = map_one(range.hi, f, changed);
    }
    part.strides = map_list(part.strides, f, changed);
  }
  return mapped;
}

Stmt map_body(const Stmt& s, const StmtMap& f, bool& changed) {
  Stmt mapped = f(s);
  if (!mapped) mapped = seq({});
  if (mapped.get() != s.get()) changed = true;
  return mapped;
}

template <class F>
Expr map_kind(const Expr& e, const Const&, const F&) {
  return e;
}
template <class F>
Expr map_kind(const Expr& e, const VarRef&, const F&) {
  return e;
}
template <class F>
Expr map_kind(const Expr& e, const Invalid&, const F&) {
  return e;
}
template <class F>
Expr map_kind(const Expr& e, const Unary& u, const F& f) {
  bool changed = false;
  Expr a = map_one(u.a, f, changed);
  return changed ? unary(u.op, std::move(a)) : e;
}
template <class F>
Expr map_kind(const Expr& e, const Binary& x, const F& f) {
  bool changed = false;
  Expr a = map_one(x.a, f, changed);
  Expr b = map_one(x.b, f, changed);
  return changed ? binary(x.op, std::move(a), std::move(b)) : e;
}
template <class F>
Expr map_kind(const Expr& e, const Select& s, const F& f) {
  bool changed = false;
  Expr condition = map_one(s.condition, f, changed);
  Expr on_true = map_one(s.on_true, f, changed);
  Expr on_false = map_one(s.on_false, f, changed);
  return changed ? make_select(std::move(condition), std::move(on_true), std::move(on_false)) : e;
}
template <class F>
Expr map_kind(const Expr& e, const Cast& c, const F& f) {
  bool changed = false;
  Expr a = map_one(c.a, f, changed);
  const Type type = e.type().with_lanes(a.type().lanes);
  return changed ? make_cast(c.mode, type, std::move(a)) : e;
}
template <class F>
Expr map_kind(const Expr& e, const Load& l, const F& f) {
  bool changed = false;
  std::vector<Expr> indices = map_list(l.indices, f, changed);
  Expr mask = map_one(l.mask, f, changed);
  return changed ? load(l.buffer, std::move(indices), std::move(mask)) : e;
}
template <class F>
Expr map_kind(const Expr& e, const Ramp& r, const F& f) {
  bool changed = false;
  Expr base = map_one(r.base, f, changed);
  Expr stride = map_one(r.stride, f, changed);
  return changed ? ramp(std::move(base), std::move(stride), e.type().lanes) : e;
}
template <class F>
Expr map_kind(const Expr& e, const Broadcast& b, const F& f) {
  bool changed = false;
  Expr a = map_one(b.a, f, changed);
  return changed ? broadcast_lanes(std::move(a), e.type().lanes) : e;
}
template <class F>
Expr map_kind(const Expr& e, const Reduce& r, const F& f) {
  bool changed = false;
  std::vector<ReduceAxis> axes = r.axes;
  for (ReduceAxis& axis : axes) axis.extent = map_one(axis.extent, f, changed);
  std::vector<Expr> values = map_list(r.values, f, changed);
  return changed ? make_reduce(r.by, std::move(axes), std::move(values), r.result) : e;
}

template <class F>
Expr map_children_by(const Expr& e, const F& f) {
  return std::visit([&](const auto& kind) { return map_kind(e, kind, f); }, e.node().kind);
}

}  // namespace

Expr map_children(const Expr& e, const ExprMap& f) { return map_children_by(e, f); }

Stmt map_children(const Stmt& s, const ExprMap& on_expr, const StmtMap& on_stmt) {
  bool changed = false;
  const auto one = [&](const Expr& e) { return map_one(e, on_expr, changed); };
  const auto list = [&](const std::vector<Expr>& es) { return map_list(es, on_expr, changed); };
  Stmt mapped = match(
      s.node().kind,
      [&](const Store& x) {
        std::vector<Expr> indices = list(x.indices);
        Expr value = one(x.value);
        Expr mask = one(x.mask);
        if (!changed) return s;
        return store(x.buffer, std::move(indices), std::move(value), std::move(mask));
      },
      [&](const Accumulate& x) {
        std::vector<Expr> indices = list(x.indices);
        std::vector<Expr> values = list(x.values);
        Expr mask = one(x.mask);
        if (!changed) return s;
        return accumulate(x.buffers, std::move(indices), x.by, std::move(values), std::move(mask));
      },
      [&](const For& x) {
        Expr lo = one(x.lo);
        Expr hi = one(x.hi);
        Stmt body = map_body(x.body, on_stmt, changed);
        if (!changed) return s;
        return make_for(x.var, std::move(lo), std::move(hi), x.kind, std::move(body));
      },
      [&](const If& x) {
        Expr condition = one(x.condition);
        Stmt body = map_body(x.body, on_stmt, changed);
        return changed ? make_if(std::move(condition), std::move(body)) : s;
      },
      [&](const Seq& x) {
        std::vector<Stmt> stmts;
        stmts.reserve(x.stmts.size());
        for (const Stmt& part : x.stmts) stmts.push_back(map_body(part, on_stmt, changed));
        return changed ? seq(std::move(stmts)) : s;
      },
      [&](const Alloc& x) {
        std::vector<Expr> shape = list(x.shape);
        Expr offset = one(x.offset);
        return changed ? alloc(x.buffer, std::move(shape), x.memory, std::move(offset)) : s;
      },
      [&](const Bind& x) {
        Expr value = one(x.value);
        return changed ? bind(x.var, std::move(value)) : s;
      },
      [&](const Call& x) {
        std::vector<CallRegion> writes = map_parts(x.writes, on_expr, changed);
        std::vector<CallRegion> reads = map_parts(x.reads, on_expr, changed);
        return changed ? call(x.function, std::move(writes), std::move(reads)) : s;
      },
      [&](const Prefetch& x) {
        std::vector<Expr> indices = list(x.indices);
        return changed ? prefetch(x.buffer, std::move(indices)) : s;
      });
  return mapped;
}

Stmt map_children(const Stmt& s, const StmtMap& on_stmt) {
  bool changed = false;
  if (const For* x = s.as<For>()) {
    Stmt body = map_body(x->body, on_stmt, changed);
    return changed ? make_for(x->var, x->lo, x->hi, x->kind, std::move(body)) : s;
  }
  if (const If* x = s.as<If>()) {
    Stmt body = map_body(x->body, on_stmt, changed);
    return changed ? make_if(x->condition, std::move(body)) : s;
  }
  const Seq* x = s.as<Seq>();
  if (!x) return s;
  std::vector<Stmt> stmts;
  stmts.reserve(x->stmts.size());
  for (const Stmt& part : x->stmts) stmts.push_back(map_body(part, on_stmt, changed));
  return changed ? seq(std::move(stmts)) : s;
}

Expr rewrite(const Expr& e, const ExprMap& f) {
  return f(map_children_by(e, [&](const Expr& child) { return rewrite(child, f); }));
}

Stmt rewrite(const Stmt& s, const ExprMap& f) {
  return map_children(
      s, [&](const Expr& e) { return rewrite(e, f); },
      [&](const Stmt& t) { return rewrite(t, f); });
}

Stmt rewrite_stmts(const Stmt& s, const StmtMap& f) {
  return f(map_children(s, [&](const Stmt& t) { return rewrite_stmts(t, f); }));
}

bool has_load(const Expr& e) {
  return any_in(e, [](const Expr& x) { return x.is<Load>(); });
}

bool touches_memory(const Expr& e) {
  return any_in(e, [](const Expr& x) {
    const Binary* b = x.as<Binary>();
    return x.is<Load>() || (b && b->op == BinaryOp::kCheck);
  });
}

}  // namespace tenon
