// May an elementwise stage be written by the nest of the stage that it reads?
#include <algorithm>

#include "analysis/hoisting.h"
#include "analysis/own_indices.h"
#include "analysis/place.h"
#include "analysis/stage_nest.h"
#include "analysis/text.h"
#include "tenon/analysis/cover.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The one write of a buffer, a Store without a mask.
absl::StatusOr<Access> only_store(const std::vector<Access>& accesses, const Buffer& buffer,
                                  const Program& within) {
  const Access* store = nullptr;
  for (const Access& a : accesses) {
    if (!(a.buffer == buffer) || a.kind == Access::Kind::kRead) continue;
    const std::string name = text_of(buffer, within);
    if (a.kind == Access::Kind::kAccumulate) {
      return refuse(name + " is a reduction, and more than one statement writes it", {},
                    {"fuse_epilogue of the stage that reads it"});
    }
    if (const Call* call = a.call()) {
      return refuse("extern function " + call->function.name + " writes " +
                    text_of(buffer, within) + ": there is no expression to put in its place");
    }
    if (store) return refuse(name + " is written by several statements");
    store = &a;
  }
  if (!store) return refuse("nothing writes " + text_of(buffer, within));
  if (std::get<Store>(store->statement->kind).mask) {
    return refuse("the store to " + text_of(buffer, within) + " is masked");
  }
  return *store;
}

// Of the local stages that the value reads, the one that is computed last.
absl::StatusOr<Buffer> producer_of(const Access& store, const std::vector<Access>& accesses,
                                   const Program& within) {
  Buffer last;
  int order = -1;
  walk(std::get<Store>(store.statement->kind).value, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    if (!l || find_param(within, l->buffer)) return;
    for (const Access& a : accesses) {
      if (!(a.buffer == l->buffer) || a.kind == Access::Kind::kRead || a.order < order) continue;
      last = l->buffer;
      order = a.order;
    }
  });
  if (last) return last;
  return refuse("the value of " + text_of(store.buffer, within) + " reads no stage");
}

// All reads of the producer, which stand in the value of the store, at one element.
absl::StatusOr<Access> only_reads(const Access& store, const Buffer& producer,
                                  const std::vector<Access>& accesses, const Program& within) {
  const std::string name = text_of(producer, within);
  const Access* first = nullptr;
  size_t reads = 0, in_value = 0;
  walk(std::get<Store>(store.statement->kind).value, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    in_value += l && l->buffer == producer;
  });
  for (const Access& a : accesses) {
    if (!(a.buffer == producer) || a.kind != Access::Kind::kRead) continue;
    ++reads;
    if (a.statement != store.statement) {
      return refuse(name + " is also read elsewhere, and would not be stored any more");
    }
    if (!first) first = &a;
    for (size_t d = 0; d < a.indices.size(); ++d) {
      if (equal(a.indices[d], first->indices[d])) continue;
      return refuse("the value of " + text_of(store.buffer, within) + " reads " +
                        element(producer, first->indices, within) + " and " +
                        element(producer, a.indices, within) + ": it is not elementwise",
                    {}, {"inline_into(" + name + ")"});
    }
  }
  if (reads != in_value) {
    return refuse(name + " is also read by a guard, bound or index of " +
                  text_of(store.buffer, within));
  }
  return *first;
}

bool is_loop_of(const Access& a, const Expr& index) {
  const VarRef* ref = index.as<VarRef>();
  return ref && std::any_of(a.loops.begin(), a.loops.end(),
                            [&](const For& l) { return l.var == ref->var; });
}

bool stands_in(const std::vector<Expr>& list, const Var& var) {
  return std::any_of(list.begin(), list.end(), [&](const Expr& e) {
    const VarRef* ref = e.as<VarRef>();
    return ref && ref->var == var;
  });
}

// The statements of a sequence from the one that holds `first` up to the one that holds `last`.
struct Span {
  size_t first, last;
};
absl::StatusOr<Span> span_of(const std::vector<Stmt>& parts, const StmtNode* first,
                             const StmtNode* last, const std::string& a, const std::string& b) {
  std::optional<size_t> begin, end;
  for (size_t i = 0; i < parts.size(); ++i) {
    walk(parts[i], [&](const Stmt& s) {
      if (s.get() == first) begin = i;
      if (s.get() == last) end = i;
    });
  }
  if (!begin || !end) {
    return refuse("the nests of " + a + " and " + b + " do not stand where " + a + " is declared");
  }
  if (*begin == *end) {
    return refuse(a + " and " + b + " are computed in one nest", {}, {"inline_into(" + a + ")"});
  }
  if (*end < *begin) return refuse(b + " is computed before " + a);
  return Span{*begin, *end};
}

// Loops and guards around one statement, and nothing else: returns their loops.
absl::StatusOr<std::vector<For>> loops_alone(const Stmt& nest, const StmtNode* wanted,
                                             const std::string& name) {
  std::vector<For> loops;
  Stmt s = nest;
  while (s.get() != wanted) {
    if (const For* loop = s.as<For>()) {
      loops.push_back(*loop);
      s = Stmt(loops.back().body);
    } else if (const If* guard = s.as<If>()) {
      s = Stmt(If(*guard).body);
    } else {
      return refuse("the nest of " + name + " computes more than " + name);
    }
  }
  return loops;
}

}  // namespace

