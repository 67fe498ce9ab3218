// Parts of tensors, and tensors out of parts.
//
//   Tensor head = slice(x, -1, 0, 64), tail = slice(x, -1, 64, 128);      // views: no copies
//   Tensor y = concat("y", 1, {a, head, b});
#pragma once

#include <string>
#include <vector>

#include "tenon/dsl/tensor.h"

namespace tenon {

// The elements lo, lo + step, ... before hi of one dimension (counted from the end when negative):
// a view. They have to be inside of the tensor, as those of any read.
Tensor slice(const Tensor& t, int dim, const Expr& lo, const Expr& hi, int64_t step = 1);

// The pieces one after the other along one dimension; the other dimensions are the same. One stage:
// each piece has its own nest that writes its part, so that a piece can be computed there.
Tensor concat(std::string name, int dim, const std::vector<Tensor>& pieces);

}  // namespace tenon
