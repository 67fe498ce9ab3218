// Runs the property test on any number of pairs: tenon_fuzz [pairs] [first seed] [steps].
#include <cstdlib>
#include <iostream>

#include "support/pair_check.h"

int main(int argc, char** argv) {
  const uint64_t pairs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  tenon::test::PairOptions options;
  if (argc > 3) options.steps = std::atoi(argv[3]);
  tenon::test::PairCounts counts;
  int64_t failures = 0;
  for (uint64_t seed = first; seed < first + pairs; ++seed) {
    const std::string wrong = tenon::test::check_pair(seed, options, counts);
    if (!wrong.empty()) {
      std::cerr << wrong << "\n";
      ++failures;
    }
    if (counts.pairs % 100 == 0) std::cerr << "\r" << counts.pairs << " pairs" << std::flush;
  }
  std::cerr << "\r";
  std::cout << counts.pairs << " pairs, " << counts.accepted << " steps accepted, "
            << counts.refused << " refused, " << counts.reassociated << " reassociated, "
            << counts.lowered << " lowered forms, " << counts.native
            << " machine codes: " << failures << " failures\n";
  for (const auto& [name, count] : counts.primitives) std::cout << name << " " << count << "  ";
  std::cout << "\n";
  return failures == 0 ? 0 : 1;
}
