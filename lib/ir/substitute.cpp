#include <algorithm>

#include "tenon/ir/visit.h"

namespace tenon {
namespace {

Expr replace_var(const Expr& e, const VarMap& values) {
  const VarRef* ref = e.as<VarRef>();
  if (!ref) return e;
  const auto found = values.find(ref->var);
  return found == values.end() ? e : found->second;
}

Buffer renamed(const Buffer& buffer, const BufferMap& buffers) {
  const auto found = buffers.find(buffer);
  return found == buffers.end() ? buffer : found->second;
}

Expr replace_buffer(const Expr& e, const BufferMap& buffers) {
  const Load* l = e.as<Load>();
  if (!l) return e;
  const Buffer buffer = renamed(l->buffer, buffers);
  return buffer == l->buffer ? e : load(buffer, l->indices, l->mask);
}

// The buffers that a statement itself writes, declares or gives to a call, replaced.
Stmt replace_target(const Stmt& s, const BufferMap& buffers) {
  if (const Store* x = s.as<Store>()) {
    const Buffer buffer = renamed(x->buffer, buffers);
    return buffer == x->buffer ? s : store(buffer, x->indices, x->value, x->mask);
  }
  if (const Accumulate* x = s.as<Accumulate>()) {
    std::vector<Buffer> targets = x->buffers;
    for (Buffer& target : targets) target = renamed(target, buffers);
    if (targets == x->buffers) return s;
    return accumulate(std::move(targets), x->indices, x->by, x->values, x->mask);
  }
  if (const Call* x = s.as<Call>()) {
    const auto replaced = [&](std::vector<CallRegion> parts) {
      for (CallRegion& part : parts) part.buffer = renamed(part.buffer, buffers);
      return parts;
    };
    const auto known = [&](const CallRegion& part) { return buffers.count(part.buffer) != 0; };
    const std::vector<CallRegion> parts = regions_of(*x);
    if (std::none_of(parts.begin(), parts.end(), known)) return s;
    return call(x->function, replaced(x->writes), replaced(x->reads));
  }
  if (const Alloc* x = s.as<Alloc>()) {
    const Buffer buffer = renamed(x->buffer, buffers);
    return buffer == x->buffer ? s : alloc(buffer, x->shape, x->memory, x->offset);
  }
  if (const For* x = s.as<For>(); x && !x->kind.prefetches().empty()) {
    std::vector<Ahead> prefetches = x->kind.prefetches();
    for (Ahead& ahead : prefetches) ahead.buffer = renamed(ahead.buffer, buffers);
    if (prefetches == x->kind.prefetches()) return s;
    return make_for(x->var, x->lo, x->hi, LoopKind(std::move(prefetches)), x->body);
  }
  if (const Prefetch* x = s.as<Prefetch>()) {
    const Buffer buffer = renamed(x->buffer, buffers);
    return buffer == x->buffer ? s : prefetch(buffer, x->indices);
  }
  return s;
}

// `on_expr` is asked for every expression of s, `on_stmt` for s and every statement in it.
bool any_in(const Stmt& s, const std::function<bool(const Expr&)>& on_expr,
            const std::function<bool(const Stmt&)>& on_stmt) {
  if (on_stmt(s)) return true;
  bool found = false;
  for_each_child(
      s, [&](const Expr& e) { found = found || any_in(e, on_expr); },
      [&](const Stmt& child) { found = found || any_in(child, on_expr, on_stmt); });
  return found;
}

bool is_var(const Expr& e, const Var& var) {
  const VarRef* ref = e.as<VarRef>();
  return ref && ref->var == var;
}

bool is_load_of(const Expr& e, const Buffer& buffer) {
  const Load* l = e.as<Load>();
  return l && l->buffer == buffer;
}

bool targets(const Stmt& s, const Buffer& buffer) {
  if (const Store* x = s.as<Store>()) return x->buffer == buffer;
  if (const Accumulate* x = s.as<Accumulate>()) return x->writes(buffer);
  if (const Alloc* x = s.as<Alloc>()) return x->buffer == buffer;
  if (const Call* x = s.as<Call>()) {
    const std::vector<CallRegion> parts = regions_of(*x);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const CallRegion& part) { return part.buffer == buffer; });
  }
  return false;
}

}  // namespace

