// Local buffers that grow: nobody uses their new elements.
#pragma once

#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon::primitives {

// The shape of a local buffer that has this dimension; a refusal for anything else.
absl::StatusOr<std::vector<Expr>> shape_of_local(const Program& program, const Buffer& stage,
                                                 int dim);

// The body with another extent of one dimension of the local buffer.
Stmt with_extent(const Stmt& body, const Buffer& stage, size_t dim, const Expr& extent);

}  // namespace tenon::primitives
