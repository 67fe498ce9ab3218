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
// carries no dependence. `split`, `cut` and `unroll` have no obligation here.
#pragma once

#include <vector>

#include "tenon/analysis/dependence.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/region.h"
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

// Joining the loop with the one loop that is its body into one loop over pairs: both serial, and
// the bounds of the inner one use neither the outer variable nor memory. The order of iterations
// stays.
Verdict may_fuse(const LoopSite& site);

// --- Kinds of loops.

constexpr int64_t kMaxVectorLanes = 256;

// The iterations become the lanes of a vector in lock step: no A(v) ~ B(v + d) with d_loop != 0
// and outer loops equal, except accumulations with the same reducer (reassociating, unless exact)
// where A and B are the same statement only if its target does not depend on the lane: then the
// lanes fold, and their number must be a power of two. The bounds are constants with 1 to
// kMaxVectorLanes iterations; no Alloc and no vector or parallel loop inside, no vector loop
// outside; bounds of loops inside do not use the lane.
Verdict may_vectorize(const LoopSite& site);

// The iterations may run at the same time: no A(v) and B(v + d) that touch the same element with
// d_loop != 0 and outer loops equal, one of them not a read. Accumulations do not commute here: a
// race is a race. No parallel loop inside or outside, no vector loop outside.
Verdict may_parallelize(const LoopSite& site);

// --- Where values are computed and kept. These return what they found on the way.

// Computing `stage` inside the body of loop `at`, before its first use there. Required:
//   * the stage is a local buffer; `at` is no vector loop and in none;
//   * one nest N holds all its writes; N stands in a Seq, before a statement of the same Seq that
//     holds `at`; no loop stands between the declaration of the stage and that Seq;
//   * N writes nothing else that outlives it, and passes no values between elements of the stage
//     through buffers of its own;
//   * every access to the stage in N has the same indices (l1 .. lr): distinct loops of N around
//     that access, no vector loops, with l_d over the whole of dimension d, 0 .. shape[d];
//   * all other accesses are reads inside the body of `at`;
//   * no buffer that N reads (the stage aside) is written in N, or in the statements behind N up to
//     and with the one that holds `at`;
//   * those reads have a region (region.h) whose bounds are not read from memory.
// The step is exact; elements that several iterations need are computed by each.
struct ComputeAt {
  LoopSite at;
  Stmt nest;               // N, a statement of the Seq that holds it (compare by get())
  std::vector<For> loops;  // loops[d] is the loop of N over dimension d
  // What the body of `at` reads, over variables in scope there; it may stick out of the declared
  // shape on either side (guards and ragged tails).
  Region region;
};
absl::StatusOr<ComputeAt> may_compute_at(const Program& program, const Buffer& stage,
                                         const Var& at);

// Replacing every read stage[e1 .. er] by the value with l_d := e_d, and dropping the store.
// Required:
//   * the stage is a local buffer, written by exactly one Store, without guard or mask;
//   * its indices are (l1 .. lr), distinct loops with l_d over the whole of dimension d, and these
//     are all loops between the Alloc and the Store;
//   * readers stand after the nest that stores, or share loops with it;
//   * no buffer that the value reads is written between the store and a reader.
// The step is exact.
struct Inline {
  Stmt store;             // the Store (compare by get())
  std::vector<Var> vars;  // vars[d] is the loop over dimension d
  Expr value;             // over vars and what is in scope at the Alloc; names bound in between
                          // are replaced by their values
};
absl::StatusOr<Inline> may_inline(const Program& program, const Buffer& stage);

// Storing element [vars] of the buffer at [map]: the buffer is local or a weight; vars are
// distinct, one per dimension; for vars in the declared shape the map is injective (no vars !=
// vars' with equal images) and not negative, and the hull of its image has bounds over sizes only.
struct Layout {
  std::vector<Expr> shape;  // of the physical form: hull of the image, from 0
};
absl::StatusOr<Layout> may_set_layout(const Program& program, const Buffer& buffer,
                                      const std::vector<Var>& vars, const std::vector<Expr>& map);

}  // namespace tenon
