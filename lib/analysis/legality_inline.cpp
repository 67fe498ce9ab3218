// May a stage be replaced by its definition?
#include <algorithm>

#include "analysis/place.h"
#include "analysis/text.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// Where the stage is declared, and the statements in which it is known.
struct Scope {
  Stmt statements;
  Facts facts;
};

std::optional<Scope> scope_of(const Program& program, const Buffer& stage) {
  const auto place = find_place(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    return a && a->buffer == stage;
  });
  if (!place) return std::nullopt;
  return Scope{seq(place->rest()), place->facts(program)};
}

bool shares_loop(const Access& a, const Access& b) {
  return !a.loops.empty() && !b.loops.empty() && a.loops[0].var == b.loops[0].var;
}

// The one Store of the stage.
absl::StatusOr<const Access*> only_store(const std::vector<Access>& accesses, const Buffer& stage,
                                         const Program& within) {
  const Access* store = nullptr;
  for (const Access& a : accesses) {
    if (!(a.buffer == stage) || a.kind == Access::Kind::kRead) continue;
    if (a.kind == Access::Kind::kAccumulate) {
      const std::string name = text_of(stage, within);
      return refuse(name + " is a reduction: only a stage that one store defines can be inlined",
                    {}, {"compute_at(" + name + ", ...)"});
    }
    if (const Call* call = a.call()) {
      return refuse("extern function " + call->function.name + " writes " + text_of(stage, within) +
                    ": there is no expression to put in its place");
    }
    if (store) return refuse(text_of(stage, within) + " is written by several statements");
    store = &a;
  }
  if (!store) return refuse("nothing writes " + text_of(stage, within));
  return store;
}

// The loop over each dimension: the loops of the store are these and no others.
absl::StatusOr<std::vector<Var>> store_loops(const Access& store, const std::vector<Expr>& shape,
                                             const Facts& facts, const Program& within) {
  const auto target = [&] { return element(store.buffer, store.indices, within); };
  std::vector<Var> vars;
  for (size_t d = 0; d < shape.size(); ++d) {
    const VarRef* ref = store.indices[d].as<VarRef>();
    const For* loop = nullptr;
    for (const For& l : store.loops) {
      if (ref && l.var == ref->var) loop = &l;
    }
    const bool repeated = loop && std::find(vars.begin(), vars.end(), loop->var) != vars.end();
    if (!loop || repeated || !proved(facts, loop->lo == Expr(0)) ||
        !proved(facts, loop->hi == shape[d])) {
      return refuse("the store to " + target() + " does not run over dimension " +
                    std::to_string(d) + " with one loop over the whole of it");
    }
    vars.push_back(loop->var);
  }
  for (const For& loop : store.loops) {
    if (std::find(vars.begin(), vars.end(), loop.var) != vars.end()) continue;
    return refuse("the store to " + target() + " is repeated by loop " + text_of(loop.var, within));
  }
  return vars;
}

// Guards and masks that always hold leave no element undefined.
absl::Status always_stored(const Access& store, Facts facts, const Program& within) {
  for (const For& loop : store.loops) facts = facts.inside(loop);
  for (const Expr& guard : store.guards) {
    if (proved(facts, guard)) continue;
    return refuse("the store to " + text_of(store.buffer, within) + " happens only if " +
                  text_of(guard, within));
  }
  return absl::OkStatus();
}

// The Store in `s` and its value over loops and names from outside of s.
struct Definition {
  Stmt store;
  Expr value;
};
std::optional<Definition> find_definition(const Stmt& s, const StmtNode* wanted, VarMap names) {
  if (s.get() == wanted) return Definition{s, substitute(s.as<Store>()->value, names)};
  if (const For* loop = s.as<For>()) return find_definition(loop->body, wanted, std::move(names));
  if (const If* guard = s.as<If>()) return find_definition(guard->body, wanted, std::move(names));
  const Seq* list = s.as<Seq>();
  if (!list) return std::nullopt;
  for (const Stmt& part : list->stmts) {
    if (const Bind* b = part.as<Bind>()) names.emplace(b->var, substitute(b->value, names));
    if (auto found = find_definition(part, wanted, names)) return found;
  }
  return std::nullopt;
}

