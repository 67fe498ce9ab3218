// May a stage be computed at the end of the iterations that compute what it reads?
#include <algorithm>
#include <set>

#include "analysis/conflict.h"
#include "analysis/hoisting.h"
#include "analysis/missing.h"
#include "analysis/overwrite.h"
#include "analysis/own_indices.h"
#include "analysis/place.h"
#include "analysis/stage_nest.h"
#include "analysis/text.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/names.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

bool holds(const Stmt& s, const StmtNode* wanted) {
  bool found = false;
  walk(s, [&](const Stmt& t) { found = found || t.get() == wanted; });
  return found;
}

// The nest, what stands between it and the statement that holds `at`, and the loops from there in.
struct Found {
  Stmt nest, holds_at;
  std::vector<Stmt> between;
  std::vector<For> down_to_at;  // V, with `at`
  Facts facts;                  // where both stand
};

absl::StatusOr<Found> find_nest(const LoopSite& at, const Stage& stage) {
  const Program& program = stage.program;
  std::optional<Found> found;
  walk(program->body, [&](const Stmt& s) {
    const Seq* list = s.as<Seq>();
    if (!list || found) return;
    const auto holder = std::find_if(list->stmts.begin(), list->stmts.end(),
                                     [&](const Stmt& t) { return holds(t, at.statement.get()); });
    if (holder == list->stmts.end()) return;
    const auto nest = std::find_if(holder + 1, list->stmts.end(),
                                   [&](const Stmt& t) { return writes(t, stage); });
    if (nest == list->stmts.end()) return;
    found = Found{*nest, *holder, {holder + 1, nest}, {}, {}};
  });
  if (!found) {
    return refuse("no nest behind loop " + stage.name_of(at.loop.var) + " computes " +
                  stage.name());
  }
  const auto place =
      find_place(program->body, [&](const Stmt& s) { return s.get() == found->holds_at.get(); });
  found->facts = place->facts(program);
  std::vector<For> all = at.outer;
  all.push_back(at.loop);
  size_t around = 0;
  for (const Stmt* s : place->around) around += s->is<For>();
  found->down_to_at.assign(all.begin() + static_cast<std::ptrdiff_t>(around), all.end());
  return *std::move(found);
}

absl::Status used_only_behind(const Found& found, const Stage& stage) {
  for (const Buffer& one : stage.all) {
    const auto writes_of = [&](const Stmt& s) {
      std::vector<Access> all = accesses_of(s, one);
      std::erase_if(all, [](const Access& a) { return a.kind == Access::Kind::kRead; });
      return all.size();
    };
    if (writes_of(stage.program->body) != writes_of(found.nest)) {
      return refuse(stage.subject(one) + " is written by several nests");
    }
    if (!accesses_of(found.holds_at, one).empty()) {
      return refuse(stage.subject(one) + " is used before its nest");
    }
  }
  return absl::OkStatus();
}

absl::Status place_can_hold(const Found& found, const LoopSite& at, const Stage& stage) {
  std::vector<For> around = at.outer;
  around.push_back(at.loop);
  bool in_parallel = false;
  for (const For& loop : around) {
    in_parallel = in_parallel || loop.kind == ForKind::kParallel;
    if (loop.kind != ForKind::kVector) continue;
    return refuse("loop " + stage.name_of(loop.var) + " is vector code: compute " + stage.name() +
                  " at a loop around it");
  }
  absl::Status status;
  walk(found.nest, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    if (!loop || loop->kind != ForKind::kParallel || !in_parallel) return;
    status = refuse("loop " + stage.name_of(loop->var) + " of the nest of " + stage.name() +
                    " is parallel, and the new place stands inside a parallel loop");
  });
  // What is read outside of the writes would be read where they do not happen.
  walk(found.nest, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    const Bind* name = s.as<Bind>();
    for (const Expr& e :
         {loop ? loop->lo : Expr(), loop ? loop->hi : Expr(), name ? name->value : Expr()}) {
      if (!e || !touches_memory(e) || !status.ok()) continue;
      status = refuse(
          (loop ? "a bound of loop " + stage.name_of(loop->var) : stage.name_of(name->var)) +
          " of the nest of " + stage.name() + " is read from memory: " + text_of(e, stage.program));
    }
  });
  // A guard on the way would skip the stage.
  walk(found.holds_at, [&](const Stmt& s) {
    const If* guard = s.as<If>();
    if (!guard || !holds(guard->body, at.statement.get()) || !status.ok()) return;
    status = refuse("loop " + stage.name_of(at.loop.var) + " runs only if " +
                    text_of(guard->condition, stage.program));
  });
  return status;
}

