// How the strides of a buffer argument look. Part of the kernel cache key: a kernel made for dense
// arguments has no stride arithmetic.
#pragma once

#include <cstdint>

namespace tenon {

enum class StrideClass : uint8_t {
  kDense,      // row-major without gaps
  kInnerUnit,  // the innermost stride is 1, the others are run-time values
  kGeneral,    // every stride is a run-time value
};

}  // namespace tenon
