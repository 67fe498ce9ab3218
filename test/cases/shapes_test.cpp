// Many shapes.
//
// D20, pytorch/pytorch#29893 and #27971, microsoft/onnxruntime#5796: a compiled kernel and a
//   scratchpad were kept for each shape, and memory grew without bound when every call had a new
//   one.
#include <catch2/catch.hpp>

#include "tenon/tenon.h"

namespace tenon {
namespace {

// Counts what is not given back.
class CountingAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes, size_t alignment) override {
    held += bytes;
    return default_allocator().allocate(bytes, alignment);
  }
  void release(void* memory, size_t bytes, size_t alignment) override {
    held -= bytes;
    default_allocator().release(memory, bytes, alignment);
  }
  size_t held = 0;
};

// y = 2x, through a reversed copy that needs scratch memory above 4096 elements.
struct Twice {
  Size n{"n"};
  Program program;
  Twice() {
    const Tensor x = input("x", f32, {n});
    const Tensor t = compute("t", {n}, [&](Expr i) { return x(n - 1 - i) * 2.0f; });
    program =
        tenon::program("twice", {x}, {compute("y", {n}, [&](Expr i) { return t(n - 1 - i); })});
  }
};

constexpr int64_t kStep = 41;  // lengths 1, 42, ... up to 5000
constexpr int64_t kShapes = 122;

bool twice_all(Jit& jit, const Function& f, int64_t step = kStep) {
  bool good = true;
  for (int64_t n = 1; n <= 5000; n += step) {
    std::vector<float> x(static_cast<size_t>(n), 1.5f), y(x.size());
    good &= jit.call(f, {View(x.data(), {n})}, {View(y.data(), {n})}).ok();
    good &= y == std::vector<float>(x.size(), 3);
  }
  return good;
}

TEST_CASE("D20: a new shape for every call, twice over, in a bounded cache") {
  CountingAllocator allocator;
  {
    JitOptions options;
    options.allocator = &allocator;
    options.cache.max_bytes = 400'000;
    Jit jit(options);
    const Function f = function(Twice().program);
    CHECK(twice_all(jit, f));
    CHECK(jit.stats().compiles == kShapes);
    CHECK(jit.stats().bytes <= 400'000);
    CHECK(twice_all(jit, f));
    CHECK(jit.stats().bytes <= 400'000);
    CHECK(jit.stats().kernels < kShapes);
    CHECK(jit.stats().evictions == jit.stats().compiles - jit.stats().kernels);
    CHECK(allocator.held < 100'000);  // the scratch memory of the largest call
    jit.clear();
    CHECK(jit.stats().bytes == 0);
  }
  CHECK(allocator.held == 0);
}

TEST_CASE("D20: every length from 1 to 5000, twice over", "[.]") {
  JitOptions options;
  options.cache.max_bytes = 1 << 20;
  Jit jit(options);
  const Function f = function(Twice().program);
  CHECK(twice_all(jit, f, 1));
  CHECK(twice_all(jit, f, 1));
  CHECK(jit.stats().compiles == 10'000);
  CHECK(jit.stats().bytes <= 1 << 20);
}

TEST_CASE("D20: with room for all shapes the second time costs nothing") {
  Jit jit;
  const Function f = function(Twice().program);
  CHECK(twice_all(jit, f));
  CHECK(twice_all(jit, f));
  CHECK(jit.stats().compiles == kShapes);
  CHECK(jit.stats().hits == kShapes);
}

TEST_CASE("D20: a length that stays symbolic needs one kernel") {
  Jit jit;
  const Twice twice;
  Function f = function(twice.program);
  f.keep_symbolic(twice.n);
  CHECK(twice_all(jit, f));
  CHECK(jit.stats().compiles == 1);
}

}  // namespace
}  // namespace tenon
