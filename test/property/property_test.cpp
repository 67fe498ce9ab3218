#include <catch2/catch.hpp>
#include <iostream>

#include "property/pair_check.h"

namespace tenon::test {
namespace {

TEST_CASE("random schedules never change what a random program computes, at any level") {
  PairCounts counts;
  PairOptions options;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    options.native = seed % 2 == 0;  // machine code is most of the time
    const std::string wrong = check_pair(seed, options, counts);
    if (!wrong.empty()) FAIL(wrong);
  }
  std::cout << counts.pairs << " pairs, " << counts.accepted << " steps accepted, "
            << counts.refused << " refused, " << counts.reassociated << " reassociated, "
            << counts.lowered << " lowered forms, " << counts.native << " machine codes\n";
  CHECK(counts.pairs == 2000);
  CHECK(counts.accepted > 4000);
  CHECK(counts.native > 0);
}

}  // namespace
}  // namespace tenon::test
