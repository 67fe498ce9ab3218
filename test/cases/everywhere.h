// Runs a case in every way that must not change its answer: each vector width (1, 4, 8, 16), serial
// and parallel, every length from 0 to 3 x width + 1, length known when compiling or not, each
// instruction-set level of this machine, and buffers with an inaccessible page behind or in front.
//
//   Everywhere e;
//   e.program = program("square", {x}, {y});
//   e.length = n;
//   e.data = [](int64_t n) { return CaseData{{inputs of length n}, {expected outputs}}; };
//   e.run();
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tenon/tenon.h"

namespace tenon::test {

struct CaseData {
  std::vector<Array> inputs;    // in call order
  std::vector<Array> expected;  // outputs in order
  // What the outputs hold before the call, where that matters. If not given: 0xA5 bytes.
  std::vector<Array> before = {};
};

struct Everywhere {
  Program program;
  Size length{"n"};  // the size that the vectors run over; the other sizes are in `sizes`
  Sizes sizes;
  // In vectors of so many lanes. If not given: the last loop of every output is split, and the
  // loops around it are parallel.
  std::function<void(Schedule&, int64_t lanes, bool parallel)> schedule;
  std::function<CaseData(int64_t length)> data;
  // Empty when the output is right. If not given: same_values.
  std::function<std::string(const Array& expected, const Array& got)> difference;
  bool contract = true;
  bool symbolic = true;  // with the length as a run-time value: all lengths
  bool constant =
      true;  // with the length known when compiling: those around multiples of the lanes

  void run() const;
};

// The last loop of the stage in vectors, the outermost one (of the tiles, for a single loop)
// parallel.
void vectorize_stage(Schedule& s, const std::string& stage, int64_t lanes, bool parallel);

// One call with guarded copies of the arrays; the outputs start as 0xA5 bytes, or as `before`.
absl::StatusOr<std::vector<Array>> call_guarded(const Kernel& kernel,
                                                const std::vector<Array>& inputs,
                                                const std::vector<Array>& expected, bool front,
                                                const std::vector<Array>& before = {});

// Floats: within so many units in the last place of f32, or both NaN, or equal.
std::string difference_in_ulp(const Array& expected, const Array& got, int64_t ulp);

}  // namespace tenon::test
