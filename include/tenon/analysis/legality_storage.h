// The obligations of steps that change where and how values are stored (see legality.h for the
// notation). These predicates return what they found on the way.
#pragma once

#include <vector>

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

}  // namespace tenon
