// The obligations of steps that take a reduction apart (see legality.h for the notation). These
// predicates return what they found on the way.
#pragma once

#include <vector>

#include "tenon/analysis/find.h"
#include "tenon/base/status.h"

namespace tenon {

// Folding the iterations of loop `v` into partial results of their own, and these, in order, into
// the target. Let A be the accumulation under v, N the perfect nest of loops around and inside of v
// down to A, R the outermost loop of N that the target's indices do not use, and t the loops inside
// R that they do use. Required:
//   * A is all that lies under v, up to guards, and its indices have one lane each;
//   * the indices of A use neither v nor data;
//   * nothing in R reads the target: neither values nor guards nor bounds;
//   * v and t start at 0, and their extents use no loop of R and no data;
//   * R stands in no vector loop, and there are at most kMaxRank loops v, t;
//   * for v and t in their ranges, under the guards of A that use only t and what is outside of R,
//     the target's indices are inside its shape: the fold touches these elements even where no
//     iteration accumulates.
// Parallel loops around R must keep their own obligation in the new program (may_parallelize).
// Every reducer is associative and has an identity. Reassociating, unless it is exact for the type.
struct Rfactor {
  LoopSite root;              // R
  std::vector<For> loops;     // v, then t, outermost first: one per dimension of the partials
  std::vector<Expr> extents;  // of these, over what is in scope at R
  Stmt accumulate;            // A (compare by get())
  std::vector<Expr> guards;   // those that also hold for the fold, outermost first
  bool reassociates = false;
};
absl::StatusOr<Rfactor> may_rfactor(const Program& program, const Var& v);

}  // namespace tenon
