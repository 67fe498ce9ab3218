// The predicates about the order of iterations.
#include <algorithm>

#include "analysis/carried.h"
#include "analysis/conflict.h"
#include "analysis/loop_bounds.h"
#include "analysis/text.h"
#include "tenon/analysis/legality.h"
#include "tenon/base/counted.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

Verdict refused(std::string reason, std::vector<std::string> legal = {}) {
  return Verdict{refuse(std::move(reason), {}, std::move(legal))};
}

// --- Perfect nests.

using Nest = std::vector<For>;

// The outermost n loops of the perfect nest that starts at the site; refused when there are fewer.
absl::StatusOr<Nest> perfect_nest(const LoopSite& site, size_t n) {
  Nest nest = {site.loop};
  while (nest.size() < n) {
    const For& last = nest.back();
    if (last.body.is<If>()) {
      return refuse("an if stands between loop " + text_of(last.var, site.program) +
                    " and the loop inside it");
    }
    const For* next = last.body.as<For>();
    if (!next) {
      return refuse("the body of loop " + text_of(last.var, site.program) +
                    " is not a single loop: fission it first");
    }
    nest.push_back(*next);
  }
  return nest;
}

std::optional<size_t> position(const Nest& nest, const Var& var) {
  for (size_t i = 0; i < nest.size(); ++i) {
    if (nest[i].var == var) return i;
  }
  return std::nullopt;
}

// order[k]: the old position of the loop that comes k-th.
absl::StatusOr<std::vector<size_t>> positions(const Nest& nest, const std::vector<Var>& order,
                                              const Program& within) {
  std::vector<size_t> old;
  for (const Var& var : order) {
    const std::optional<size_t> at = position(nest, var);
    if (!at) {
      return refuse("loop " + text_of(var, within) + " is not one of the " +
                    std::to_string(nest.size()) + " outermost loops of the nest of loop " +
                    text_of(nest.front().var, within));
    }
    if (std::find(old.begin(), old.end(), *at) != old.end()) {
      return refuse("loop " + text_of(var, within) + " is named twice");
    }
    old.push_back(*at);
  }
  return old;
}

// Every loop stays inside the loops that its bounds use.
absl::Status bounds_stay_in_scope(const Nest& nest, const std::vector<size_t>& order,
                                  const Program& within) {
  for (size_t k = 0; k < order.size(); ++k) {
    for (size_t later = k + 1; later < order.size(); ++later) {
      const For& loop = nest[order[k]];
      const Var& outer = nest[order[later]].var;
      if (uses(loop.lo, outer) || uses(loop.hi, outer)) {
        return refuse("the bounds of loop " + text_of(loop.var, within) + " use " +
                      text_of(outer, within) + ", so it must stay inside that loop");
      }
    }
  }
  return absl::OkStatus();
}

// The k-th loop of the new order has lost a loop that was around it.
bool lost_an_outer_loop(const std::vector<size_t>& order, size_t k) {
  const auto around = order.begin() + static_cast<std::ptrdiff_t>(k);
  for (size_t outer = 0; outer < order[k]; ++outer) {
    if (std::find(order.begin(), around, outer) == around) return true;
  }
  return false;
}

// A bound that is read from memory may not be there to be read when a loop around it is empty.
absl::Status data_bounds_stay_inside(const Nest& nest, const std::vector<size_t>& order,
                                     const Program& within) {
  for (size_t k = 0; k < order.size(); ++k) {
    if (!lost_an_outer_loop(order, k)) continue;
    const For& loop = nest[order[k]];
    for (const Expr& bound : {loop.lo, loop.hi}) {
      const Buffer data = read_by(bound);
      if (!data) continue;
      return refuse("the bounds of loop " + text_of(loop.var, within) + " read " +
                    text_of(data, within) + ", so it must stay inside the loops around it");
    }
  }
  return absl::OkStatus();
}

// --- Ordering vectors.

// d is positive at position `p` of the old order, with everything before equal, and negative at
// the loop that comes q-th in the new order, with everything before that equal.
std::optional<std::vector<Ordering>> reversed_between(const std::vector<size_t>& order, size_t p,
                                                      size_t q) {
  std::vector<Ordering> d(order.size(), Ordering::kAny);
  for (size_t i = 0; i < p; ++i) d[i] = Ordering::kEqual;
  d[p] = Ordering::kGreater;
  for (size_t k = 0; k < q; ++k) {
    if (order[k] == p) return std::nullopt;
    d[order[k]] = Ordering::kEqual;
  }
  if (order[q] <= p) return std::nullopt;
  d[order[q]] = Ordering::kLess;
  return d;
}

std::optional<Conflict> find_reversed(Dependences& dependences, const std::vector<size_t>& order) {
  for (size_t p = 0; p < order.size(); ++p) {
    for (size_t q = 0; q < order.size(); ++q) {
      const auto directions = reversed_between(order, p, q);
      if (!directions) continue;
      if (auto c = dependences.find(*directions, same_accumulations)) return c;
    }
  }
  return std::nullopt;
}

