// May an iteration leave out what earlier ones have computed of a stage?
#include <algorithm>
#include <cstdlib>

#include "analysis/hoisting.h"
#include "analysis/missing.h"
#include "analysis/positions.h"
#include "analysis/stage_nest.h"
#include "analysis/text.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/dependence.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// What iterations compute of the stage.
struct Window {
  std::vector<For> loops;   // of the nest, those that run over a dimension
  std::vector<Expr> moves;  // by how far each moves with the loop, as an expression over it
  size_t dim = 0;           // the one that moves
  int64_t step = 0;         // from one iteration to the next
};

absl::Status comes_in_order(const LoopSite& site, const Stage& stage) {
  const For& loop = site.loop;
  if (loop.kind != ForKind::kSerial && loop.kind != ForKind::kUnroll) {
    return refuse("the iterations of the " + std::string(name_of(loop.kind)) + " loop " +
                  stage.name_of(loop.var) + " do not come one after the other");
  }
  for (const Expr& bound : {loop.lo, loop.hi}) {
    if (!touches_memory(bound)) continue;
    return refuse("the bounds of loop " + stage.name_of(loop.var) +
                  " are read from memory: " + text_of(bound, stage.program));
  }
  return absl::OkStatus();
}

absl::Status is_declared_outside(const LoopSite& site, const Stage& stage) {
  absl::Status status;
  walk(site.loop.body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    if (!a || !stage.holds(a->buffer) || !status.ok()) return;
    const std::string loop = stage.name_of(site.loop.var);
    status = refuse(stage.subject(a->buffer) + " is declared inside of loop " + loop +
                        ": each iteration has its own",
                    {}, {"hoist_alloc(" + stage.name() + ", " + loop + "), then slide"});
  });
  return status;
}

// The statement of the body that computes the stage.
absl::StatusOr<Stmt> nest_of(const LoopSite& site, const Stage& stage) {
  if (!writes(site.loop.body, stage)) {
    return refuse("no statement in the body of loop " + stage.name_of(site.loop.var) +
                  " computes " + stage.name());
  }
  Stmt nest;
  for (const Stmt& s : statements_of(site.loop.body)) {
    const bool used = std::any_of(stage.all.begin(), stage.all.end(),
                                  [&](const Buffer& b) { return uses(s, b); });
    if (writes(s, stage)) {
      if (nest) {
        return refuse(stage.name() + " is written by several statements in the body of loop " +
                      stage.name_of(site.loop.var));
      }
      nest = s;
    } else if (used && !nest) {
      return refuse("the body of loop " + stage.name_of(site.loop.var) + " uses " + stage.name() +
                    " before it computes it");
    }
  }
  return nest;
}

// The loop of the nest in one index of the stage, and what the index says without it. Null where
// the index has none.
absl::StatusOr<const For*> loop_in(const Access& a, size_t d, const Stage& stage) {
  const Affine index = to_affine(a.indices[d]);
  const For* found = nullptr;
  for (const For& loop : a.loops) {
    if (!index.uses(loop.var)) continue;
    if (found || index.coefficient(loop.var) != 1 || !index.is_linear_in(loop.var)) {
      return refuse("index " + std::to_string(d) + " of " +
                    element(a.buffer, a.indices, stage.program) +
                    " is not one loop of its nest, and a distance");
    }
    found = &loop;
  }
  return found;
}

