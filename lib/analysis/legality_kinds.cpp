// The predicates about kinds of loops.
#include <set>

#include "analysis/carried.h"
#include "analysis/conflict.h"
#include "analysis/text.h"
#include "tenon/analysis/legality.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

Verdict refused(std::string reason, std::vector<std::string> legal = {}) {
  return Verdict{refuse(std::move(reason), {}, std::move(legal))};
}

bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

// The first loop in s with one of these kinds; null when there is none.
const For* find_kind(const Stmt& s, const std::set<ForKind>& kinds) {
  const For* found = nullptr;
  walk(s, [&](const Stmt& t) {
    const For* loop = t.as<For>();
    if (loop && !found && kinds.count(loop->kind)) found = loop;
  });
  return found;
}

const For* find_kind(const std::vector<For>& loops, ForKind kind) {
  for (const For& loop : loops) {
    if (loop.kind == kind) return &loop;
  }
  return nullptr;
}

std::string stands_inside(const For& inner, const char* kind, const For& outer,
                          const Program& within) {
  return "loop " + text_of(inner.var, within) + " stands inside the " + kind + " loop " +
         text_of(outer.var, within);
}

// --- Vector loops.

// A loop in s whose bounds use the lane, directly or through a bound name; null when there is none.
const For* find_ragged(const Stmt& s, const Var& lane) {
  const For* ragged = nullptr;
  std::set<Var> varying = {lane};
  const auto varies = [&](const Expr& e) {
    for (const Var& var : free_vars(e)) {
      if (varying.count(var)) return true;
    }
    return false;
  };
  walk(s, [&](const Stmt& t) {
    const Bind* name = t.as<Bind>();
    const For* loop = t.as<For>();
    if (name && varies(name->value)) varying.insert(name->var);
    if (loop && !ragged && (varies(loop->lo) || varies(loop->hi))) ragged = loop;
  });
  return ragged;
}

Buffer find_alloc(const Stmt& s) {
  Buffer found;
  walk(s, [&](const Stmt& t) {
    if (const Alloc* a = t.as<Alloc>()) found = a->buffer;
  });
  return found;
}

const Call* find_call(const Stmt& s) {
  const Call* found = nullptr;
  walk(s, [&](const Stmt& t) {
    if (!found) found = t.as<Call>();
  });
  return found;
}

