// How computed tensors were defined. Held by their Buffers, seen by the DSL only.
//
// A Recipe is what is turned into loops together: one tensor, or several that are computed in one
// nest. A Definition is the place of one tensor in it.
#pragma once

#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "tenon/ir/expr.h"

namespace tenon {

// An element by its indices: one variable per dimension.
struct Nest {
  std::vector<Expr> shape;
  std::vector<Var> vars;
  std::vector<Expr> values;  // of each result; may hold Reduce and Invalid nodes
};

// Pieces one after the other along one dimension.
struct Concat {
  struct Piece {
    std::vector<Expr> shape;
    std::vector<Var> vars;
    Expr value;
    Expr start;  // where its part begins
  };
  std::vector<Expr> shape;
  size_t dim;
  std::vector<Piece> pieces;
};

struct Recipe {
  ~Recipe();

  std::variant<Nest, Concat> how;
};

struct Definition {
  std::shared_ptr<const Recipe> recipe;
  size_t result = 0;
};

// Every expression of a recipe but its shapes: what reads other tensors, and may carry a mistake.
void for_each_expr(const Recipe& recipe, const std::function<void(const Expr&)>& f);
// The variables that a recipe binds, those of reductions left out, and what it reads and writes
// within itself: the ids of both.
std::vector<uint64_t> bound_in(const Recipe& recipe);
// The dimensions of one result.
const std::vector<Expr>& shape_of(const Recipe& recipe, size_t result);

}  // namespace tenon
