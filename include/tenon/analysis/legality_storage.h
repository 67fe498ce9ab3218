// The obligations of steps that change where and how values are stored (see legality.h for the
// notation). These predicates return what they found on the way.
#pragma once

#include <optional>
#include <vector>

#include "tenon/analysis/find.h"
#include "tenon/analysis/region.h"
#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// Storing element [vars] of the buffer at [map]: the buffer is local or a weight; vars are
// distinct, one per dimension; for vars in the declared shape the map is injective (no vars !=
// vars' with equal images) and not negative, and the hull of its image has bounds over sizes only.
// Lanes of a vector loop that store to different elements of a local buffer keep doing so.
struct Layout {
  std::vector<Expr> shape;  // of the physical form: hull of the image, from 0
};
absl::StatusOr<Layout> may_set_layout(const Program& program, const Buffer& buffer,
                                      const std::vector<Var>& vars, const std::vector<Expr>& map);

// Letting the body of a loop, or the whole Program, work on a local copy of the part of `buffer`
// that it touches. Let B be the statements of the body from the first one that uses the buffer to
// the last one; in the Program's own body, to the last one that writes it, if one does. Results of
// one reduction have copies together. Required:
//   * the buffers are parameters, or declared outside of the body; no vector loop stands around it;
//   * the accesses in B have a region (region.h) whose bounds are neither read from memory nor
//     checked, and whose extents are not data by a name either;
//   * a parallel loop around must keep its own obligation in the new Program (may_parallelize),
//     whose iterations copy whole regions.
// All accesses in B go to the copy, so that nothing in B sees the buffer itself. The copy is filled
// in front of B unless it is proved, for every read R in B, that there is a store S in B that
// happens for the same element before R in every iteration in which R happens, and, where B
// writes, that every element that is copied back is stored in B. It is copied back behind B if B
// writes. So what B does not store is written back as it was.
struct StagedCopy {
  Buffer buffer;
  // For element [vars] of the copy: it is in the buffer's shape, and B uses the buffer at all.
  // Outermost first; those that always hold are left out.
  std::vector<Expr> guards;
  bool copy_in = false, copy_out = false;
};
struct Staging {
  std::vector<Stmt> before, used, after;  // the statements of the body; `used` is B
  Region region;                          // element [vars] of the copy is element [lo + vars]
  std::vector<Var> vars;                  // named like the loops that index the buffer
  std::vector<StagedCopy> copies;         // of `buffer`, then of what is reduced together with it
};
// Without a place: in the Program's own body.
absl::StatusOr<Staging> may_stage(const Program& program, const Buffer& buffer,
                                  const std::optional<LoopSite>& at);

// Giving every iteration of the loop its own part of one buffer in front of it: the buffer is local
// and declared directly in the body of the loop; its shape uses neither the loop, nor names bound
// in it, nor data; the bounds of the loop use no data. Returns the number of iterations.
absl::StatusOr<Expr> may_expand(const LoopSite& site, const Buffer& buffer);

// Storing index i of one dimension at i % factor. The stage is local, its elements have indices of
// their own, and the extent is no data. For every write W of the stage and every other access X of
// it in the statements that can use it: no X(v + d) comes after W(v), in the sense of
// may_store_over, and touches an element whose index is less by a multiple of the factor, the
// others being equal; or none touches one whose index is greater by that. So an element is not used
// any more once another one was stored in its place. And the lanes of a vector loop that store to
// different elements store to different places, whatever guards turn off.
absl::Status may_fold_storage(const Program& program, const Buffer& stage, int dim, int64_t factor);

// Letting `stage` take over the memory of `old`, which keeps its name. Both are local buffers that
// are declared in the same Seq Q, with the same type and with extents that are proved equal. No
// statement of Q writes `old` that is, or stands behind, the first one that uses `stage`, and `old`
// is declared before that. For every write W of `stage` and read R of `old`: no R(v + d) comes
// after W(v) and touches the same element, d = 0 and the order of statements included; where a
// common loop is parallel or a vector, d != 0 counts as after in both directions.
absl::Status may_store_over(const Program& program, const Buffer& stage, const Buffer& old);

// Letting `stage` live in the memory of `output`, its element [vars] as the output's element [map].
// Let V be the loops around the stage's declaration. Required:
//   * the stage is local, the output an output of the same type; V holds no vector loop;
//   * every access to the output is a Store, in the statements that can use the stage;
//   * the map gives every dimension of the output an index over vars, V and sizes, without data; it
//     is injective on the stage's shape, and every access of the stage is inside the output's shape
//     after it;
//   * no access of the stage in an iteration v of V meets one of the stage, or of the output, in an
//     iteration v' != v, except two reads;
//   * in an iteration of V, no access of the stage comes after a store of the output to the same
//     element, in the sense of may_store_over;
//   * for every write of the stage there is a store S of the output such that in every iteration in
//     which the write happens, S happens for the same element in some iteration (shown by giving
//     that iteration; neither may depend on data). So what the stage leaves there is overwritten.
// As for may_fold_storage, lanes store to different places.
// Returns the map, simplified.
absl::StatusOr<std::vector<Expr>> may_store_in(const Program& program, const Buffer& stage,
                                               const Buffer& output, const std::vector<Var>& vars,
                                               const std::vector<Expr>& map);

}  // namespace tenon