absl::StatusOr<Window> window_of(const std::vector<Access>& own, const LoopSite& site,
                                 const Stage& stage) {
  const Var& loop = site.loop.var;
  Window window;
  const Access& first = own.front();
  std::vector<size_t> moving;
  for (size_t d = 0; d < first.indices.size(); ++d) {
    for (const Access& a : own) {
      if (equal(a.indices[d], first.indices[d])) continue;
      return refuse("the nest of " + stage.name() + " accesses " +
                    element(first.buffer, first.indices, stage.program) + " and " +
                    element(a.buffer, a.indices, stage.program) + ", not one element at a time");
    }
    TENON_ASSIGN_OR_RETURN(const For* over, loop_in(first, d, stage));
    const Affine index = to_affine(first.indices[d]);
    if (index.uses(loop) && !index.is_linear_in(loop)) {
      return refuse(element(first.buffer, first.indices, stage.program) +
                    " does not move with loop " + stage.name_of(loop) + " in steps of one size");
    }
    const int64_t step = index.coefficient(loop);
    if (step != 0) moving.push_back(d);
    if (!over) {
      if (step == 0) continue;
      return refuse("each iteration of loop " + stage.name_of(loop) + " computes one place of " +
                    stage.name() + " in dimension " + std::to_string(d) +
                    ", which no other computes");
    }
    const bool twice = std::any_of(window.loops.begin(), window.loops.end(),
                                   [&](const For& l) { return l.var == over->var; });
    if (twice) {
      return refuse("loop " + stage.name_of(over->var) + " stands in two indices of " +
                    element(first.buffer, first.indices, stage.program));
    }
    if (step != 0) {
      window.dim = window.loops.size();
      window.step = step;
    }
    window.loops.push_back(*over);
    window.moves.push_back(Expr(step) * Expr(loop));
  }
  if (moving.empty()) {
    return refuse("every iteration of loop " + stage.name_of(loop) + " computes the same part of " +
                  stage.name());
  }
  if (moving.size() > 1) {
    return refuse("the part of " + stage.name() + " that an iteration of loop " +
                  stage.name_of(loop) + " computes moves in several dimensions");
  }
  return window;
}

// The bounds are those of a box, the same in every iteration.
absl::Status is_box(const Window& window, const std::vector<Access>& own, const LoopSite& site,
                    const Stage& stage) {
  for (const For& over : window.loops) {
    for (const Expr& bound : {over.lo, over.hi}) {
      bool varies = touches_memory(bound) || uses(bound, site.loop.var);
      for (const Access& a : own) {
        for (const For& l : a.loops) varies = varies || uses(bound, l.var);
      }
      if (!varies) continue;
      return refuse("the bounds of loop " + stage.name_of(over.var) + " of the nest of " +
                    stage.name() + " vary: " + text_of(bound, stage.program));
    }
  }
  const For& over = window.loops[window.dim];
  if (over.kind == ForKind::kSerial || over.kind == ForKind::kParallel) return absl::OkStatus();
  return refuse("loop " + stage.name_of(over.var) + " of the nest of " + stage.name() + " is " +
                with_article(over.kind) + " loop already, and would get other bounds");
}

absl::Status overlaps(const Window& window, const LoopSite& site, const Stage& stage) {
  const For& over = window.loops[window.dim];
  const Facts facts = site.facts.inside(site.loop);
  const Expr extent = simplify(over.hi - over.lo, facts);
  const Expr claim = Expr(std::abs(window.step)) < extent;
  if (proved(facts, claim)) return absl::OkStatus();
  const std::string distance = std::to_string(std::abs(window.step));
  const std::string reason = "an iteration of loop " + stage.name_of(site.loop.var) + " computes " +
                             text_of(extent, stage.program) + " of " + stage.name() + ", " +
                             distance + " further on";
  std::vector<std::string> missing = missing_fact(claim, facts, stage.program);
  if (missing.empty()) return refuse(reason + ": none of it was computed before");
  return refuse(reason + ": cannot tell that iterations overlap", std::move(missing));
}

// The nest with `count` iterations of its moving loop, from `skipped` on.
Stmt part_of(const Stmt& nest, const For& over, const Expr& skipped, const Expr& count) {
  return rewrite_stmts(nest, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    if (!loop || !(loop->var == over.var)) return s;
    const Expr first = loop->lo + skipped;
    return make_for(loop->var, 0, count, loop->kind,
                    substitute(loop->body, VarMap{{loop->var, first + Expr(loop->var)}}));
  });
}

