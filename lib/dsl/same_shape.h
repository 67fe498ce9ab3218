// Shapes, as messages compare and show them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tenon/analysis/affine.h"
#include "tenon/ir/program.h"

namespace tenon::dsl {

inline std::string shape_text(Type type, const std::vector<Expr>& shape) {
  std::string text = to_string(type) + "[";
  for (size_t d = 0; d < shape.size(); ++d) text += (d ? ", " : "") + print(shape[d]);
  return text + "]";
}

inline bool same_shape(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) {
    if (!x || !y || !x.type().is_int() || !y.type().is_int()) return false;
    return equal(to_affine(cast(i64, x)), to_affine(cast(i64, y)));
  });
}

}  // namespace tenon::dsl