// --- Which part of the stage an iteration of V completes.

// In a dimension of the stage: elements before `end` are complete after an iteration of V.
struct Part {
  std::optional<Affine> end;  // empty: the dimension does not move with V
  std::vector<For> loops;     // those of V that it moves with, the largest step first
  int64_t block = 0;          // elements per iteration
};

bool moves(const Affine& form, const std::vector<For>& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](const For& l) { return form.uses(l.var); });
}

// The index without the loop, at its greatest over the other loops of the nest.
std::optional<Expr> most_beyond(const Access& read, const Expr& index, const For& loop,
                                const Facts& facts) {
  const Affine form = to_affine(index);
  if (form.coefficient(loop.var) != 1 || !form.is_linear_in(loop.var)) return std::nullopt;
  const Expr rest = to_expr(form + -1 * to_affine(Expr(loop.var)));
  const auto bounds = bounds_over(rest, ranges_of(read.loops), facts);
  if (!bounds || touches_memory(bounds->hi)) return std::nullopt;
  return bounds->hi;
}

// The earliest end that the reads of the nest allow in dimension k.
absl::StatusOr<Part> part_of(size_t k, const std::vector<For>& loops, const Found& found,
                             const LoopSite& at, const Stage& stage) {
  Part part;
  const Facts facts = at.facts.inside(at.loop);
  for (const Access& read : accesses_of(found.nest)) {
    if (read.kind != Access::Kind::kRead || stage.holds(read.buffer)) continue;
    if (read.home || !writes(at.loop.body, read.buffer)) continue;
    const auto region = region_of(at.loop.body, read.buffer, Which::kWrites, facts);
    if (!region.ok()) return region.status();
    for (size_t d = 0; d < read.indices.size(); ++d) {
      const Affine first = to_affine(region->lo[d]);
      if (!moves(first, found.down_to_at)) continue;
      if (!to_affine(read.indices[d]).uses(loops[k].var)) continue;
      const auto beyond = most_beyond(read, read.indices[d], loops[k], found.facts);
      if (!beyond) {
        return refuse("the nest of " + stage.name() + " reads " +
                      element(read.buffer, read.indices, stage.program) + ", where index " +
                      std::to_string(d) + " is not loop " + stage.name_of(loops[k].var) +
                      " and a distance");
      }
      const Affine end = to_affine(region->lo[d] + region->extent[d] - *beyond);
      if (!part.end || proved(facts, to_expr(end) <= to_expr(*part.end))) {
        part.end = end;
      } else if (!proved(facts, to_expr(*part.end) <= to_expr(end))) {
        return refuse("cannot tell which part of " + stage.name() + " is complete first: before " +
                          text_of(to_expr(*part.end), stage.program) + " or before " +
                          text_of(to_expr(end), stage.program),
                      missing_fact(to_expr(end) <= to_expr(*part.end), facts, stage.program));
      }
    }
  }
  return part;
}

