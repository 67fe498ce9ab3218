// Where in a loop a guard begins to hold, and where it ceases to.
//
// For a guard g(x, p) of loop x, with loops p between x and the guard:
//
//   for io in 0..11 { for ii in 0..12 { if io*12 + ii < 127 { S } } }
//
// holds for every ii while io < 10, and for some ii while io < 11. Both numbers come from the ends
// of the ranges of p, as expressions in what stands outside of x.
#pragma once

#include <optional>
#include <vector>

#include "tenon/analysis/facts.h"
#include "tenon/ir/visit.h"

namespace tenon {

// [lo, hi); null: not bounded on this side.
struct Range {
  Expr lo, hi;
};

struct Threshold {
  Range always;    // the guard holds for all inner iterations
  Range possible;  // outside, it holds for none
};

// The place of a condition in the body of a loop.
struct GuardSite {
  Expr condition;                // one comparison of i64 that reads no memory
  Expr resolved;                 // without names that are bound inside of the loop
  std::vector<LoopRange> inner;  // loops between the loop in question and the condition
  std::vector<ForKind> kinds;    // of `inner`; all loops of an instruction's nest are of its kind
  size_t leaf = 0;               // the statement that it guards, counted in program order
  bool of_select = false;        // the condition of a select, not of an If
  bool hot = false;              // its leaf is among the deepest, or part of a reduction
};

// The guards in the body of a loop, and how many statements (stores and accumulations) there are.
struct GuardSites {
  std::vector<GuardSite> sites;
  size_t leaves = 0;
};
GuardSites guards_in(const For& loop);

// Empty when the condition is not linear in the loop. `inside` are the facts inside of the loop.
std::optional<Threshold> threshold_of(const GuardSite& site, const Var& loop, const Facts& inside);

// s without conditions that are known to hold: Ifs and selects on them are resolved.
Stmt without_conditions(const Stmt& s, const std::vector<Expr>& known);

}  // namespace tenon
