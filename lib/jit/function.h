// What a Function points to, and how the sizes of a call are read off its arguments.
#pragma once

#include <string>
#include <vector>

#include "tenon/jit/jit.h"

namespace tenon {

struct FunctionImpl {
  // Sizes and stride classes that identify a call, so that a call needs no allocation.
  static constexpr size_t kMaxCallValues = 96;

  Program program;
  ScheduleFunction schedule;
  std::vector<Var> symbolic;  // kept as run-time values

  // Per size of the program: the argument dimension that shows it.
  struct Source {
    int argument = -1;  // of inputs followed by outputs; -1: no argument shows it
    int dim = 0;
  };
  std::vector<Source> sources;
  // For any strides and any sizes; says what is wrong with arguments that show no sizes at all.
  Signature signature;
  size_t inputs = 0, outputs = 0;  // arguments of each kind
  absl::Status status;             // a mistake in the Program is reported by the first call

  bool is_symbolic(const Var& size) const;
};

}  // namespace tenon