// Parallel and vector loops of the nest keep their obligations with other loops around them: with
// fewer of them, fewer iterations are equal.
Verdict marks_stay_legal(const Nest& nest, const std::vector<size_t>& order,
                         Dependences& dependences, const Program& within) {
  Verdict verdict;
  bool in_vector = false;
  for (size_t k = 0; k < order.size(); ++k) {
    const For& loop = nest[order[k]];
    if (in_vector && loop.kind != ForKind::kSerial && loop.kind != ForKind::kUnroll) {
      return refused("loop " + text_of(loop.var, within) + " would stand inside a vector loop");
    }
    in_vector = in_vector || loop.kind == ForKind::kVector;
    if (loop.kind != ForKind::kParallel && loop.kind != ForKind::kVector) continue;
    if (!lost_an_outer_loop(order, k)) continue;
    std::vector<Ordering> directions(nest.size(), Ordering::kAny);
    for (size_t i = 0; i < k; ++i) directions[order[i]] = Ordering::kEqual;
    directions[order[k]] = Ordering::kGreater;
    const Verdict mark =
        loop.kind == ForKind::kVector
            ? carries_nothing_between_lanes(dependences, loop.var, directions, within)
            : carries_nothing(dependences, directions, within);
    if (!mark.ok()) return mark;
    verdict.reassociates = verdict.reassociates || mark.reassociates;
  }
  return verdict;
}

}  // namespace

Verdict may_reorder(const LoopSite& site, const std::vector<Var>& order) {
  if (order.empty()) return {};
  const absl::StatusOr<Nest> nest = perfect_nest(site, order.size());
  if (!nest.ok()) return Verdict{nest.status()};
  const absl::StatusOr<std::vector<size_t>> old = positions(*nest, order, site.program);
  if (!old.ok()) return Verdict{old.status()};
  if (std::is_sorted(old->begin(), old->end())) return {};
  if (absl::Status s = bounds_stay_in_scope(*nest, *old, site.program); !s.ok()) return Verdict{s};

  if (absl::Status s = data_bounds_stay_inside(*nest, *old, site.program); !s.ok()) {
    return Verdict{s};
  }

  Dependences dependences(site.statement, site.facts);
  if (absl::Status s = bounds_read_nothing_written(*nest, dependences.accesses(), site.program);
      !s.ok())
    return Verdict{s};
  if (auto conflict = find_reversed(dependences, *old))
    return Verdict{explain(*conflict, site.program)};
  Verdict verdict = marks_stay_legal(*nest, *old, dependences, site.program);
  verdict.reassociates = verdict.reassociates || dependences.reassociates();
  return verdict;
}

Verdict may_interchange(const LoopSite& site, const For& inner) {
  return may_reorder(site, {inner.var, site.loop.var});
}

Verdict may_run_in_any_order(const LoopSite& site) {
  Dependences dependences(site.statement, site.facts);
  if (auto conflict = dependences.find({Ordering::kGreater}, same_accumulations)) {
    return Verdict{explain(*conflict, site.program)};
  }
  return Verdict{absl::OkStatus(), dependences.reassociates()};
}

Verdict may_distribute(const LoopSite& site, size_t statements_in_first) {
  const For& loop = site.loop;
  const std::vector<Stmt> body = statements_of(loop.body);
  if (statements_in_first == 0 || statements_in_first >= body.size()) {
    return refused("the body of loop " + text_of(loop.var, site.program) + " has " +
                   counted(body.size(), "statement") + ": each part needs at least one");
  }
  const auto middle = body.begin() + static_cast<std::ptrdiff_t>(statements_in_first);
  const Stmt first = seq({body.begin(), middle});
  const Stmt second = seq({middle, body.end()});
  for (auto s = body.begin(); s != middle; ++s) {
    const Alloc* a = s->as<Alloc>();
    const Bind* b = s->as<Bind>();
    if ((a && uses(second, a->buffer)) || (b && uses(second, b->var))) {
      return refused((a ? text_of(a->buffer, site.program) : text_of(b->var, site.program)) +
                     " is declared in the first part of the body and used in the second");
    }
  }
  const auto around = [&](const Stmt& part) {
    return make_for(loop.var, loop.lo, loop.hi, loop.kind, part);
  };
  Dependences dependences(around(second), around(first), site.facts);
  if (absl::Status s = bounds_read_nothing_written({loop}, dependences.accesses(), site.program);
      !s.ok()) {
    return Verdict{s};
  }
  if (auto conflict = dependences.find({Ordering::kGreater}, same_accumulations)) {
    return Verdict{explain(*conflict, site.program)};
  }
  return Verdict{absl::OkStatus(), dependences.reassociates()};
}

Verdict may_fuse(const LoopSite& site) {
  const absl::StatusOr<Nest> nest = perfect_nest(site, 2);
  if (!nest.ok()) return Verdict{nest.status()};
  for (const For& loop : *nest) {
    if (loop.kind == ForKind::kSerial) continue;
    return refused("loop " + text_of(loop.var, site.program) + " is already marked " +
                   name_of(loop.kind));
  }
  const For& inner = nest->back();
  if (uses(inner.lo, site.loop.var) || uses(inner.hi, site.loop.var)) {
    return refused("the bounds of loop " + text_of(inner.var, site.program) + " use " +
                   text_of(site.loop.var, site.program) +
                   ": the pairs of iterations do not form a rectangle");
  }
  for (const Expr& bound : {inner.lo, inner.hi}) {
    const Buffer data = read_by(bound);
    if (!data) continue;
    return refused("the bounds of loop " + text_of(inner.var, site.program) + " read " +
                   text_of(data, site.program));
  }
  return may_repeat_bounds(site);
}

}  // namespace tenon