// The loops that the part moves with, and the blocks: one size, without gap or overlap.
absl::Status has_blocks(Part& part, size_t k, const Expr& extent, const Found& found,
                        const Stage& stage) {
  const std::string where = " of " + stage.name() + " in dimension " + std::to_string(k);
  for (const For& v : found.down_to_at) {
    if (!part.end->uses(v.var)) continue;
    if (!part.end->is_linear_in(v.var) || part.end->coefficient(v.var) <= 0) {
      return refuse("the part" + where + " that is complete after an iteration, before " +
                    text_of(to_expr(*part.end), stage.program) + ", does not grow with loop " +
                    stage.name_of(v.var) + " in steps of one size");
    }
    for (const Expr& bound : {v.lo, v.hi}) {
      const bool varies = std::any_of(found.down_to_at.begin(), found.down_to_at.end(),
                                      [&](const For& l) { return uses(bound, l.var); });
      if (!varies && !touches_memory(bound)) continue;
      return refuse("the bounds of loop " + stage.name_of(v.var) +
                    " vary: " + text_of(bound, stage.program));
    }
    part.loops.push_back(v);
  }
  const auto step = [&](const For& v) { return part.end->coefficient(v.var); };
  std::stable_sort(part.loops.begin(), part.loops.end(),
                   [&](const For& a, const For& b) { return step(a) > step(b); });
  for (size_t i = 0; i + 1 < part.loops.size(); ++i) {
    const For& inner = part.loops[i + 1];
    if (proved(found.facts, (inner.hi - inner.lo) * Expr(step(inner)) == Expr(step(part.loops[i]))))
      continue;
    return refuse("the parts" + where + " that iterations of loops " +
                  stage.name_of(part.loops[i].var) + " and " + stage.name_of(inner.var) +
                  " complete leave gaps or overlap");
  }
  part.block = step(part.loops.back());
  VarMap first, last;
  for (const For& v : part.loops) {
    first[v.var] = v.lo;
    last[v.var] = v.hi - 1;
  }
  const Expr end = to_expr(*part.end);
  const Expr begins = simplify(substitute(end, first) - part.block, found.facts);
  const Expr ends = simplify(substitute(end, last), found.facts);
  for (const Expr& claim : {begins <= Expr(0), extent <= ends}) {
    if (proved(found.facts, claim)) continue;
    return refuse("iterations complete " + text_of(begins, stage.program) + ".." +
                      text_of(ends, stage.program) + where + ", which has " +
                      text_of(extent, stage.program),
                  missing_fact(claim, found.facts, stage.program));
  }
  return absl::OkStatus();
}

// --- The order.

absl::Status can_pass(const Found& found, const Stage& stage) {
  for (const Stmt& s : found.between) {
    const Alloc* local = s.as<Alloc>();
    if (local && stage.holds(local->buffer)) continue;
    if (local && uses(found.nest, local->buffer)) {
      return refuse("the nest of " + stage.name() + " uses " + stage.name_of(local->buffer) +
                    ", which is declared in front of it");
    }
    if (const Bind* x = s.as<Bind>(); x && uses(found.nest, x->var)) {
      return refuse("the nest of " + stage.name() + " uses " + stage.name_of(x->var) +
                    ", which is named in front of it");
    }
    Dependences dependences(s, found.nest, found.facts);
    if (const auto conflict = dependences.find({}, reads_only)) {
      Names names(stage.program);
      const Access& other = *conflict->a;
      return refuse(
          "`" + headline(s, names) + "` stands in front of the nest of " + stage.name() +
          (conflict->meeting.answer == Answer::kYes
               ? ": both touch " + element(other.buffer, conflict->meeting.element, stage.program)
               : ": both may touch " + stage.name_of(other.buffer)));
    }
  }
  return absl::OkStatus();
}

absl::Status runs_after(const Stmt& rewritten, const Stmt& moved, const Found& found,
                        const Stage& stage) {
  std::set<const StmtNode*> own;
  walk(moved, [&](const Stmt& s) { own.insert(s.get()); });
  const std::vector<Access> all = accesses_of(rewritten);
  for (const Access& ours : all) {
    if (own.count(ours.statement) == 0) continue;
    for (const Access& other : all) {
      const bool matters = own.count(other.statement) == 0 && other.buffer == ours.buffer;
      if (!matters || reads_only(ours, other)) continue;
      const auto conflict = touches_after(ours, other, found.facts);
      if (!conflict) continue;
      const Meeting& m = conflict->meeting;
      const std::string nest = "the nest of " + stage.name() + " would " +
                               (ours.kind == Access::Kind::kRead ? "read " : "write ");
      if (m.answer != Answer::kYes) {
        return refuse(nest + element(ours.buffer, ours.indices, stage.program) +
                      ", and cannot tell that it is complete by then");
      }
      return refuse(nest + element(ours.buffer, m.element, stage.program) +
                    iteration_of(m.a_values, stage.program) + ", which is " +
                    (other.kind == Access::Kind::kRead ? "read" : "written") + " after that" +
                    iteration_of(m.b_values, stage.program) +
                    (m.sizes.empty() ? "" : ", with " + text_of(m.sizes, stage.program)));
    }
  }
  return absl::OkStatus();
}

// --- The rewrite of the nest.

// Puts the guard around each write of the nest, and around its own guards: they may read what is
// there only where the new one holds.
Stmt guarded(const Stmt& s, const Expr& guard) {
  if (s.is<Store>() || s.is<Accumulate>() || s.is<Call>() || s.is<If>()) return make_if(guard, s);
  return map_children(s, [&](const Stmt& t) { return guarded(t, guard); });
}