absl::Status has_vector_form(const LoopSite& site) {
  const For& loop = site.loop;
  const Program& within = site.program;
  if (const For* outer = find_kind(site.outer, ForKind::kVector)) {
    return refuse(stands_inside(loop, "vector", *outer, within));
  }
  if (const For* inner =
          find_kind(loop.body, {ForKind::kVector, ForKind::kParallel, ForKind::kInstruction})) {
    return refuse(stands_inside(*inner, "vector", loop, within) + ", and is " +
                  with_article(inner->kind) + " loop itself");
  }
  if (const Buffer buffer = find_alloc(loop.body)) {
    return refuse(text_of(buffer, within) + " is allocated inside loop " +
                  text_of(loop.var, within) + ": a vector loop cannot hold an allocation");
  }
  if (const Call* call = find_call(loop.body)) {
    return refuse("extern function " + call->function.name + " is called inside loop " +
                  text_of(loop.var, within) + ", and a C function has no lanes");
  }
  if (const For* inner = find_ragged(loop.body, loop.var)) {
    return refuse("the bounds of loop " + text_of(inner->var, within) +
                  " differ between the lanes of " + text_of(loop.var, within));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> number_of_lanes(const LoopSite& site) {
  const For& loop = site.loop;
  const std::optional<int64_t> lo = as_int(simplify(loop.lo, site.facts));
  const std::optional<int64_t> lanes = as_int(simplify(loop.hi - loop.lo, site.facts));
  const auto name = [&] { return text_of(loop.var, site.program); };
  if (!lo || !lanes) {
    return refuse("the lanes of a vector must be a constant number, and loop " + name() +
                  " runs over " + text_of(loop.lo, site.program) + ".." +
                  text_of(loop.hi, site.program) + ": split it first");
  }
  if (*lanes < 1 || *lanes > kMaxVectorLanes) {
    return refuse("a vector has 1 to " + std::to_string(kMaxVectorLanes) + " lanes, and loop " +
                  name() + " has " + std::to_string(*lanes) + " iterations: split it first");
  }
  return *lanes;
}

// Lanes fold by halves.
absl::Status folds_evenly(const Dependences& dependences, const LoopSite& site, int64_t lanes) {
  if (is_power_of_two(lanes)) return absl::OkStatus();
  for (const Access& a : dependences.accesses()) {
    if (a.kind != Access::Kind::kAccumulate || target_uses(a, site.loop.var)) continue;
    return refuse("the lanes of loop " + text_of(site.loop.var, site.program) + " fold into " +
                  element(a.buffer, a.indices, site.program) +
                  ", so their number must be a power of two, and it is " + std::to_string(lanes));
  }
  return absl::OkStatus();
}

// A guard may let one lane alone store to an element that all share; a vector has no such store.
absl::Status stores_move(const Dependences& dependences, const LoopSite& site, int64_t lanes) {
  if (lanes == 1) return absl::OkStatus();
  for (const Access& a : dependences.accesses()) {
    if (a.kind != Access::Kind::kWrite || target_uses(a, site.loop.var)) continue;
    return refuse("all lanes of loop " + text_of(site.loop.var, site.program) + " store to " +
                  element(a.buffer, a.indices, site.program));
  }
  return absl::OkStatus();
}

// --- Parallel loops.

// Loops around this one that could be parallel instead. What is known beyond the loops themselves
// is left out here; that can only lose suggestions.
std::vector<std::string> parallel_instead(const LoopSite& site) {
  std::vector<std::string> legal;
  Facts facts;
  for (const For& loop : site.outer) {
    Dependences dependences(make_for(loop.var, loop.lo, loop.hi, loop.kind, loop.body), facts);
    if (!dependences.find({Ordering::kGreater}, reads_only)) {
      legal.push_back("parallelize(" + text_of(loop.var, site.program) + ")");
    }
    facts = facts.inside(loop);
  }
  return legal;
}

}  // namespace

Verdict may_vectorize(const LoopSite& site) {
  if (absl::Status s = has_vector_form(site); !s.ok()) return Verdict{s};
  const absl::StatusOr<int64_t> lanes = number_of_lanes(site);
  if (!lanes.ok()) return Verdict{lanes.status()};
  Dependences dependences(site.statement, site.facts);
  if (absl::Status s = folds_evenly(dependences, site, *lanes); !s.ok()) return Verdict{s};
  const Verdict verdict =
      carries_nothing_between_lanes(dependences, site.loop.var, {Ordering::kGreater}, site.program);
  if (!verdict.ok()) return verdict;
  if (absl::Status s = stores_move(dependences, site, *lanes); !s.ok()) return Verdict{s};
  return verdict;
}

Verdict may_parallelize(const LoopSite& site) {
  const For& loop = site.loop;
  for (const ForKind kind : {ForKind::kParallel, ForKind::kVector}) {
    if (const For* outer = find_kind(site.outer, kind)) {
      return refused(stands_inside(loop, name_of(kind), *outer, site.program));
    }
  }
  if (const For* inner = find_kind(loop.body, {ForKind::kParallel})) {
    return refused("loop " + text_of(inner->var, site.program) + " inside loop " +
                   text_of(loop.var, site.program) + " is already parallel: fuse the two first");
  }
  Dependences dependences(site.statement, site.facts);
  Verdict verdict = carries_nothing(dependences, {Ordering::kGreater}, site.program);
  if (verdict.ok()) return verdict;
  Diagnostic d = diagnostic_of(verdict.status).value_or(Diagnostic{});
  for (std::string& other : parallel_instead(site)) d.legal.push_back(std::move(other));
  return Verdict{make_status(d)};
}

}  // namespace tenon