Expr substitute(const Expr& e, const VarMap& values) {
  if (values.empty()) return e;
  return rewrite(e, [&](const Expr& x) { return replace_var(x, values); });
}

Stmt substitute(const Stmt& s, const VarMap& values) {
  if (values.empty()) return s;
  return rewrite(s, [&](const Expr& x) { return replace_var(x, values); });
}

Expr substitute(const Expr& e, const BufferMap& buffers) {
  if (buffers.empty()) return e;
  return rewrite(e, [&](const Expr& x) { return replace_buffer(x, buffers); });
}

Stmt substitute(const Stmt& s, const BufferMap& buffers) {
  if (buffers.empty()) return s;
  const Stmt mapped = rewrite(s, [&](const Expr& x) { return replace_buffer(x, buffers); });
  return rewrite_stmts(mapped, [&](const Stmt& t) { return replace_target(t, buffers); });
}

bool uses(const Expr& e, const Var& var) {
  return any_in(e, [&](const Expr& x) { return is_var(x, var); });
}

bool uses(const Stmt& s, const Var& var) {
  return any_in(
      s, [&](const Expr& x) { return is_var(x, var); }, [](const Stmt&) { return false; });
}

bool uses(const Expr& e, const Buffer& buffer) {
  return any_in(e, [&](const Expr& x) { return is_load_of(x, buffer); });
}

bool uses(const Stmt& s, const Buffer& buffer) {
  return any_in(
      s, [&](const Expr& x) { return is_load_of(x, buffer); },
      [&](const Stmt& t) { return targets(t, buffer); });
}

std::vector<Reduction> reducers_of(const Stmt& s) {
  std::vector<Reduction> found;
  walk(s, [&](const Stmt& t) {
    const Accumulate* x = t.as<Accumulate>();
    if (!x || !x->by.functions()) return;
    if (std::find(found.begin(), found.end(), x->by) == found.end()) found.push_back(x->by);
  });
  return found;
}

std::vector<Instruction> instructions_of(const Stmt& s) {
  std::vector<Instruction> found;
  walk(s, [&](const Stmt& t) {
    const For* x = t.as<For>();
    if (!x || !x->kind.instruction()) return;
    const Instruction& one = x->kind.instruction();
    if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(one);
  });
  return found;
}

std::vector<ExternFunction> externs_of(const Stmt& s) {
  std::vector<ExternFunction> found;
  walk(s, [&](const Stmt& t) {
    const Call* x = t.as<Call>();
    if (x && std::find(found.begin(), found.end(), x->function) == found.end()) {
      found.push_back(x->function);
    }
  });
  return found;
}

std::set<Var> free_vars(const Expr& e) {
  std::set<Var> vars;
  std::set<Var> bound;  // by a Reduce; its axes are variables of nothing else
  walk(e, [&](const Expr& x) {
    if (const VarRef* ref = x.as<VarRef>()) vars.insert(ref->var);
    if (const Reduce* r = x.as<Reduce>()) {
      for (const ReduceAxis& axis : r->axes) bound.insert(axis.var);
    }
  });
  for (const Var& var : bound) vars.erase(var);
  return vars;
}

Stmt with_fresh_names(const Stmt& s) {
  VarMap vars;
  BufferMap buffers;
  walk(s, [&](const Stmt& t) {
    if (const For* x = t.as<For>()) vars.emplace(x->var, Var(x->var.name(), x->var.type()));
    if (const Bind* x = t.as<Bind>()) vars.emplace(x->var, Var(x->var.name(), x->var.type()));
    if (const Alloc* x = t.as<Alloc>()) {
      buffers.emplace(x->buffer, Buffer(x->buffer.name(), x->buffer.type()));
    }
  });
  const Stmt mapped = substitute(substitute(s, vars), buffers);
  const auto fresh = [&](const Var& var) { return vars.at(var).as<VarRef>()->var; };
  return rewrite_stmts(mapped, [&](const Stmt& t) {
    if (const For* x = t.as<For>()) return make_for(fresh(x->var), x->lo, x->hi, x->kind, x->body);
    if (const Bind* x = t.as<Bind>()) return bind(fresh(x->var), x->value);
    return t;
  });
}

}  // namespace tenon
