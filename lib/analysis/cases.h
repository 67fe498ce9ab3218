// Conditions in disjunctive normal form: each case is a conjunction of parts that an integer system
// can say.
#pragma once

#include <vector>

#include "tenon/ir/expr.h"

namespace tenon {

struct Literal {
  Expr condition;
  bool value;
};
using Case = std::vector<Literal>;

// Cases that cover "condition has this value". a != b is a < b or b < a; min(a, b) <= c is a <= c
// or b <= c. Where more than a few cases would arise, a part is left out: the cases then cover
// more.
std::vector<Case> cases_of(const Expr& condition, bool value);
// All of them together.
std::vector<Case> combine(const std::vector<Case>& a, const std::vector<Case>& b);

bool is_disjunction(const Expr& condition, bool value);

}  // namespace tenon
