// One pair of a random Program and a random schedule, checked at every level: the interpreter after
// every step, the lowered form, and machine code at every instruction-set level that the host has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/random_program.h"

namespace tenon::test {

struct PairOptions {
  int steps = 8;
  bool lowered = true;  // interpret the lowered form
  bool native = true;   // run machine code
};

struct PairCounts {
  int64_t pairs = 0, accepted = 0, refused = 0, lowered = 0, native = 0, reassociated = 0;
  int64_t tables = 0, in_place = 0;           // Programs with a table, with an inout
  std::map<std::string, int64_t> primitives;  // accepted steps by name
  std::map<std::string, int64_t> levels;      // machine codes by target
};

// Empty when all agree; otherwise what differs, with the Program, the trace and the seed: all that
// is needed to see it again.
std::string check_pair(uint64_t seed, const PairOptions& options, PairCounts& counts);

}  // namespace tenon::test
