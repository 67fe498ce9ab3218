// Numbers of things in sentences.
//
//   "it has " + counted(shape.size(), "dimension")         // 1 dimension, 2 dimensions
//   "takes " + counted(rank, "index", "indices")           // 1 index, 2 indices
#pragma once

#include <concepts>
#include <string>

namespace tenon {

// Without `many`: `one` and an s.
template <std::integral Number>
std::string counted(Number n, const std::string& one, const std::string& many = "") {
  return std::to_string(n) + " " + (n == 1 ? one : many.empty() ? one + "s" : many);
}

}  // namespace tenon
