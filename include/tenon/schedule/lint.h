// What will be slow in a Program as it is scheduled now, and what to do about it. Advice, not a
// verdict: every Program is right without it.
//
//   for (const Hint& hint : lint(s.program(), Target::host())) std::cout << hint << "\n";
//
//   c[i, j] += a[i, k] * b[k, j]
//     every iteration of k goes through c in memory again, by its loop j
//     register_tile keeps the sums in registers; or put k inside of j
//
// It reads loops and indices only. What lowering leaves behind (guards in hot loops) and what the
// registers did not hold is reported by Kernel::explain().
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tenon/ir/program.h"
#include "tenon/target/target.h"

namespace tenon {

struct Hint {
  enum class Kind {
    // An innermost loop runs one element at a time, although its iterations are independent, or a
    // reduction whose order may change.
    kScalarLoop,
    // Each iteration of a reduction loop runs over its targets again, by a serial loop inside.
    kReductionInMemory,
    // A vector is folded into one element in every iteration of a loop around it.
    kFoldInLoop,
    // The sums of one iteration need more vectors than the target has registers.
    kTileTooLarge,
    // The lanes of a vector lie apart in memory: each is an access of its own.
    kStridedVector,
    // A vector loop that is not a whole number of the target's vectors.
    kRaggedVector,
  };
  Kind kind;
  std::string statement;  // its first line, as the Program prints it
  std::string reason, advice;
};
std::ostream& operator<<(std::ostream& out, const Hint& hint);

// In the order of the Program; each kind once per statement.
std::vector<Hint> lint(const Program& program, const Target& target);

}  // namespace tenon
