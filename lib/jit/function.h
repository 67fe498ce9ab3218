// What a Function points to.
#pragma once

#include <vector>

#include "tenon/jit/jit.h"

namespace tenon {

struct FunctionImpl {
  // At most so many sizes and arguments: a call is read without allocation.
  static constexpr size_t kMaxCallValues = 128;

  const uint64_t id;  // of all Functions of the process: an address may come again
  Program program;
  ScheduleFunction schedule;
  std::vector<Var> symbolic;  // kept as run-time values
  absl::Status status;        // what is wrong with the above; reported by everything that uses it

  // --- How a call is read. Arguments are counted in the order of a call: inputs, then outputs.

  std::vector<size_t> params;  // of each argument: its index in program->params
  size_t inputs = 0;           // the first so many are inputs, weights and scalars
  // Per size of the program: the argument dimension that shows it.
  struct Source {
    size_t argument = 0;
    int dim = 0;
  };
  std::vector<Source> sources;
  // Of the Program as written, for any strides and sizes: says what is wrong with a call before a
  // kernel is compiled for it.
  Signature signature;
  absl::Status readable;  // not ok: no argument shows some size, so only Jit::kernel works

  bool is_symbolic(const Var& size) const;
};

}  // namespace tenon