Stmt blocks_only(const Stmt& nest, const For& loop, const Part& part, const Expr& extent,
                 const Facts& facts) {
  const Expr index = to_expr(*part.end) - part.block + Expr(loop.var);
  const Facts inside = facts.inside(LoopRange{loop.var, 0, Expr(part.block)});
  return rewrite_stmts(nest, [&](const Stmt& s) {
    const For* l = s.as<For>();
    if (!l || !(l->var == loop.var)) return s;
    Stmt body = substitute(l->body, VarMap{{l->var, index}});
    for (const Expr& guard : {index < extent, Expr(0) <= index}) {
      if (!proved(inside, guard)) body = guarded(body, guard);
    }
    return make_for(l->var, 0, Expr(part.block), l->kind, std::move(body));
  });
}

}  // namespace

absl::StatusOr<ReverseComputeAt> may_reverse_compute_at(const Program& program,
                                                        const Buffer& buffer, const Var& at) {
  const Stage stage{program, buffer, reduced_together(program, buffer), "move"};
  const std::optional<LoopSite> site = find_loop(program, at);
  if (!site) return refuse("the program has no loop " + at.name());
  TENON_ASSIGN_OR_RETURN(const Found found, find_nest(*site, stage));
  TENON_RETURN_IF_ERROR(used_only_behind(found, stage));
  TENON_RETURN_IF_ERROR(place_can_hold(found, *site, stage));
  const std::vector<Access> nest = accesses_of(found.nest);
  TENON_ASSIGN_OR_RETURN(const std::vector<For> loops,
                         stage_loops(own_accesses(nest, stage), stage));
  TENON_RETURN_IF_ERROR(writes_only(nest, stage, loops));
  TENON_RETURN_IF_ERROR(can_pass(found, stage));

  const std::vector<Expr> shape = *shape_of(program, buffer);
  const Facts facts = site->facts.inside(site->loop);
  Stmt moved = found.nest;
  std::set<Var> selected;
  for (size_t k = 0; k < loops.size(); ++k) {
    TENON_ASSIGN_OR_RETURN(Part part, part_of(k, loops, found, *site, stage));
    if (!part.end) continue;
    TENON_RETURN_IF_ERROR(has_blocks(part, k, shape[k], found, stage));
    for (const For& v : part.loops) {
      if (selected.insert(v.var).second) continue;
      return refuse("the part of " + stage.name() + " that loop " + stage.name_of(v.var) +
                    " completes moves in several dimensions");
    }
    if (loops[k].kind == ForKind::kUnroll) {
      return refuse("loop " + stage.name_of(loops[k].var) + " of the nest of " + stage.name() +
                    " is unrolled: move " + stage.name() + " before that");
    }
    moved = blocks_only(moved, loops[k], part, shape[k], facts);
  }
  // A loop that selects no part repeats the others: its last iteration completes them.
  for (const For& v : found.down_to_at) {
    if (selected.count(v.var) != 0) continue;
    if (!proved(found.facts, v.lo < v.hi)) {
      return refuse("loop " + stage.name_of(v.var) + " selects no part of " + stage.name() +
                        ", which would be computed in its last iteration, and cannot tell that it "
                        "has one",
                    missing_fact(v.lo < v.hi, found.facts, program));
    }
    const Expr is_last = Expr(v.var) == v.hi - 1;
    if (!proved(facts, is_last)) moved = guarded(moved, is_last);
  }

  ReverseComputeAt plan{*site, found.nest, moved, {}, found.holds_at, {}};
  for (const Stmt& s : found.between) {
    const Alloc* local = s.as<Alloc>();
    if (local && stage.holds(local->buffer)) plan.allocs.push_back(s);
  }
  walk(found.nest, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    for (const For& l : loops) {
      if (loop && l.var == loop->var) plan.loops.push_back(l.var);
    }
  });
  const Stmt rewritten = replace_loop(found.holds_at, at, [&](const For& l) {
    return make_for(l.var, l.lo, l.hi, l.kind, seq({l.body, moved}));
  });
  TENON_RETURN_IF_ERROR(runs_after(rewritten, moved, found, stage));
  return plan;
}

}  // namespace tenon
