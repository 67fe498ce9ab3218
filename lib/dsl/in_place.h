// May a value be written to the place of what it reads?
#pragma once

#include <vector>

#include "tenon/ir/expr.h"

namespace tenon::dsl {

// Are the indices these variables?
bool is_at(const std::vector<Expr>& indices, const std::vector<Var>& vars);

// Every read of the buffer in e is at these indices, or in a reduction, which is a stage before.
bool reads_only_at(const Expr& e, const Buffer& buffer, const std::vector<Var>& vars);

// buffer[vars] = value, for all vars in any order: each reads only the element that it replaces. A
// value that is a reduction is summed up in that place, and so may not read the buffer at all.
bool may_store_over(const Expr& value, const Buffer& buffer, const std::vector<Var>& vars);

}  // namespace tenon::dsl
