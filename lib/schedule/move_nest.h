// A stage's nest at another place, where its elements have other indices.
#pragma once

#include <vector>

#include "tenon/analysis/region.h"
#include "tenon/ir/program.h"

namespace tenon::primitives {

// The nest with loop d over 0..region.extent[d], and region.lo[d] + l_d for l_d everywhere but in
// the indices of the stages.
Stmt moved_nest(const Stmt& nest, const std::vector<Buffer>& stages, const std::vector<For>& loops,
                const Region& region);

// The reads of the stages in s, further on by `offset`.
Stmt with_offset_reads(const Stmt& s, const std::vector<Buffer>& stages,
                       const std::vector<Expr>& offset);

// The loops over dimensions as they stand in the nest, outermost first.
std::vector<Var> loops_by_depth(const Stmt& nest, const std::vector<For>& loops);

}  // namespace tenon::primitives
