// The obligations of steps that move a computation (see legality.h for the notation). These
// predicates return what they found on the way.
#pragma once

#include <vector>

#include "tenon/analysis/find.h"
#include "tenon/analysis/region.h"
#include "tenon/base/status.h"

namespace tenon {

// Computing `stage` inside the body of loop `at`, before its first use there. Stages that are
// reduced together move together: what follows holds for all of them. Required:
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
//   * those reads have a region (region.h) whose bounds are neither read from memory nor checked,
//     and whose extents are not data by a name either.
// The step is exact; elements that several iterations need are computed by each.
struct ComputeAt {
  LoopSite at;
  std::vector<Buffer> stages;  // the stage, and what is reduced together with it
  Stmt nest;                   // N, a statement of the Seq that holds it (compare by get())
  std::vector<For> loops;      // loops[d] is the loop of N over dimension d
  // What the body of `at` reads of any of them, over variables in scope there; it may stick out of
  // the declared shape on either side (guards and ragged tails).
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

}  // namespace tenon
