// One pair of a random Program and a random schedule, checked at every level: the interpreter after
// every step, the lowered form, and machine code at every instruction-set level that the host has.
//
//   PairCounts counts;
//   if (const auto failure = check_pair(seed, {}, counts)) std::cerr << failure->to_string();
//   if (const auto failure = check_pair(failure->pair, {}, counts)) ...   // the same, from its
//   trace
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/pair.h"

namespace tenon::test {

struct PairOptions {
  int steps = 8;          // that are asked for; most of them are refused
  int long_percent = 15;  // of the pairs have a long trace:
  int long_steps = 30;    // as many accepted steps at most
  bool lowered = true;    // interpret the lowered form
  int native_every = 5;   // run machine code for one pair in so many; 0: for none
};

struct PairCounts {
  int64_t pairs = 0, accepted = 0, refused = 0, lowered = 0, native = 0, reassociated = 0;
  int64_t instructions = 0;                   // lowered forms with an instruction
  int64_t longest = 0;                        // accepted steps of one pair
  std::map<std::string, int64_t> primitives;  // accepted steps by name
  std::map<std::string, int64_t> levels;      // machine codes by target
  std::map<std::string, int64_t> forms;       // Programs by what occurs in them
};

struct PairFailure {
  std::string where;  // "after a step", "replay", "lowered for x86-64-v3" ...
  std::string what;   // the difference
  std::string after;  // the Program that the steps made
  Pair pair;          // with the steps up to the failing one

  // All of it, and the pair as text that reads back.
  std::string to_string() const;
};

// The pair of a seed: draws and checks it. Empty when all agree.
std::optional<PairFailure> check_pair(uint64_t seed, const PairOptions& options,
                                      PairCounts& counts);

// A given pair, step by step; machine code unless native_every is 0. A step that is refused is a
// failure, "a step".
std::optional<PairFailure> check_pair(const Pair& pair, const PairOptions& options,
                                      PairCounts& counts);

// The pair of a seed, with all of its trace, neither lowered nor run as machine code.
Pair draw_pair(uint64_t seed, const PairOptions& options);

}  // namespace tenon::test
