// What an ahead-of-time program sees: buffers and threads, no compiler.
#include <atomic>
#include <cstdio>
#include <vector>

#include "tenon/runtime/runtime.h"

int main() {
  std::vector<float> x(6);
  const tenon::View view(x.data(), {2, 3});
  std::puts(view.to_string().c_str());
  if (view.elements() != 6) return 1;

  tenon::ThreadPool pool(2);
  std::atomic<int64_t> sum = 0;
  pool.parallel_for(
      100, 8,
      [](void* context, int64_t begin, int64_t end, int32_t) {
        for (int64_t i = begin; i < end; ++i) *static_cast<std::atomic<int64_t>*>(context) += i;
      },
      &sum);
  return sum == 4950 ? 0 : 1;
}
