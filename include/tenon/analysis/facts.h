// What is known at a place in a Program: the ranges of the loops around it, the guards that hold,
// and the requirements on sizes.
//
//   Facts facts = facts_of(program);           // sizes >= 0, requirements
//   Facts inner = facts.inside(loop).given(guard.condition);
//   prove(inner, Expr(i) + 1 <= n);
//
// Index arithmetic is reasoned about over the mathematical integers: sums and products of loops,
// sizes and small constants do not leave i64 in a Program whose buffers fit into memory. A variable
// that is neither a loop nor a size (a scalar parameter, an element of a buffer) may have any
// value, and arithmetic on it is taken to wrap unless its range is known.
#pragma once

#include <memory>
#include <vector>

#include "tenon/ir/program.h"

namespace tenon {

struct LoopRange {
  Var var;
  Expr lo, hi;  // lo <= var < hi; both may use sizes and outer loops
};

std::vector<LoopRange> ranges_of(const std::vector<For>& loops);

class Facts {
 public:
  Facts inside(const For& loop) const;
  Facts inside(const LoopRange& range) const;
  // A bool expression that holds here. What it says about the contents of buffers that the Program
  // writes is forgotten: it need not hold any more at the next statement.
  Facts given(const Expr& condition) const;
  Facts bound(const Bind& bind) const;     // var == value
  Facts with_size(const Var& size) const;  // size >= 0
  // Contents that are the same throughout a call: scalar parameters, inputs and weights.
  Facts with_fixed(const Var& scalar) const;
  Facts with_fixed(const Buffer& buffer) const;

  const std::vector<LoopRange>& loops() const { return loops_; }  // outermost first
  // Comparisons and other conditions without `&` and without negated comparisons.
  const std::vector<Expr>& conditions() const { return conditions_; }
  const std::vector<Var>& sizes() const;
  const LoopRange* range_of(const Var& var) const;  // null when var is not a loop here
  bool is_size(const Var& var) const;
  bool is_fixed(const Var& scalar) const;     // a size or a scalar parameter
  bool knows(const Var& var) const;           // a loop, a bound name, a size or a scalar parameter
  bool is_fixed(const Buffer& buffer) const;  // never written

  // For skipping facts that share no variable with a question: bit (id % 64) of each variable that
  // the range or condition mentions.
  uint64_t loop_mask(size_t loop) const { return loop_masks_[loop]; }
  uint64_t condition_mask(size_t condition) const { return condition_masks_[condition]; }

 private:
  struct Fixed {
    std::vector<Var> sizes, scalars;
    std::vector<Buffer> buffers;
  };
  template <class Change>
  Facts with(Change change) const;  // a copy of fixed_, changed
  void add(const Expr& condition, bool value);
  void push(Expr condition);
  bool lasts(const Expr& e) const;  // e reads nothing that the Program writes

  std::shared_ptr<const Fixed> fixed_;
  std::vector<Var> names_;  // bound
  std::vector<LoopRange> loops_;
  std::vector<uint64_t> loop_masks_;
  std::vector<Expr> conditions_;
  std::vector<uint64_t> condition_masks_;
};

// The facts of a Program's outermost level.
Facts facts_of(const Program& program);

}  // namespace tenon
