// The pieces that the text of a trace is made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/schedule/factor.h"

namespace tenon {

// The parts between commas that stand in no brackets, without spaces around.
std::vector<std::string> parts_of(std::string_view text);

// "12", "inferred" or "rows=12"; empty for anything else.
std::optional<Factor> parse_factor(std::string_view text);

}  // namespace tenon
