// May a stage be computed inside a loop that reads it?
#include <algorithm>

#include "analysis/extent.h"
#include "analysis/stage_nest.h"
#include "analysis/text.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// N and what comes after it, up to and with the statement that holds `at`.
struct Span {
  Stmt nest;
  std::vector<Stmt> after;
  std::vector<Var> around;  // the loops around them, outermost first
};

// Looks in one sequence around `at` for the statements that write the stage. `holds_at` is the
// position of the statement that holds `at`.
absl::StatusOr<std::optional<Span>> span_in(const Seq& list, size_t holds_at, const Stage& stage) {
  std::vector<size_t> writers;
  for (size_t i = 0; i < list.stmts.size(); ++i) {
    if (i != holds_at && writes(list.stmts[i], stage)) writers.push_back(i);
  }
  if (writers.empty()) return std::nullopt;
  if (writers.size() > 1) {
    return refuse(stage.name() +
                  " is written by several nests: compute it at a loop before its own "
                  "nest is taken apart");
  }
  const size_t n = writers.front();
  if (n > holds_at)
    return refuse(stage.name() + " is computed after the loop that it should move to");
  const auto begin = list.stmts.begin() + static_cast<std::ptrdiff_t>(n);
  const auto end = list.stmts.begin() + static_cast<std::ptrdiff_t>(holds_at);
  return Span{*begin, std::vector<Stmt>(begin + 1, end + 1), {}};
}

// The statement of the sequence that the path goes on with.
size_t position_on_path(const Seq& list, const Stmt* next) {
  for (size_t i = 0; i < list.stmts.size(); ++i) {
    if (&list.stmts[i] == next) return i;
  }
  return list.stmts.size();
}

// The nest that writes the stage, in a sequence around `at`.
absl::StatusOr<Span> find_span(const Place& at, const Stage& stage) {
  std::vector<const Stmt*> path = at.around;
  path.push_back(at.statement);
  path.erase(std::remove_if(path.begin(), path.end(), [](const Stmt* s) { return s->is<Bind>(); }),
             path.end());
  std::vector<Var> around;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    if (const For* loop = path[i]->as<For>()) around.push_back(loop->var);
    const Seq* list = path[i]->as<Seq>();
    if (!list) continue;
    absl::StatusOr<std::optional<Span>> span =
        span_in(*list, position_on_path(*list, path[i + 1]), stage);
    if (!span.ok()) return span.status();
    if (!*span) continue;
    (*span)->around = around;
    return std::move(**span);
  }
  return refuse("no nest before loop " + stage.name_of(at.statement->as<For>()->var) +
                " computes " + stage.name());
}

// Every iteration of the loops around has a stage of its own: a nest may add to what an earlier
// iteration left, or leave it where a guard fails.
absl::Status is_declared_here(const Span& span, const Stage& stage) {
  for (const Buffer& buffer : stage.all) {
    const auto declaration = find_place(stage.program->body, [&](const Stmt& s) {
      const Alloc* a = s.as<Alloc>();
      return a && a->buffer == buffer;
    });
    size_t loops = 0;
    for (const Stmt* s : declaration->around) loops += s->is<For>();
    if (loops >= span.around.size()) continue;
    return refuse(stage.subject(buffer) + " is declared outside of loop " +
                  stage.name_of(span.around[loops]) +
                  ", and its nest stands inside: it may keep values from one iteration to the "
                  "next");
  }
  return absl::OkStatus();
}

// --- The inputs.

// What the nest reads still has the same value where the nest would run.
absl::Status inputs_stay(const std::vector<Access>& nest, const Stage& stage,
                         const std::vector<Stmt>& after) {
  for (const Access& a : nest) {
    if (a.kind != Access::Kind::kRead || stage.holds(a.buffer) || a.home) continue;
    for (const Stmt& s : after) {
      if (!writes(s, a.buffer)) continue;
      return refuse("the nest of " + stage.name() + " reads " + stage.name_of(a.buffer) +
                    ", which is written again before the new place");
    }
  }
  return absl::OkStatus();
}

