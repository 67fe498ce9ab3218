// Conditions as lists of comparisons.
#pragma once

#include <map>
#include <vector>

#include "tenon/ir/program.h"

namespace tenon {

// The parts of a conjunction: a & b & c.
std::vector<Expr> conjuncts_of(const Expr& condition);
// And back. Null for none.
Expr conjunction_of(const std::vector<Expr>& conditions);

// The opposite of a condition; of an integer comparison, the opposite comparison.
Expr negated(const Expr& condition);

// The declared shapes of all buffers of a Program.
struct Declaration {
  std::vector<Expr> shape;
  bool local = false;  // by an Alloc
};
using Declarations = std::map<Buffer, Declaration>;
Declarations declarations_of(const Program& program);

}  // namespace tenon
