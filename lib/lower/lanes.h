// Expressions of a vector loop as expressions over all of its lanes. Part of vectorize_loops.
#pragma once

#include "lower/in_bounds.h"
#include "tenon/ir/visit.h"

namespace tenon {

bool any_vector(const std::vector<Expr>& list);

// The lanes for which something happens. Null members: all of them.
struct LaneMask {
  Expr vector;                   // bool, with the loop's lanes
  std::vector<Expr> conditions;  // the same as a conjunction over the lane variable

  bool all() const { return !vector; }
  LaneMask with(const Expr& lanes, const Expr& condition) const;
};

// A place in the loop's body: which lanes run it and what holds there for all of them.
struct LanePlace {
  LaneMask mask;
  Facts facts;  // includes the range of the lane variable
};

class Lanes {
 public:
  // The loop runs over [loop.lo, loop.lo + count).
  Lanes(const For& loop, int32_t count, BoundsProver& prover);

  // e for all lanes: a vector, or a scalar when it is the same for all. Lanes that are off touch no
  // memory outside of buffers and report no faults; their values mean nothing.
  Expr across(const Expr& e, const LanePlace& place) const;
  std::vector<Expr> across(const std::vector<Expr>& list, const LanePlace& place) const;

  // The access is inside of its buffer for every lane, also for those that are off.
  bool in_bounds(const Buffer& buffer, const std::vector<Expr>& indices, const Facts& facts) const {
    return prover_.in_bounds(buffer, indices, facts);
  }
  // No two lanes meet in one element, not even those that are off.
  bool apart(const std::vector<Expr>& indices, const Facts& facts) const;
  // Two iterations of a parallel loop around this one meet in no element, whatever lanes are on.
  bool workers_apart(const Var& parallel, const std::vector<Expr>& indices,
                     const Facts& facts) const;
  // Whether any lane is on, as a scalar; null when that is not easily said.
  Expr any_on(const LaneMask& mask) const;
  bool is_local(const Buffer& buffer) const { return prover_.is_local(buffer); }

  Expr spread(const Expr& e) const { return broadcast_lanes(e, count_); }
  // From now on `var` stands for the vector variable `lanes`.
  void name(const Var& var, const Var& lanes) { names_.emplace(var, lanes); }

 private:
  // The access in an iteration and in one of other values of loops is never of one element.
  bool never_meet(const std::vector<Expr>& indices, const VarMap& others, const Facts& facts) const;
  bool differs(const Expr& e) const;
  bool uses_names(const Expr& e) const;
  Expr across_binary(const Expr& e, const Binary& b, const LanePlace& place) const;
  Expr across_select(const Select& s, const LanePlace& place) const;
  Expr across_load(const Load& l, const LanePlace& place) const;
  Expr across_check(const Binary& b, const LanePlace& place) const;

  Var lane_;
  Expr lo_;
  int32_t count_;
  BoundsProver& prover_;
  VarMap names_;
};

}  // namespace tenon