// Buffers declared further inside than the stage cannot be read where the stage is.
bool declared_deeper(const Stmt& scope, const Buffer& buffer) {
  bool deeper = false;
  for (const Stmt& s : statements_of(scope)) {
    if (s.is<Alloc>()) continue;
    walk(s, [&](const Stmt& t) {
      if (const Alloc* a = t.as<Alloc>()) deeper = deeper || a->buffer == buffer;
    });
  }
  return deeper;
}

// `write` changes nothing between the store of the stage and its readers: it is over before the
// store, or starts after the last reader.
bool out_of_the_way(const Access& write, const Access& store,
                    const std::vector<const Access*>& readers) {
  if (shares_loop(write, store)) return false;
  if (write.order < store.order) return true;
  return std::all_of(readers.begin(), readers.end(), [&](const Access* r) {
    return !shares_loop(write, *r) && write.order > r->order;
  });
}

absl::Status inputs_stay(const Expr& value, const Stmt& scope, const std::vector<Access>& accesses,
                         const Access& store, const std::vector<const Access*>& readers,
                         const Program& within) {
  absl::Status status;
  walk(value, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    if (!l || !status.ok()) return;
    const auto name = [&] { return text_of(store.buffer, within); };
    const auto input = [&] { return text_of(l->buffer, within); };
    if (l->buffer == store.buffer) {
      status = refuse(name() + " is defined by its own elements");
    } else if (declared_deeper(scope, l->buffer)) {
      status = refuse("the value of " + name() + " reads " + input() +
                      ", which is known only in the nest that stores it");
    }
    for (const Access& a : accesses) {
      if (a.kind == Access::Kind::kRead || !(a.buffer == l->buffer) || !status.ok()) continue;
      if (out_of_the_way(a, store, readers)) continue;
      status = refuse("the value of " + name() + " reads " + input() +
                      ", which may be written between the store and a reader of " + name());
    }
  });
  return status;
}

}  // namespace

absl::StatusOr<Inline> may_inline(const Program& program, const Buffer& stage) {
  TENON_RETURN_IF_ERROR(is_local(stage, program));
  const std::optional<std::vector<Expr>> shape = shape_of(program, stage);
  const std::optional<Scope> scope = scope_of(program, stage);
  if (!shape || !scope) return refuse("the program has no buffer " + stage.name());

  const std::vector<Access> accesses = accesses_of(scope->statements);
  const absl::StatusOr<const Access*> store = only_store(accesses, stage, program);
  if (!store.ok()) return store.status();
  const absl::StatusOr<std::vector<Var>> vars = store_loops(**store, *shape, scope->facts, program);
  if (!vars.ok()) return vars.status();
  if (absl::Status s = always_stored(**store, scope->facts, program); !s.ok()) return s;

  std::vector<const Access*> readers;
  for (const Access& a : accesses) {
    if (!(a.buffer == stage) || a.kind != Access::Kind::kRead) continue;
    if (a.order < (*store)->order && !shares_loop(a, **store)) {
      return refuse(text_of(stage, program) + " is read before it is stored");
    }
    if (const Call* call = a.call()) {
      return refuse("extern function " + call->function.name + " reads " + text_of(stage, program) +
                        ", and a function takes memory, not an expression",
                    {}, {"compute_at(" + text_of(stage, program) + ", ...)"});
    }
    readers.push_back(&a);
  }
  const auto definition = find_definition(scope->statements, (*store)->statement, {});
  if (!definition) return refuse("nothing writes " + text_of(stage, program));
  if (absl::Status s =
          inputs_stay(definition->value, scope->statements, accesses, **store, readers, program);
      !s.ok()) {
    return s;
  }
  return Inline{definition->store, *vars, definition->value};
}

}  // namespace tenon
