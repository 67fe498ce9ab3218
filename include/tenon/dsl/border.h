// Reads beyond the border of a tensor.
//
//   Tensor p = pad_constant(x, 0.0f);
//   compute("y", x.shape(), [&](Expr i, Expr j) { return p(i - 1, j) + p(i + 1, j); });
//
// A padded tensor is a view: it has the shape of the tensor, nothing is copied, and a read outside
// of the shape is
//   constant   the value:                  0 0 | a b c d | 0 0
//   edge       the nearest element:        a a | a b c d | d d
//   reflect    mirrored at the elements of the border, again and again:
//                                          c b | a b c d | c b   (one element: repeated)
//   wrap       from the other end:         c d | a b c d | a b
//
// No memory outside of the tensor is touched, and an index may be data. Reads inside go directly:
// lowering peels the border off. All dimensions are padded, or those named (from the end when
// negative). But for a constant, what is read has an element: where a size may be 0, the Program
// needs require(n >= 1).
#pragma once

#include <vector>

#include "tenon/dsl/tensor.h"

namespace tenon {

Tensor pad_constant(const Tensor& t, const Expr& value, const std::vector<int>& dims = {});
Tensor pad_edge(const Tensor& t, const std::vector<int>& dims = {});
Tensor pad_reflect(const Tensor& t, const std::vector<int>& dims = {});
Tensor pad_wrap(const Tensor& t, const std::vector<int>& dims = {});

// The same for indices: of the element, in [0, extent), that stands for index i.
Expr edge_index(const Expr& i, const Expr& extent);
Expr reflect_index(const Expr& i, const Expr& extent);
Expr wrap_index(const Expr& i, const Expr& extent);

}  // namespace tenon
