#include "tenon/analysis/find.h"

#include "tenon/ir/visit.h"

namespace tenon {
namespace {

const Stmt* body_of(const Stmt& s) {
  if (const For* loop = s.as<For>()) return &loop->body;
  if (const If* guard = s.as<If>()) return &guard->body;
  return nullptr;
}

// The first statement, in program order, for which `wanted` holds; null when there is none.
template <class Wanted>
const Stmt* first(const Stmt& s, const Wanted& wanted) {
  if (!s) return nullptr;
  if (wanted(s)) return &s;
  if (const Stmt* body = body_of(s)) return first(*body, wanted);
  if (const Seq* list = s.as<Seq>()) {
    for (const Stmt& part : list->stmts) {
      if (const Stmt* found = first(part, wanted)) return found;
    }
  }
  return nullptr;
}

// What stands between the root and a statement, outermost first: loops, guards, and the names bound
// before it.
using Path = std::vector<const Stmt*>;

bool find_path(const Stmt& s, const Var& var, Path& path) {
  if (!s) return false;
  const size_t size = path.size();
  path.push_back(&s);
  if (const For* loop = s.as<For>()) {
    if (loop->var == var || find_path(loop->body, var, path)) return true;
  } else if (const If* guard = s.as<If>()) {
    if (find_path(guard->body, var, path)) return true;
  } else if (const Seq* list = s.as<Seq>()) {
    path.pop_back();
    for (const Stmt& part : list->stmts) {
      if (part.is<Bind>()) path.push_back(&part);
      if (find_path(part, var, path)) return true;
    }
  }
  path.resize(size);
  return false;
}

void add_chains(const Stmt& s, const Buffer& buffer, std::vector<For>& around,
                std::vector<std::vector<For>>& chains) {
  if (const For* loop = s.as<For>()) {
    around.push_back(*loop);
    add_chains(loop->body, buffer, around, chains);
    around.pop_back();
  } else if (const If* guard = s.as<If>()) {
    add_chains(guard->body, buffer, around, chains);
  } else if (const Seq* list = s.as<Seq>()) {
    for (const Stmt& part : list->stmts) add_chains(part, buffer, around, chains);
  } else {
    const Store* st = s.as<Store>();
    const Accumulate* ac = s.as<Accumulate>();
    if ((st && st->buffer == buffer) || (ac && ac->buffer == buffer)) chains.push_back(around);
  }
}

Stmt replaced(const Stmt& s, const Var& var, const std::function<Stmt(const For&)>& f,
              bool& done) {
  if (done) return s;
  if (const For* loop = s.as<For>(); loop && loop->var == var) {
    done = true;
    return f(*loop);
  }
  return map_children(
      s, [](const Expr& e) { return e; },
      [&](const Stmt& child) { return replaced(child, var, f, done); });
}

}  // namespace

std::optional<LoopSite> find_loop(const Program& program, const Var& var) {
  Path path;
  if (!find_path(program->body, var, path)) return std::nullopt;
  LoopSite site{*path.back(), *path.back()->as<For>(), {}, {}, facts_of(program)};
  path.pop_back();
  for (const Stmt* s : path) {
    if (const For* loop = s->as<For>()) {
      site.outer.push_back(*loop);
      site.facts = site.facts.inside(*loop);
    } else if (const If* guard = s->as<If>()) {
      site.guards.push_back(guard->condition);
      site.facts = site.facts.given(guard->condition);
    } else if (const Bind* name = s->as<Bind>()) {
      site.facts = site.facts.bound(*name);
    }
  }
  return site;
}

std::vector<std::vector<For>> writer_loops(const Program& program, const Buffer& buffer) {
  std::vector<std::vector<For>> chains;
  std::vector<For> around;
  add_chains(program->body, buffer, around, chains);
  return chains;
}

Buffer find_buffer(const Program& program, std::string_view name) {
  if (const Param* param = find_param(program, name)) return param->buffer;
  const Stmt* found = first(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    return a && a->buffer.name() == name;
  });
  return found ? found->as<Alloc>()->buffer : Buffer();
}

std::optional<std::vector<Expr>> shape_of(const Program& program, const Buffer& buffer) {
  if (const Param* param = find_param(program, buffer)) return param->shape;
  const Stmt* found = first(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    return a && a->buffer == buffer;
  });
  if (!found) return std::nullopt;
  return found->as<Alloc>()->shape;
}

Stmt replace_loop(const Stmt& body, const Var& var, const std::function<Stmt(const For&)>& f) {
  bool done = false;
  return replaced(body, var, f, done);
}

}  // namespace tenon
