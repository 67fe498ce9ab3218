// Scheduled programs of all kinds, as text with letters for sizes: N is a length, V a number of
// lanes, T the number of tiles ceil(N / V).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tenon/ir/program.h"

namespace tenon::test {

struct Sample {
  const char* name;
  const char* text;
};
const std::vector<Sample>& corpus();

// The letters as whole words replaced by numbers.
Program instance(const char* text, int64_t n, int64_t lanes);
// With the size left symbolic: N becomes the size n, T becomes ceil(n / V).
Program symbolic_instance(const char* text, int64_t lanes);

// The tile of a matrix product with bias and relu, as register_tile makes it: a rows x b columns of
// an m x n result with inner dimension k. The weight is packed by b columns.
Program matmul(int64_t m, int64_t n, int64_t k, int64_t a, int64_t b);
// With m, or with all three, as sizes.
Program matmul_of_any_m(int64_t n, int64_t k, int64_t a, int64_t b);
Program matmul_of_any_size(int64_t a, int64_t b);

}  // namespace tenon::test
