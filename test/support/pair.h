// A Program with values for its sizes, data, and the steps of a schedule; and its text, which says
// all that is needed to see a failure again.
//
//   std::cout << to_string(pair);
//   absl::StatusOr<Pair> again = parse_pair(text);
//
// The text is the Program, then lines of these kinds, then the trace:
//
//   size m = 5            a call gives it
//   constant n = 3        the schedule specialises it
//   exact                 every order of accumulation gives the same bits
//   data 17               the seed of the data and of how arguments lie in memory
//   steps
//     1 split(i, 3) -> io, ii
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/random_program.h"
#include "tenon/schedule/schedule.h"

namespace tenon::test {

struct Pair {
  RandomCase c;
  uint64_t data = 0;
  // "split(i, 3) -> io, ii"; derived steps without their primitives.
  std::vector<std::string> steps;
  // Of which the text has the names only: those that the steps of a running check made up.
  std::vector<Instruction> instructions;
};

std::string to_string(const Pair& pair);
absl::StatusOr<Pair> parse_pair(std::string_view text);

// The steps that were asked for.
std::vector<std::string> steps_of(const Trace& trace);

// A schedule after the first `count` steps, or all. The error is that of the first step refused.
absl::StatusOr<Schedule> schedule_of(const Pair& pair, size_t count = SIZE_MAX);

}  // namespace tenon::test
