/* A kernel written by hand against the interface that compiled ones have. */
#include "tenon/runtime/abi.h"

static void add_one(const tenon_call* call) {
  float* x = (float*)call->buffers[0];
  for (int64_t i = 0; i < call->sizes[0]; ++i) x[i] += 1.0f;
}

int main(void) {
  float x[3] = {1, 2, 3};
  void* const buffers[1] = {x};
  const int64_t sizes[1] = {3};
  tenon_fault fault = {-1, 0, 0};
  tenon_call call = {buffers, sizes, 0, 0, 0, 0, &fault, 0};
  tenon_kernel kernel = add_one;
  kernel(&call);
  return x[0] == 2 && x[2] == 4 && fault.site == -1 ? 0 : 1;
}
