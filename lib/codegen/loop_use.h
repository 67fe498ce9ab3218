// How the body of a loop uses the loop's variable: what code generation lets the loop count in.
#pragma once

#include <functional>
#include <vector>

#include "tenon/ir/stmt.h"

namespace tenon::codegen {

struct LoopUse {
  std::vector<Expr> factors;  // known before the loop: sums of products of the variable have them
  bool alone = false;         // used in any other way
  bool innermost = true;      // if not, the rest is not complete
};
// `is_known`: has the variable a value before the loop?
LoopUse loop_use(const Var& var, const Stmt& body, const std::function<bool(const Var&)>& is_known);

// The terms of a sum, its constants added up (mod 2^64).
struct Sum {
  std::vector<Expr> terms;
  int64_t constant = 0;
};
Sum sum_of(const Expr& e);

// The f of terms that add up to var * f: `m + 2` of var * m and var * 2. Null where there is none.
Expr common_factor(const std::vector<Expr>& terms, const Var& var);

}  // namespace tenon::codegen
