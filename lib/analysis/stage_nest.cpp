#include "analysis/stage_nest.h"

#include <algorithm>

#include "analysis/extent.h"
#include "analysis/own_indices.h"
#include "analysis/text.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/prove.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {

bool Stage::holds(const Buffer& b) const {
  return std::find(all.begin(), all.end(), b) != all.end();
}
std::string Stage::name() const { return text_of(buffer, program); }
std::string Stage::name_of(const Var& var) const { return text_of(var, program); }
std::string Stage::name_of(const Buffer& b) const { return text_of(b, program); }

std::string Stage::subject(const Buffer& b) const {
  return b == buffer ? name() : name_of(b) + ", which is reduced together with " + name() + ",";
}

absl::StatusOr<Stage> local_stage(const Program& program, const Buffer& buffer) {
  Stage stage{program, buffer, reduced_together(program, buffer)};
  for (const Buffer& one : stage.all) {
    TENON_RETURN_IF_ERROR(is_local(one, program, [&] { return stage.subject(one); }));
  }
  if (!shape_of(program, buffer)) return refuse("the program has no buffer " + buffer.name());
  return stage;
}

bool writes(const Stmt& s, const Buffer& buffer) {
  const std::vector<Access> accesses = accesses_of(s, buffer);
  return std::any_of(accesses.begin(), accesses.end(),
                     [](const Access& a) { return a.kind != Access::Kind::kRead; });
}

bool writes(const Stmt& s, const Stage& stage) {
  return std::any_of(stage.all.begin(), stage.all.end(),
                     [&](const Buffer& b) { return writes(s, b); });
}

std::vector<Access> own_accesses(std::vector<Access> accesses, const Stage& stage) {
  std::erase_if(accesses, [&](const Access& a) { return !stage.holds(a.buffer); });
  return accesses;
}

namespace {

const For* loop_of(const Access& a, const Expr& index) {
  const VarRef* ref = index.as<VarRef>();
  if (!ref) return nullptr;
  for (const For& loop : a.loops) {
    if (loop.var == ref->var) return &loop;
  }
  return nullptr;
}

bool covers(const For& loop, const Expr& extent, const Facts& facts) {
  const bool from_zero = is_constant(loop.lo, 0) || proved(facts, loop.lo == Expr(0));
  return from_zero && (equal(loop.hi, extent) || proved(facts, loop.hi == extent));
}

absl::Status not_whole(const Access& a, size_t dim, const Stage& stage) {
  return refuse("the nest of " + stage.name() + " accesses " +
                element(a.buffer, a.indices, stage.program) + ", where index " +
                std::to_string(dim) + " is not a loop over the whole dimension: " +
                stage.advice() + " before its own loops are split or fused");
}

bool contains(const std::vector<For>& loops, const Var& var) {
  return std::any_of(loops.begin(), loops.end(), [&](const For& l) { return l.var == var; });
}

}  // namespace

absl::StatusOr<std::vector<For>> stage_loops(const std::vector<Access>& own, const Stage& stage,
                                             const Facts* elsewhere) {
  const auto bounds_are_known = [&](const For& loop) {
    return elsewhere && is_known(loop.lo, *elsewhere) && is_known(loop.hi, *elsewhere);
  };
  const Facts facts = facts_of(stage.program);
  std::vector<For> loops;
  for (const Access& a : own) {
    if (const Call* call = a.call(); call && a.kind != Access::Kind::kRead) {
      return refuse("extern function " + call->function.name + " writes " +
                        stage.name_of(a.buffer) + ", in parts that no step makes smaller",
                    {}, {"merge its loop with that of a reader"});
    }
    const std::vector<Expr> shape = *shape_of(stage.program, a.buffer);
    for (size_t d = 0; d < shape.size(); ++d) {
      const For* loop = loop_of(a, a.indices[d]);
      if (!loop || !(covers(*loop, shape[d], facts) || bounds_are_known(*loop))) {
        return not_whole(a, d, stage);
      }
      if (loop->kind == ForKind::kVector) {
        return refuse("loop " + stage.name_of(loop->var) + " of the nest of " + stage.name() +
                      " is a vector over the whole dimension: " + stage.advice() +
                      " before it is vectorized");
      }
      if (loops.size() <= d) loops.push_back(*loop);
      if (!(loops[d].var == loop->var)) {
        return refuse("the nest of " + stage.name() + " runs over dimension " +
                      std::to_string(d) + " with loop " + stage.name_of(loops[d].var) +
                      " and with loop " + stage.name_of(loop->var) + ": " + stage.advice() +
                      " before fissioning it");
      }
      for (size_t other = 0; other < d; ++other) {
        if (loops[other].var == loops[d].var) return not_whole(a, d, stage);
      }
    }
  }
  return loops;
}

