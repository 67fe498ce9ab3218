// The processor.
//
// D19, jax-ml/jax#2906, and the same in halide/Halide PR 9017 and #4041: a processor has AVX-512,
// the
//   operating system or a hypervisor did not enable its registers, and compiled code died.
#include <catch2/catch.hpp>
#include <numeric>

#if defined(__x86_64__)
#include <cpuid.h>

#include "cases/everywhere.h"

namespace tenon {
namespace {

// This processor, under an operating system that saves what XCR0 says.
class UnderXcr0 final : public CpuInfo {
 public:
  explicit UnderXcr0(uint64_t xcr0) : xcr0_(xcr0) {}
  CpuidLeaf cpuid(uint32_t leaf, uint32_t subleaf) const override {
    CpuidLeaf r;
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
    return r;
  }
  uint64_t xgetbv() const override { return xcr0_; }

 private:
  uint64_t xcr0_;
};

std::vector<float> softplus_like(const Target& target) {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Program p = program(
      "scale", {x}, {compute("y", {n}, [&](Expr i) { return max(x(i) * 3.0f + 1.0f, 0.0f); })});
  Schedule s(p, {{n, 101}});
  test::vectorize_stage(s, "y", 16, false);
  JitOptions options;
  options.target = target;
  Jit jit(options);
  const absl::StatusOr<Kernel> kernel = jit.compile(s, {.keep_text = true});
  INFO(kernel.status());
  REQUIRE(kernel.ok());
  const bool zmm = kernel->assembly().find("%zmm") != std::string::npos;
  const bool ymm = kernel->assembly().find("%ymm") != std::string::npos;
  CHECK((!zmm || target.vector_bits() == 512));
  CHECK((!ymm || target.vector_bits() >= 256));
  std::vector<float> in(101), out(101);
  std::iota(in.begin(), in.end(), -50.0f);
  REQUIRE((*kernel)({View(in.data(), {101})}, {View(out.data(), {101})}).ok());
  return out;
}

TEST_CASE("D19: only what the operating system saves is used, and results do not change") {
  std::vector<float> expected(101);
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] = std::max((static_cast<float>(i) - 50) * 3 + 1, 0.0f);
  }
  const Target sse = Target::host(UnderXcr0(0x3)), avx = Target::host(UnderXcr0(0x7)),
               all = Target::host(UnderXcr0(0xe7)), half = Target::host(UnderXcr0(0x67));
  CHECK(sse.vector_bits() == 128);
  CHECK_FALSE(sse.has("avx"));
  CHECK(avx.vector_bits() <= 256);
  CHECK_FALSE(avx.has("avx512f"));
  CHECK_FALSE(half.has("avx512f"));  // all of bits 5 to 7 are needed
  for (const Target& target : {sse, avx, half, all, Target::host()}) {
    if (!runs_on_host(target)) continue;  // `all` on a machine that lacks something for real
    CHECK(softplus_like(target) == expected);
  }
}

}  // namespace
}  // namespace tenon
#endif
