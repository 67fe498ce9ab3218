// What makes two kernels the same. Compared in full on a hit, so a hash collision is a miss.
#pragma once

#include <vector>

#include "tenon/base/stride_class.h"
#include "tenon/ir/program.h"

namespace tenon {

// Target and Jit options are those of the Jit that owns the cache.
struct KernelKey {
  Program program;  // scheduled, sizes specialised
  std::vector<StrideClass> strides;
  bool keep_text = false;
  uint64_t hash = 0;
};

KernelKey make_key(Program program, std::vector<StrideClass> strides, bool keep_text);
bool operator==(const KernelKey& a, const KernelKey& b);

}  // namespace tenon
