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

// Computing `stage` in front of the outermost loop around it, once, for all iterations. Let V be
// the loops around its declaration, T the outermost of them. Required:
//   * the stage is local, V is not empty; one nest N behind the declaration, in the same sequence,
//     computes all of the stage, by the rules of ComputeAt; all that uses it otherwise reads, and
//     stands behind N;
//   * there are shifts, linear in V, so that N is a function of the positions p_d = l_d + shift_d
//     alone: written with p for l, it uses no loop of V. So iterations of V compute the same value
//     at the same position;
//   * N uses no buffer and no name that T declares outside of N, and no write in T, N aside, comes
//     before a read in N and touches the same element;
//   * the hull of the positions over V and l has bounds over what is known in front of T; N at all
//     positions of it, needed or not, stays inside of all buffers, and checks no index.
// Where a guard cuts N off at a bound that all readers stay within, the hull ends there. Exact.
struct ComputeRoot {
  LoopSite outermost;          // T
  std::vector<Buffer> stages;  // the stage, and what is reduced together with it
  Stmt nest;                   // N (compare by get())
  Stmt at_positions;           // N with the positions as its loops l_d, whose bounds are as in N
  std::vector<For> loops;      // l_d
  std::vector<Expr> shift;     // over V
  Region region;               // of the positions
};
absl::StatusOr<ComputeRoot> may_compute_root(const Program& program, const Buffer& stage);

// Declaring `stage` in front of a loop that it is declared in, for all iterations together: element
// [l] of iteration v becomes element [l + shift(v) - lo]. Required:
//   * the stage is local and declared directly in the body of the loop, which is no parallel loop;
//     one nest computes it, with shifts linear in the loop, as for ComputeRoot, and uses no buffer
//     and no name that the loop declares outside of the nest;
//   * the hull of the positions over the loop has bounds that are known in front of it.
// An iteration reads what it wrote itself, as before. Exact.
struct HoistAlloc {
  LoopSite loop;
  std::vector<Buffer> stages;
  std::vector<Expr> offset;  // shift - lo
  std::vector<Expr> extent;
};
absl::StatusOr<HoistAlloc> may_hoist_alloc(const Program& program, const Buffer& stage,
                                           const Var& loop);

// Not computing again what an earlier iteration of the loop has computed of `stage`. Required:
//   * the loop is serial or unrolled, with bounds without data; the stage is declared outside of
//   it;
//   * one statement N of its body holds all writes of the stage in the body; statements before N do
//     not use the stage;
//   * all accesses of the stage in N have the same indices l_d + s_d: loops of N with bounds that
//   do
//     not depend on the loop or on each other, s_d linear; one s_d moves with the loop, by a step
//     a, and l_d takes more than |a| values, so that the windows of iterations overlap;
//   * N writes nothing else that outlives it and is, as for ComputeRoot, a function of positions;
//   * N uses no buffer and no name that the body declares outside of N; no write in the loop, N
//     aside, comes after a read in N and touches the same element, and none touches an element that
//     the first window reads.
// Then N computes in each iteration what the window gains, after the rest of the first window was
// computed in front of the loop. Exact.
struct Slide {
  LoopSite loop;
  Stmt nest;               // N (compare by get())
  Stmt first;              // goes in front of the loop
  Stmt next;               // takes the place of N
  std::vector<Var> loops;  // of `first`, one per loop of N over a dimension
};
absl::StatusOr<Slide> may_slide(const Program& program, const Buffer& stage, const Var& loop);

// Letting the producer of `stage` write it directly. Let S be the store of the stage, and P the
// stage that S reads which is computed last. Required:
//   * one Store without a mask, S, writes the stage, in a nest whose loops index it; every read of
//   P
//     is in the value of S, with the same indices (l1 .. lr): distinct loops of that nest over P;
//   * P is local, one Store W without a mask writes it; P is declared in the sequence Q that holds
//     the nests of W and of S; nothing in Q before the nest of S, and nothing in it, else uses the
//     stage;
//   * in every iteration in which S happens, W happened for the element that it reads (shown by
//     giving that iteration);
//   * no statement of Q from the nest of W up to and with that of S writes what S reads (P aside),
//     and S uses no name that is bound in between.
// The step is exact.
struct ReverseInline {
  Buffer producer;
  Stmt write;                // W
  Stmt nest;                 // of S, a statement of Q
  Stmt declaration;          // of S, where it stands in Q; it takes that of the producer's place
  Stmt replacement;          // of W: the store of the stage, under the guards that it needs
  std::vector<Var> removed;  // the loops of the nest of S
};
absl::StatusOr<ReverseInline> may_reverse_inline(const Program& program, const Buffer& stage);

// Computing `stage` at the end of the body of loop `at`, which computes what it reads. Let N be the
// nest of the stage, T the statement before it in the same sequence that holds `at`, and V the
// loops from T to `at`. Required:
//   * N holds all writes of the stage, by the rules of ComputeAt; no other statement up to N uses
//     it; its loop bounds and bound names read no memory, and no guard stands between T and `at`;
//   * every loop v of V either selects a part of the stage - what its iteration writes of a stage P
//     that N reads moves with v in one dimension - or it has an iteration, and N runs in its last;
//   * in each dimension that moves, the parts that iterations complete are blocks of one size that
//     follow each other without gap or overlap, and together they hold the whole dimension;
//   * no access in T in a later iteration of V, and none in the statements between T and N,
//   conflicts
//     with one in N.
// Reassociating where accumulations of floats change places.
struct ReverseComputeAt {
  LoopSite at;
  Stmt nest;                 // N
  Stmt moved;                // at the end of the body of `at`
  std::vector<Stmt> allocs;  // declarations of the stage, to stand in front of T
  Stmt holds_at;             // T
  std::vector<Var> loops;    // of N, one per dimension
};
absl::StatusOr<ReverseComputeAt> may_reverse_compute_at(const Program& program, const Buffer& stage,
                                                        const Var& at);

}  // namespace tenon
