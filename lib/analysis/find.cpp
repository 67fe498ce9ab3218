#include "tenon/analysis/find.h"

#include "analysis/place.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

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
    const Call* call = s.as<Call>();
    if ((st && st->buffer == buffer) || (ac && ac->writes(buffer)) ||
        (call && writes(*call, buffer))) {
      chains.push_back(around);
    }
  }
}

Stmt replaced(const Stmt& s, const Var& var, const std::function<Stmt(const For&)>& f, bool& done) {
  if (done) return s;
  if (const For* loop = s.as<For>(); loop && loop->var == var) {
    done = true;
    return f(*loop);
  }
  return map_children(s, [&](const Stmt& child) { return replaced(child, var, f, done); });
}

// The declaration of a local buffer; null for others.
const Alloc* find_alloc(const Stmt& s, const Buffer& buffer) {
  const auto place = find_place(s, [&](const Stmt& t) {
    const Alloc* a = t.as<Alloc>();
    return a && a->buffer == buffer;
  });
  return place ? place->statement->as<Alloc>() : nullptr;
}

}  // namespace

std::optional<LoopSite> find_loop(const Program& program, const Var& var) {
  const auto place = find_place(program->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    return loop && loop->var == var;
  });
  if (!place) return std::nullopt;
  LoopSite site{program, *place->statement,    *place->statement->as<For>(), {},
                {},      place->facts(program)};
  for (const Stmt* s : place->around) {
    if (const For* loop = s->as<For>()) site.outer.push_back(*loop);
    if (const If* guard = s->as<If>()) site.guards.push_back(guard->condition);
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
  if (const Table* table = find_table(program, name)) return table->buffer;
  const auto place = find_place(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    return a && a->buffer.name() == name;
  });
  return place ? place->statement->as<Alloc>()->buffer : Buffer();
}

std::optional<std::vector<Expr>> shape_of(const Program& program, const Buffer& buffer) {
  if (const Param* param = find_param(program, buffer)) return param->shape;
  if (const Table* table = find_table(program, buffer)) return table->shape;
  const Alloc* declaration = find_alloc(program->body, buffer);
  if (!declaration) return std::nullopt;
  return declaration->shape;
}

Memory memory_of(const Program& program, const Buffer& stage) {
  const Alloc* declaration = find_alloc(program->body, stage);
  return declaration ? declaration->memory : Memory::kAuto;
}

bool has_loop(const Stmt& s, const Var& var) {
  return any_in(s, [&](const Stmt& part) {
    const For* loop = part.as<For>();
    return loop && loop->var == var;
  });
}

Stmt replace_loop(const Stmt& body, const Var& var, const std::function<Stmt(const For&)>& f) {
  bool done = false;
  return replaced(body, var, f, done);
}

}  // namespace tenon
