// The loops of a domain: bounds from its condition, where the condition bounds an axis.
//
//   0 <= i + r - 1 & i + r - 1 < h, r in 0..3     ->  for r in max(0, 1 - i)..min(3, h + 1 - i)
//   (i - r) % 2 == 0, r in 0..k                   ->  for r in 0..(k - i % 2 + 1) // 2,
//                                                     with 2 * r + i % 2 for the index
//
// A comparison bounds the innermost axis that it mentions, when it is linear in that axis with a
// constant coefficient, or is so inside a floor division by a positive constant. Bounds are made of
// loops, sizes and integers of at most 32 bits: where arithmetic on data may wrap around, moving a
// term to the other side would change the meaning, and the comparison stays a condition.
#pragma once

#include <vector>

#include "tenon/analysis/facts.h"
#include "tenon/ir/visit.h"

namespace tenon::dsl {

struct Bounded {
  struct Axis {
    LoopRange range;
    Expr extent;  // range.hi is never more; without the axes before it where the domain's is so
  };
  std::vector<Axis> axes;
  VarMap indices;                // of axes that step: what stands for the domain's own variable
  std::vector<Expr> conditions;  // that bound no axis
};

// The parts of a & b & c; none of null.
std::vector<Expr> conjuncts_of(const Expr& condition);

// `around` are the facts of the place; they make bounds shorter.
Bounded bounded(const std::vector<ReduceAxis>& axes, const Expr& condition, Facts around);

}  // namespace tenon::dsl
