// The named obligations of schedule steps, each stated once, formally, and tested on its own.
//
// Notation: A(v) is an access A in iteration v; A(v) ~ B(w) means that they may touch the same
// element and do not commute (dependence.h). Every predicate returns an ok status, or a refusal
// whose reason gives a concrete pair of iterations and cell where one was found ("iteration (i = 0,
// k = 1) must run before (i = 1, k = 0): both touch C[0, 1]"), or the missing fact.
//
// An exact step may exchange accumulations only if the reducer is exact for the type; a
// reassociating step may exchange same-reducer accumulations of any type and reports that it did.
//
// A buffer that is declared inside a loop's body is private to an iteration of that loop, so it
// carries no dependence. `shift` has no obligation here.
#pragma once

#include <vector>

#include "tenon/analysis/dependence.h"
#include "tenon/analysis/find.h"
#include "tenon/base/status.h"

namespace tenon {

struct Verdict {
  absl::Status status;
  bool reassociates = false;  // legal only by changing the order of a float accumulation
  bool ok() const { return status.ok(); }
};

// --- The order of iterations.

// Exchanging perfectly nested loops outer, inner: no A(v) ~ B(v + d) with d_outer > 0, d_inner < 0
// and all loops further out equal. The bounds of inner do not use outer.
Verdict may_interchange(const LoopSite& site, const For& inner);

// Any rearrangement of a perfect nest. `order` is a permutation of the outermost order.size() loops
// of the nest that starts at the site. No A(v) ~ B(v + d) with d positive in the old order (its
// first non-zero entry is > 0) and negative in the new one; every loop stays inside the loops that
// its bounds use, and inside all loops around it when its bounds are read from memory; the nest
// writes nothing that its bounds read; a parallel or vector loop that gets other loops around it
// keeps its own obligation. One question for the whole rearrangement: cheaper than exchanges, and
// it allows more, since the orders in between need not be legal.
Verdict may_reorder(const LoopSite& site, const std::vector<Var>& order);

// No dependence carried by the loop: no A(v) ~ B(v + d) with d_loop != 0 and outer loops equal.
Verdict may_run_in_any_order(const LoopSite& site);

// Splitting the body {S; T} of a loop into two loops: no B in T, A in S with B(v) ~ A(v + d),
// d_loop > 0, outer loops equal; no buffer or name declared in S is used in T; the body writes
// nothing that the loop's bounds read.
Verdict may_distribute(const LoopSite& site, size_t statements_in_first);

// Merging two loops that stand in one sequence, for v {A} .. for w {B}, into for v {A; B}:
//   * the bounds are equal, and those of w read nothing that the Program writes;
//   * no A(v) ~ B(v + d) with d < 0 and outer loops equal;
//   * every statement between the loops goes above the merged loop, where it has no conflict with A
//     and with what goes below and stood before it, or below, where it has none with B. What uses
//     a declared buffer or name has a conflict with the declaration.
struct Merge {
  LoopSite first, second;
  std::vector<Stmt> above, below;
  bool reassociates = false;
};
absl::StatusOr<Merge> may_merge(const LoopSite& first, const LoopSite& second);

// Joining the loop with the one loop that is its body into one loop over pairs: both serial, and
// the bounds of the inner one use neither the outer variable nor memory; the bounds of the outer
// one may be repeated. The order of iterations stays.
Verdict may_fuse(const LoopSite& site);

// --- The bounds of a loop.

// Evaluating the bounds again, inside the loop's body or after it: the body writes nothing that
// they read.
Verdict may_repeat_bounds(const LoopSite& site);

// Splitting without a tail: (hi - lo) % factor == 0.
Verdict may_split_evenly(const LoopSite& site, int64_t factor);

// Removing the loop: hi - lo == 1, and the bounds may be repeated.
Verdict may_squash(const LoopSite& site);

// --- Kinds of loops.

constexpr int64_t kMaxVectorLanes = 256;

// The iterations become the lanes of a vector in lock step: no A(v) ~ B(v + d) with d_loop != 0
// and outer loops equal, except accumulations with the same reducer (reassociating, unless exact)
// where A and B are the same statement only if its target does not depend on the lane: then the
// lanes fold, and their number must be a power of two. No store to an element that does not depend
// on the lane, not even under a guard that one lane alone passes. The bounds are constants with 1
// to kMaxVectorLanes iterations; no Alloc and no vector or parallel loop inside, no vector loop
// outside; bounds of loops inside do not use the lane.
Verdict may_vectorize(const LoopSite& site);

// The iterations may run at the same time: no A(v) and B(v + d) that touch the same element with
// d_loop != 0 and outer loops equal, one of them not a read. Accumulations do not commute here: a
// race is a race. No parallel loop inside or outside, no vector loop outside.
Verdict may_parallelize(const LoopSite& site);

}  // namespace tenon
