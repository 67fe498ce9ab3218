// The text of a trace, run again: on the same Program, or on another one with the same loops.
//
//   std::string steps = s.trace().to_string();
//   Schedule t(other_program, {{m, 64}});
//   absl::Status status = replay(t, steps);
//   absl::Status tuned = replay(u, steps, {{"rows", 6}});   // other values of named factors
//
// Names in the text are those that the Program shows when its turn comes. A name that it does not
// show, and that an earlier line gave to a loop or stage that it made, means what the same line
// made now; so the loops of the other Program may have other names. The primitives of a derived
// step are indented in the text, and are made again by the step itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/schedule/schedule.h"

namespace tenon {

// One line of a trace.
struct TraceLine {
  int number = 0;                      // of the line in the text, from 1
  bool derived = false;                // indented: a primitive of the step above
  std::string name;                    // "split"
  std::vector<std::string> arguments;  // "i", "12"
  std::vector<std::string> results;    // "io", "ii"

  std::string text() const;  // "split(i, 12)"
};
absl::StatusOr<std::vector<TraceLine>> parse_trace(std::string_view text);

// The named factors of the steps, and their values: what a tuner may choose. A name with two values
// is refused.
absl::StatusOr<FactorValues> factors_of(std::string_view trace);

// Does the steps, until one is refused: the error names the line of the text. The schedule keeps
// the steps that were done. Named factors take the values given here, the others those of the text.
// A name in tensorize is that of an instruction given here, or else of one that comes with Tenon.
absl::Status replay(Schedule& schedule, std::string_view trace, const FactorValues& factors = {},
                    const std::vector<Instruction>& instructions = {},
                    Schedule::Place place = Schedule::Place::current());

}  // namespace tenon
