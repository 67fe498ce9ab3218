// C functions that Programs of tests call.
#pragma once

#include <vector>

#include "tenon/ir/stmt.h"

namespace tenon::test {

// reversed(out y, x), of one shape and type: the elements of x, the last one first.
const ExternFunction& reversed();

// All of them, for texts that call them.
std::vector<ExternFunction> extern_functions();

}  // namespace tenon::test
