// Questions about vector loops that several passes ask.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "tenon/ir/visit.h"

namespace tenon {

// The variables whose values differ between the lanes of a vector loop: its own, and names bound
// inside from others of them.
class LaneVars {
 public:
  LaneVars(const Var& lane, const Stmt& body);
  bool uses(const Expr& e) const;  // false for null
  bool uses(const std::vector<Expr>& list) const;

 private:
  std::set<Var> vars_;
};

inline bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

// The number of iterations when it is a constant.
std::optional<int64_t> constant_extent(const For& loop);

// Is some accumulation in the loop's body a fold: one target for all lanes?
bool has_fold(const For& loop);

}  // namespace tenon
