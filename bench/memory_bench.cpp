// Kernels that come and go: resident memory while 2,000 different ones are compiled and dropped.
//
//   memory_bench [--check]
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "linear_relu.h"
#include "side_by_side.h"
#include "tenon/tenon.h"

namespace tn = tenon;
using namespace tn::bench;

namespace {

double resident_megabytes() {
  long pages = 0, resident = 0;
  std::FILE* statm = std::fopen("/proc/self/statm", "r");
  if (!statm || std::fscanf(statm, "%ld %ld", &pages, &resident) != 2) stop("no /proc/self/statm");
  std::fclose(statm);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Different in name and in size, so that nothing is shared: y = max(2 x, 0).
tn::Schedule kernel_number(int number) {
  const tn::Size n("n");
  const tn::Tensor x = tn::input("x", tn::f32, {n});
  const tn::Tensor y =
      tn::compute("y", {n}, [&](tn::Expr i) { return tn::max(x(i) * 2.0f, 0.0f); });
  tn::Schedule s(tn::program("kernel" + std::to_string(number), {x}, {y}), {{n, 1 + number}});
  auto [i] = s.loops<1>("y");
  auto [outer, inner] = s.split(i, 16);
  s.vectorize(inner);
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  Report report(argc, argv);
  constexpr int kWarmUp = 200, kKernels = 2000;
  tn::JitOptions options;
  options.cache.max_bytes = 1 << 20;
  tn::Jit jit(options);
  double before = 0, highest = 0;
  for (int number = 1; number <= kKernels; ++number) {
    value_of(jit.compile(kernel_number(number)));
    if (number == kWarmUp) before = resident_megabytes();
    if (number % 100 != 0) continue;
    highest = std::max(highest, number > kWarmUp ? resident_megabytes() : 0);
    if (number % 400 == 0) std::printf("%5d kernels  %7.2f MB\n", number, resident_megabytes());
  }
  std::printf("after %d kernels %.2f MB, at most %.2f MB up to %d\n\n", kWarmUp, before, highest,
              kKernels);
  report.at_most("growth after the first 200 kernels", 100 * (highest / before - 1), 5, "%");
  return report.exit_code();
}
