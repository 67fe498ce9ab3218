// What is known at a place in a Program: the ranges of the loops around it, the guards that hold,
// and the requirements on sizes.
//
//   Facts facts = facts_of(program);           // sizes >= 0, requirements
//   Facts inner = facts.inside(loop).given(guard.condition);
//   prove(inner, Expr(i) + 1 <= n);
#pragma once

#include <vector>

#include "tenon/ir/program.h"

namespace tenon {

struct LoopRange {
  Var var;
  Expr lo, hi;  // lo <= var < hi; both may use sizes and outer loops
};

class Facts {
 public:
  Facts inside(const For& loop) const;
  Facts inside(const LoopRange& range) const;
  Facts given(const Expr& condition) const;  // a bool expression that holds here
  Facts bound(const Bind& bind) const;       // var == value
  Facts with_size(const Var& size) const;    // size >= 0

  const std::vector<LoopRange>& loops() const { return loops_; }  // outermost first
  const std::vector<Expr>& conditions() const { return conditions_; }
  const LoopRange* range_of(const Var& var) const;  // null when var is not a loop here

 private:
  std::vector<LoopRange> loops_;
  std::vector<Expr> conditions_;
};

// The facts of a Program's outermost level.
Facts facts_of(const Program& program);

}  // namespace tenon
