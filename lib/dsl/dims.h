// Dimensions as users name them: from the end when negative.
#pragma once

#include <string>

#include "tenon/base/counted.h"
#include "tenon/dsl/tensor.h"

namespace tenon::dsl {

// In [0, rank); -1 when there is no such dimension.
inline int settle_dim(int dim, int rank) {
  const int d = dim < 0 ? dim + rank : dim;
  return d < rank ? (d < 0 ? -1 : d) : -1;
}

inline Expr wrong_dim(const std::string& what, int dim, const Tensor& t) {
  return invalid(what + ": " + t.name() + " has " + counted(t.rank(), "dimension") +
                 ", and dimension " + std::to_string(dim) + " is asked for");
}

}  // namespace tenon::dsl