// --- The place.

absl::Status place_can_hold(const LoopSite& at, const Stmt& nest, const Stage& stage) {
  bool in_parallel = at.loop.kind == ForKind::kParallel;
  bool in_vector = at.loop.kind == ForKind::kVector;
  for (const For& loop : at.outer) {
    in_parallel = in_parallel || loop.kind == ForKind::kParallel;
    in_vector = in_vector || loop.kind == ForKind::kVector;
  }
  if (in_vector) {
    return refuse("loop " + stage.name_of(at.loop.var) +
                  " is vector code, which cannot hold an allocation: compute " + stage.name() +
                  " at a loop around it");
  }
  const Stmt* parallel = nullptr;
  walk(nest, [&](const Stmt& s) {
    if (s.is<For>() && s.as<For>()->kind == ForKind::kParallel) parallel = &s;
  });
  if (in_parallel && parallel) {
    return refuse("loop " + stage.name_of(parallel->as<For>()->var) + " of the nest of " +
                  stage.name() + " is parallel, and the new place stands inside a parallel loop");
  }
  return absl::OkStatus();
}

// All accesses to the stage are in the nest, or reads in the body of `at`.
absl::Status used_only_here(const Stage& stage, const Stmt& nest, const For& at) {
  const std::vector<Access> inside = own_accesses(accesses_of(at.body), stage);
  if (inside.empty()) {
    return refuse("nothing inside loop " + stage.name_of(at.var) + " reads " + stage.name());
  }
  for (const Access& a : inside) {
    if (a.kind == Access::Kind::kRead) continue;
    return refuse(stage.subject(a.buffer) + " is also written inside loop " +
                  stage.name_of(at.var));
  }
  for (const Buffer& buffer : stage.all) {
    const auto uses_of = [&](const Stmt& s) { return accesses_of(s, buffer).size(); };
    if (uses_of(stage.program->body) == uses_of(nest) + uses_of(at.body)) continue;
    return refuse(stage.subject(buffer) + " is also used outside of loop " + stage.name_of(at.var));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ComputeAt> may_compute_at(const Program& program, const Buffer& buffer,
                                         const Var& at) {
  absl::StatusOr<Stage> local = local_stage(program, buffer);
  if (!local.ok()) return local.status();
  const Stage& stage = *local;
  local->verb = "compute", local->place = " at a loop";
  const std::optional<LoopSite> site = find_loop(program, at);
  if (!site) return refuse("the program has no loop " + at.name());
  const auto place =
      find_place(program->body, [&](const Stmt& s) { return s.get() == site->statement.get(); });

  const absl::StatusOr<Span> span = find_span(*place, stage);
  if (!span.ok()) return span.status();
  if (absl::Status s = is_declared_here(*span, stage); !s.ok()) return s;
  if (absl::Status s = place_can_hold(*site, span->nest, stage); !s.ok()) return s;

  const std::vector<Access> nest = accesses_of(span->nest);
  if (absl::Status s = used_only_here(stage, span->nest, site->loop); !s.ok()) return s;
  const Facts inside = site->facts.inside(site->loop);
  const absl::StatusOr<std::vector<For>> loops =
      stage_loops(own_accesses(nest, stage), stage, &inside);
  if (!loops.ok()) return loops.status();
  if (absl::Status s = writes_only(nest, stage, *loops); !s.ok()) return s;
  if (absl::Status s = inputs_stay(nest, stage, span->after); !s.ok()) return s;

  absl::StatusOr<Region> region = region_of(site->loop.body, stage.all, Which::kReads, inside);
  if (!region.ok()) return region.status();
  if (absl::Status s = region_is_no_data(*region, stage.name(), "read", program); !s.ok()) return s;
  return ComputeAt{*site, stage.all, span->nest, *loops, *std::move(region)};
}

}  // namespace tenon
