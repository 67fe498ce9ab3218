// Random Programs of the expression language, with values for their sizes and data for their
// parameters.
//
//   Rng rng(seed);
//   RandomCase c = random_case(rng);
//   std::vector<Array> data = random_data(rng, c);
#pragma once

#include <set>
#include <string>
#include <vector>

#include "support/rng.h"
#include "tenon/interp/interp.h"

namespace tenon::test {

struct RandomCase {
  Program program;
  Sizes sizes;      // a value for every size of the program
  Sizes constants;  // those that a schedule specialises
  // All float values are small integers and stay exact, whatever the order of accumulation: even
  // reassociating steps must agree bit for bit.
  bool exact = false;
  // Forms of the language that it was made of, by name ("scan", "pad_wrap"), for counting.
  std::set<std::string> forms;
};

RandomCase random_case(Rng& rng);

// Whether a call shows the value of the size by the shape of an argument.
bool shows_size(const ProgramData& program, const Var& size);

// One array per parameter (scalars: rank 0). Inputs hold ordinary values and some special ones:
// NaN of all patterns, infinities, signed zeros, subnormals, extremes. Integer inputs that index
// tables stay in range.
std::vector<Array> random_data(Rng& rng, const RandomCase& c);

// The arguments of an interpreter run on these arrays.
std::vector<InterpArgument> arguments_of(const Program& program, std::vector<Array>& data);

}  // namespace tenon::test
