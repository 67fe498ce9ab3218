// What the functions that make nodes do to their operands.
#pragma once

#include <vector>

#include "tenon/ir/expr.h"

namespace tenon {

// An operand of a node has its final type: a literal stops to adapt.
Expr settled(Expr e);
std::vector<Expr> settled(std::vector<Expr> list);

}  // namespace tenon
