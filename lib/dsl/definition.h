// How a computed tensor was defined. Held by its Buffer, seen by the DSL only.
#pragma once

#include <vector>

#include "tenon/ir/expr.h"

namespace tenon {

struct Definition {
  ~Definition();

  std::vector<Expr> shape;
  std::vector<Var> vars;  // one per dimension
  Expr value;             // may hold Reduce and Invalid nodes
};

}  // namespace tenon