// No write in the loop, the nest aside, touches what the nest in front of it reads.
absl::Status can_start_before(const Stmt& first, const LoopSite& site, const Stmt& nest,
                              const Stage& stage) {
  std::vector<const StmtNode*> own;
  walk(nest, [&](const Stmt& s) { own.push_back(s.get()); });
  const std::vector<Access> inside = accesses_of(site.statement);
  for (const Access& read : accesses_of(first)) {
    if (read.kind != Access::Kind::kRead || read.home || stage.holds(read.buffer)) continue;
    for (const Access& write : inside) {
      const bool other = write.kind != Access::Kind::kRead && write.buffer == read.buffer &&
                         std::find(own.begin(), own.end(), write.statement) == own.end();
      if (!other || never_meet(read, write, {}, site.facts)) continue;
      const Meeting m = meet(read, write, {}, site.facts);
      return refuse("the first part of " + stage.name() + " reads " +
                    (m.answer == Answer::kYes
                         ? element(read.buffer, m.element, stage.program) + ", which loop "
                         : stage.name_of(read.buffer) + ", which may be what loop ") +
                    stage.name_of(site.loop.var) + " writes");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Slide> may_slide(const Program& program, const Buffer& buffer, const Var& loop) {
  TENON_ASSIGN_OR_RETURN(const Stage stage, local_stage(program, buffer));
  const std::optional<LoopSite> site = find_loop(program, loop);
  if (!site) return refuse("the program has no loop " + loop.name());
  TENON_RETURN_IF_ERROR(comes_in_order(*site, stage));
  TENON_RETURN_IF_ERROR(is_declared_outside(*site, stage));
  TENON_ASSIGN_OR_RETURN(const Stmt nest, nest_of(*site, stage));
  const std::vector<Access> accesses = accesses_of(nest);
  const std::vector<Access> own = own_accesses(accesses, stage);
  TENON_ASSIGN_OR_RETURN(const Window window, window_of(own, *site, stage));
  TENON_RETURN_IF_ERROR(is_box(window, own, *site, stage));
  TENON_RETURN_IF_ERROR(writes_only(accesses, stage, window.loops));
  TENON_RETURN_IF_ERROR(overlaps(window, *site, stage));
  TENON_RETURN_IF_ERROR(uses_nothing_declared_in(*site, nest, stage));
  const Positions positions(nest, stage.all, window.loops, {loop}, window.moves);
  TENON_RETURN_IF_ERROR(positions.nest(program).status());
  TENON_RETURN_IF_ERROR(inputs_keep(*site, nest, stage, false));

  // A window that moves up gains at its end.
  const For& over = window.loops[window.dim];
  const bool up = window.step > 0;
  const Expr gain = Expr(std::abs(window.step));
  const Expr rest = over.hi - over.lo - gain;
  Stmt first = part_of(nest, over, up ? Expr(0) : gain, rest);
  first = substitute(first, VarMap{{loop, site->loop.lo}});
  Slide plan{*site, nest, {}, part_of(nest, over, up ? rest : Expr(0), gain), {}};
  std::vector<std::pair<Stmt, Stmt>> pairs;
  plan.first = with_fresh_names(first);
  std::vector<Var> old_loops, new_loops;
  walk(first, [&](const Stmt& s) {
    if (const For* l = s.as<For>()) old_loops.push_back(l->var);
  });
  walk(plan.first, [&](const Stmt& s) {
    if (const For* l = s.as<For>()) new_loops.push_back(l->var);
  });
  for (size_t i = 0; i < old_loops.size(); ++i) {
    for (const For& l : window.loops) {
      if (l.var == old_loops[i]) plan.loops.push_back(new_loops[i]);
    }
  }
  TENON_RETURN_IF_ERROR(can_start_before(plan.first, *site, nest, stage));
  return plan;
}

}  // namespace tenon
