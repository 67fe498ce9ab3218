// What a kernel does in a call, and what became of its schedule on the way to machine code.
//
//   std::cout << kernel->explain();
//
//   matmul for x86-64-v3: 1280 bytes of code, compiled in 7.0 ms (lower 1.1, LLVM 5.6)
//     work in a call: at most 737280 operations, 67584 bytes of arguments
//     workspace: none
//     arrays in memory: none; vectors taken back from the stack: 0
//     guards or masks run in 4 of 100 innermost iterations:
//       out[...] = ... where ...
//
// and behind it the hints of lint.h. Made from the Program on request: it compiles once more.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tenon/schedule/lint.h"

namespace tenon {

struct Explanation {
  std::string kernel, target;
  size_t code_bytes = 0;
  double compile_ms = 0, lower_ms = 0;
  // Operations on floats and integers outside of indices, and the bytes of all arguments; known
  // when every size is. Iterations of guarded tails count whole.
  std::optional<int64_t> operations, argument_bytes;
  std::vector<std::string> calls;  // of extern functions, whose work nobody knows
  int64_t shared_bytes = 0, bytes_per_worker = 0;  // of workspace; with symbolic sizes at 0
  std::vector<std::string> arrays_in_memory;       // local ones that did not become registers
  // Instructions of the schedule of which the code has none, and why: their loops stayed.
  std::vector<std::string> left_as_loops;
  int vectors_reloaded = 0;  // instructions that take a vector back from the stack
  // Of the iterations of innermost loops, the part with a guard or a mask, and the first lines of
  // what is guarded.
  double guarded = 0;
  std::vector<std::string> guards;
  std::vector<Hint> hints;
};
std::ostream& operator<<(std::ostream& out, const Explanation& explanation);

}  // namespace tenon
