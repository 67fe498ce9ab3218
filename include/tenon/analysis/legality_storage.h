// The obligations of steps that change where and how values are stored (see legality.h for the
// notation). These predicates return what they found on the way.
#pragma once

#include <vector>

#include "tenon/analysis/find.h"
#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// Storing element [vars] of the buffer at [map]: the buffer is local or a weight; vars are
// distinct, one per dimension; for vars in the declared shape the map is injective (no vars !=
// vars' with equal images) and not negative, and the hull of its image has bounds over sizes only.
struct Layout {
  std::vector<Expr> shape;  // of the physical form: hull of the image, from 0
};
absl::StatusOr<Layout> may_set_layout(const Program& program, const Buffer& buffer,
                                      const std::vector<Var>& vars, const std::vector<Expr>& map);

// Giving every iteration of the loop its own part of one buffer in front of it: the buffer is local
// and declared directly in the body of the loop; its shape uses neither the loop, nor names bound
// in it, nor data; the bounds of the loop use no data. Returns the number of iterations.
absl::StatusOr<Expr> may_expand(const LoopSite& site, const Buffer& buffer);

}  // namespace tenon
