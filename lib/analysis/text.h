// Parts of messages, with the names that the program's text shows.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tenon/ir/program.h"

namespace tenon {

std::string text_of(const Expr& e, const Program& within);
std::string text_of(const Var& var, const Program& within);
std::string text_of(const Buffer& buffer, const Program& within);

// "i = 0, k = 1"
std::string text_of(const std::vector<std::pair<Var, int64_t>>& values, const Program& within);
// "c[i, j]"
std::string element(const Buffer& buffer, const std::vector<Expr>& indices, const Program& within);
// "c[0, 1]"
std::string element(const Buffer& buffer, const std::vector<int64_t>& indices,
                    const Program& within);

}  // namespace tenon
