// Does a map from the elements of a buffer give each of them a place of its own?
#pragma once

#include <vector>

#include "tenon/analysis/access.h"
#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// The map [vars] -> [map] as an access that every element of the shape makes, with one loop per
// dimension.
Access as_access(const Buffer& buffer, const std::vector<Expr>& shape, const std::vector<Var>& vars,
                 const std::vector<Expr>& map);

// Two different elements never have equal images. `map` as in "the layout".
absl::Status is_injective(const char* map, const Access& a, const Facts& facts,
                          const Program& within);

// The indices that the map gives for these.
std::vector<Expr> mapped(const std::vector<Var>& vars, const std::vector<Expr>& map,
                         const std::vector<Expr>& indices);

}  // namespace tenon