absl::StatusOr<ReverseInline> may_reverse_inline(const Program& program, const Buffer& stage) {
  const std::string name = text_of(stage, program);
  TENON_RETURN_IF_ERROR(has_own_indices(program, stage));
  const std::vector<Access> accesses = accesses_of(program->body);
  TENON_ASSIGN_OR_RETURN(const Access store, only_store(accesses, stage, program));
  TENON_ASSIGN_OR_RETURN(const Buffer producer, producer_of(store, accesses, program));
  const std::string from = text_of(producer, program);
  TENON_ASSIGN_OR_RETURN(const Access write, only_store(accesses, producer, program));
  TENON_ASSIGN_OR_RETURN(const Access read, only_reads(store, producer, accesses, program));

  // Where both nests stand.
  const auto declaration = find_place(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    return a && a->buffer == producer;
  });
  const std::vector<Stmt> parts = declaration->rest();
  TENON_ASSIGN_OR_RETURN(const Span span,
                         span_of(parts, write.statement, store.statement, from, name));
  ReverseInline plan;
  plan.producer = producer;
  plan.nest = parts[span.last];
  for (const Stmt& s : parts) {
    if (const Alloc* a = s.as<Alloc>(); a && a->buffer == stage) plan.declaration = s;
  }
  TENON_ASSIGN_OR_RETURN(const std::vector<For> loops,
                         loops_alone(plan.nest, store.statement, name));

  // One iteration of the nest for one element of the producer, and one element of the stage.
  for (const Expr& index : read.indices) {
    if (is_loop_of(store, index) && stands_in(read.indices, index.as<VarRef>()->var)) continue;
    return refuse("the value of " + name + " reads " + element(producer, read.indices, program) +
                  ", not the element that its loops stand at");
  }
  for (const For& loop : loops) {
    if (stands_in(read.indices, loop.var) && stands_in(store.indices, loop.var)) continue;
    return refuse("loop " + text_of(loop.var, program) + " of the nest of " + name +
                  " is not an index of both " + element(producer, read.indices, program) + " and " +
                  element(stage, store.indices, program));
  }
  if (loops.size() != read.indices.size()) {
    return refuse(element(producer, read.indices, program) + " is not one element for each " +
                  "iteration of the nest of " + name);
  }

  // What the statements in between do.
  for (size_t i = span.first; i <= span.last; ++i) {
    const Stmt& s = parts[i];
    if (i != span.last && !s.is<Alloc>() && uses(s, stage)) {
      return refuse(name + " is also used between the nests of " + from + " and " + name);
    }
    if (const Bind* x = s.as<Bind>(); x && uses(plan.nest, x->var)) {
      return refuse("the nest of " + name + " uses " + text_of(x->var, program) +
                    ", which is named behind the nest of " + from);
    }
    const Alloc* local = s.as<Alloc>();
    if (local && !(local->buffer == stage) && uses(plan.nest, local->buffer)) {
      return refuse("the nest of " + name + " reads " + text_of(local->buffer, program) +
                    ", which is declared behind the nest of " + from);
    }
    for (const Access& a : accesses_of(plan.nest)) {
      if (a.kind != Access::Kind::kRead || a.buffer == producer || !writes(s, a.buffer)) continue;
      return refuse("the nest of " + name + " reads " + text_of(a.buffer, program) +
                    ", which is written after " + from + " begins");
    }
  }

  // Every element that is read was written.
  const Stmt sequence = seq(parts);
  const Facts facts = declaration->facts(program);
  std::vector<Access> inside = accesses_of(sequence);
  const auto same = [&](const Access& wanted) {
    return *std::find_if(inside.begin(), inside.end(), [&](const Access& a) {
      return a.statement == wanted.statement && a.kind == wanted.kind && a.buffer == wanted.buffer;
    });
  };
  const Access w = same(write), r = same(read), s = same(store);
  Access happens = r;
  happens.guards = s.guards;
  if (!covers(w, happens, facts)) {
    return refuse("cannot tell that the nest of " + from + " stores every " +
                  element(producer, read.indices, program) + " that " + name + " reads");
  }

  // The store of the stage in place of the producer's.
  VarMap at;
  for (size_t d = 0; d < read.indices.size(); ++d) {
    at[read.indices[d].as<VarRef>()->var] = w.indices[d];
  }
  const Store& old = std::get<Store>(store.statement->kind);
  const Store& of_producer = std::get<Store>(write.statement->kind);
  const Expr value = rewrite(old.value, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    return l && l->buffer == producer ? of_producer.value : e;
  });
  std::vector<Expr> indices = old.indices;
  // The loops of the stage's nest are gone; those of the producer's are no part of the map.
  for (Expr& e : indices) e = substitute(e, at);
  Stmt replacement = tenon::store(stage, indices, substitute(value, at));
  const Facts there = facts_at(w, facts);
  std::vector<Expr> guards = s.guards;
  for (const For& loop : loops) {
    guards.push_back(Expr(loop.var) < loop.hi);
    guards.push_back(loop.lo <= Expr(loop.var));
  }
  for (const Expr& guard : guards) {
    const Expr needed = substitute(guard, at);
    if (!proved(there, needed)) replacement = make_if(needed, replacement);
  }
  walk(program->body, [&](const Stmt& x) {
    if (x.get() == write.statement) plan.write = x;
  });
  plan.replacement = replacement;
  for (const For& loop : loops) plan.removed.push_back(loop.var);
  return plan;
}

}  // namespace tenon
