// How computed tensors were defined. Held by their Buffers, seen by the DSL only.
//
// A Recipe is what is turned into loops together: one tensor, or several that are computed in one
// nest. A Definition is the place of one tensor in it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tenon/dsl/tensor.h"
#include "tenon/ir/expr.h"
#include "tenon/ir/stmt.h"

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

// Copies of `inits`, or what is there if there are none, and then values at indices that are data.
struct Update {
  struct Scatter {
    std::vector<ReduceAxis> axes;
    Expr condition;  // null: all elements
    std::vector<Expr> indices;
    std::vector<Expr> values;     // of each result, or an element of `by`
    std::optional<Reduction> by;  // none: store
    Var old;                      // stands in the one value for what is there; may be null
  };
  std::vector<Expr> shape;
  std::vector<Var> vars;
  std::vector<Type> types;  // of each result
  std::vector<Expr> inits;  // of each result; or none; or a mistake
  std::vector<Scatter> scatters;
};

// Values that stand in the Program.
struct Literal {
  std::vector<Expr> shape;
  std::shared_ptr<const std::vector<uint64_t>> bits;
  Expr wrong;  // an Invalid; null when all is well
};

// States that are carried along an axis.
struct Scan {
  enum When : size_t { kAfter, kBefore, kLast };
  struct State {
    std::string name;
    Buffer buffer;  // null: no state, but something that each step gives
    std::vector<Expr> shape;
    std::vector<Var> vars;
    Expr init;  // null without a buffer
    Expr next;
  };
  std::vector<Expr> outer;
  std::vector<Var> outer_vars;
  Expr steps;
  Var step;
  Expr where;  // whether a step is taken; null: always
  bool backward = false;
  std::vector<State> states;  // result 3 * s + when is state s at that time
};

// What a C function computes, called for every element of a domain.
struct Extern {
  struct Result {
    std::string name;
    Type type;
    std::vector<Expr> shape;
  };
  ExternFunction function;
  std::vector<ReduceAxis> axes;
  std::vector<Result> results;
  std::vector<std::vector<CallRegion::Range>> writes;  // of each result
  std::vector<std::vector<CallRegion::Range>> reads;   // of each input
  std::vector<Expr> inputs;  // loads of the inputs, which say what is read; or a mistake
};

struct Recipe {
  ~Recipe();

  std::variant<Nest, Concat, Update, Scan, Literal, Extern> how;
  // The inout that the one result is written to in place, or null. Reads of it are of what it was.
  Buffer into = {};
};

struct Definition {
  std::shared_ptr<const Recipe> recipe;
  size_t result = 0;
};

namespace dsl {

// An Invalid when nothing can be written to this in place; else null.
Expr wrong_target(const Tensor& state);
// The tensors of a recipe of several results.
std::vector<Tensor> make_results(Recipe recipe, const std::vector<std::string>& names,
                                 const std::vector<Type>& types);
Tensor written_in_place(const Tensor& state, Recipe recipe);

}  // namespace dsl

// Every expression of a recipe but its shapes: what reads other tensors, and may carry a mistake.
void for_each_expr(const Recipe& recipe, const std::function<void(const Expr&)>& f);
// The variables that a recipe binds, those of reductions left out, and what it reads and writes
// within itself: the ids of both.
std::vector<uint64_t> bound_in(const Recipe& recipe);
// The dimensions of one result.
std::vector<Expr> shape_of(const Recipe& recipe, size_t result);

}  // namespace tenon
