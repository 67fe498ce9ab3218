// Meanings that several instructions have, at several widths.
#pragma once

#include <string>

#include "tenon/ir/program.h"

namespace tenon::instructions {

// The Program of this text, which is right.
Program meaning_of(const std::string& text);

// for i in 0..lanes { for k in 0..ways { out[i] += a[i, k] * b[i, k] } }, converted to the type of
// the sum first.
Program dot(int lanes, int ways, Type sum, Type a, Type b);

}  // namespace tenon::instructions
