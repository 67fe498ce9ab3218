// What a nest computes, as a function of positions that do not depend on the loops around it.
//
// A stage that is computed in the iterations of a loop v has its element [l] of iteration v at a
// position p = l + shift(v), where shift is linear in v. If the nest can be written with p in place
// of l, and without v, then its elements depend on their positions alone: iterations that compute
// an element at the same position compute the same value.
//
//   for io { for l in 0..8 { t[l] = x[io*8 + l] } }         p = io*8 + l, and t[l] = x[p]
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

class Positions {
 public:
  // Positions of the elements of a stage, whose nest indexes them by `loops` (one per dimension),
  // in the iterations of the loops `around`. Without `shifts` those are found: from what the nest
  // computes with the loops.
  Positions(const Stmt& nest, std::vector<Buffer> stages, std::vector<For> loops,
            std::vector<Var> around, std::optional<std::vector<Expr>> shifts = {});

  // shift(v) per dimension: the position is this and the loop of the dimension.
  const std::vector<Expr>& shifts() const { return shifts_; }

  // The nest with positions in place of the loops of the dimensions, which keep their variables:
  // a loop variable now stands for the position. The stage's own accesses keep their indices, and
  // the loops their bounds. Refused when some expression needs the loops around: the status names
  // it.
  absl::StatusOr<Stmt> nest(const Program& within) const;

 private:
  // What a position is made of. The pivot shows how often the position stands in a linear form: the
  // loop of the dimension, or a loop around where the dimension has one element and the nest does
  // not use its loop.
  struct Dimension {
    size_t dim;
    Var pivot;
    int64_t coefficient;  // of the pivot in the position
    Expr position;        // over loops of dimensions and loops around
  };
  void find_shifts();
  std::optional<size_t> dimension_of(const Var& loop) const;
  bool matters(const Var& var) const;  // a loop of a dimension, or a loop around

  Stmt nest_;
  std::vector<Buffer> stages_;
  std::vector<For> loops_;
  std::vector<Var> around_;
  std::vector<Expr> shifts_;
  std::vector<Dimension> dimensions_;
};

}  // namespace tenon