absl::Status writes_only(const std::vector<Access>& nest, const Stage& stage,
                         const std::vector<For>& loops) {
  for (const Access& a : nest) {
    if (a.kind == Access::Kind::kRead || stage.holds(a.buffer)) continue;
    if (!a.home) {
      return refuse("the nest of " + stage.name() + " also writes " + stage.name_of(a.buffer));
    }
    for (size_t i = *a.home; i < a.loops.size(); ++i) {
      if (!contains(loops, a.loops[i].var)) continue;
      return refuse("the nest of " + stage.name() + " passes values between iterations of loop " +
                    stage.name_of(a.loops[i].var) + " through " + stage.name_of(a.buffer));
    }
  }
  return absl::OkStatus();
}

// --- A stage that is computed where it is declared.

namespace {

// The nest is the only statement that writes; those before it do not use the stage.
absl::Status sort_statements(DeclaredNest& found, const Stage& stage) {
  for (const Stmt& s : found.declaration.rest()) {
    const auto used = std::find_if(stage.all.begin(), stage.all.end(),
                                   [&](const Buffer& b) { return !s.is<Alloc>() && uses(s, b); });
    if (writes(s, stage)) {
      if (found.nest) {
        return refuse(stage.name() + " is written by several nests: " + stage.advice() +
                      " before its own nest is taken apart");
      }
      found.nest = s;
    } else if (found.nest) {
      found.readers.push_back(s);
    } else if (used != stage.all.end()) {
      return refuse(stage.subject(*used) + " is read before it is computed");
    } else {
      found.before.push_back(s);
    }
  }
  return found.nest ? absl::OkStatus() : refuse("nothing writes " + stage.name());
}

// All of them are declared in one sequence.
absl::Status declared_together(const DeclaredNest& found, const Stage& stage) {
  for (const Buffer& buffer : stage.all) {
    const auto place = find_place(stage.program->body, [&](const Stmt& s) {
      const Alloc* a = s.as<Alloc>();
      return a && a->buffer == buffer;
    });
    size_t loops = 0;
    for (const Stmt* s : place->around) loops += s->is<For>();
    if (loops == found.around.size()) continue;
    return refuse(stage.subject(buffer) + " is not declared next to " + stage.name());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DeclaredNest> declared_nest(const Stage& stage) {
  // The last of their declarations: from there on all are known.
  DeclaredNest found;
  walk(stage.program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    if (!a || !stage.holds(a->buffer)) return;
    const auto place =
        find_place(stage.program->body, [&](const Stmt& t) { return t.get() == s.get(); });
    found.declaration = *place;
  });
  for (const Stmt* s : found.declaration.around) {
    if (const For* loop = s->as<For>()) found.around.push_back(*loop);
  }
  found.facts = found.declaration.facts(stage.program);
  TENON_RETURN_IF_ERROR(declared_together(found, stage));
  TENON_RETURN_IF_ERROR(sort_statements(found, stage));
  const std::vector<Access> nest = accesses_of(found.nest);
  TENON_ASSIGN_OR_RETURN(found.loops, stage_loops(own_accesses(nest, stage), stage));
  TENON_RETURN_IF_ERROR(writes_only(nest, stage, found.loops));
  return found;
}

}  // namespace tenon
