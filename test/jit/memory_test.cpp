// Kernels that come and go leave nothing behind.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>

#include "jit/programs.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

size_t resident_bytes() {
  long pages = 0, resident = 0;
  std::FILE* statm = std::fopen("/proc/self/statm", "r");
  REQUIRE(statm != nullptr);
  const int read = std::fscanf(statm, "%ld %ld", &pages, &resident);
  std::fclose(statm);
  REQUIRE(read == 2);
  return static_cast<size_t>(resident) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST_CASE("600 kernels compiled and dropped leave the memory as it was") {
  JitOptions options;
  options.cache.max_bytes = 1 << 20;
  Jit jit(options);
  const test::Scale scale;
  size_t after_warm_up = 0;
  for (int64_t n = 1; n <= 600; ++n) {
    const absl::StatusOr<Kernel> kernel = jit.compile(scale.program, {{scale.n, n}});
    REQUIRE(kernel.ok());
    if (n == 200) after_warm_up = resident_bytes();
  }
  CHECK(jit.stats().compiles == 600);
  CHECK(jit.stats().evictions > 500);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Sanitizers keep freed memory on purpose.
  CHECK(static_cast<double>(resident_bytes()) < 1.05 * static_cast<double>(after_warm_up));
#else
  (void)after_warm_up;
#endif
}

}  // namespace
}  // namespace tenon
