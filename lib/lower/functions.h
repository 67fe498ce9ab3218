// Reductions by functions, written out.
#pragma once

#include "tenon/ir/stmt.h"

namespace tenon {

// The next state, by `update`, stored for every lane that is on. With `blend` lanes that are off
// keep their state by a select: all lanes are in bounds. Without it loads and stores are masked.
Stmt update_by_functions(const Accumulate& x, bool blend);

}  // namespace tenon
