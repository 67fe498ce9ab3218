// What a Jit takes from its host: an executor, an allocator, the memory of a call.
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "jit/programs.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using test::check_scale;
using test::compiled;
using test::LinearData;
using test::LinearRelu;
using test::Reverse;
using test::Scale;

// Runs on the calling thread and counts.
class CountingExecutor final : public Executor {
 public:
  int max_workers() const override { return 3; }
  void parallel_for(int64_t count, int64_t, tenon_task task, void* context) override {
    ++loops;
    for (int64_t i = 0; i < count; ++i) {
      task(context, i, i + 1, static_cast<int32_t>(i % 3));
      ++tasks;
    }
  }
  std::atomic<int> loops{0}, tasks{0};
};

TEST_CASE("parallel loops run on the executor of the host") {
  CountingExecutor executor;
  JitOptions options;
  options.executor = &executor;
  Jit jit(options);
  const Scale scale;
  Schedule s(scale.program);
  const auto [i] = s.loops<1>("y");
  s.parallelize(i);
  const Kernel kernel = *jit.compile(s);
  check_scale(kernel, 50);
  CHECK(executor.loops == 1);
  CHECK(executor.tasks == 50);
  check_scale(compiled(jit, scale.program), 50);  // no parallel loop
  CHECK(executor.loops == 1);
}

// Counts, checks what comes back, and can be made to fail.
class CountingAllocator final : public Allocator {
 public:
  ~CountingAllocator() override { CHECK(blocks.empty()); }
  void* allocate(size_t bytes, size_t alignment) override {
    const std::lock_guard lock(mutex);
    if (fail) return nullptr;
    void* memory = default_allocator().allocate(bytes, alignment);
    blocks[memory] = {bytes, alignment};
    ++allocations;
    return memory;
  }
  void release(void* memory, size_t bytes, size_t alignment) override {
    const std::lock_guard lock(mutex);
    const auto found = blocks.find(memory);
    wrong |= found == blocks.end() || found->second != std::make_pair(bytes, alignment);
    if (found != blocks.end()) blocks.erase(found);
    default_allocator().release(memory, bytes, alignment);
  }
  std::mutex mutex;
  std::map<void*, std::pair<size_t, size_t>> blocks;
  int allocations = 0;
  bool fail = false, wrong = false;
};

void check_reverse(const Kernel& kernel, int64_t n) {
  std::vector<float> x(static_cast<size_t>(n)), y(x.size());
  std::iota(x.begin(), x.end(), 0.0f);
  REQUIRE(kernel({View(x.data(), {n})}, {View(y.data(), {n})}).ok());
  for (size_t i = 0; i < y.size(); ++i) REQUIRE(y[i] == 2 * x[x.size() - 1 - i]);
}

TEST_CASE("scratch memory may be given for a call") {
  CountingAllocator allocator;
  JitOptions options;
  options.allocator = &allocator;
  Jit jit(options);
  const Reverse reverse;
  const Kernel kernel = compiled(jit, reverse.program);
  std::vector<float> x(10'000, 1.0f), y(x.size());
  const size_t needed = kernel.workspace({{reverse.n, 10'000}}).total_bytes(1);
  CHECK(needed >= 40'000);
  alignas(64) static std::byte memory[64 << 10];
  const auto call = [&](absl::Span<std::byte> given) {
    return kernel({View(x.data(), {10'000})}, {View(y.data(), {10'000})}, given);
  };
  CHECK(call(absl::MakeSpan(memory, needed)).ok());
  CHECK(y == std::vector<float>(x.size(), 2.0f));
  CHECK(allocator.allocations == 0);
  CHECK_THAT(std::string(call(absl::MakeSpan(memory, needed - 1)).message()),
             Catch::StartsWith("kernel reverse: workspace: ") &&
                 Catch::Contains("bytes are needed for 1 worker, got"));
  CHECK_THAT(std::string(call(absl::MakeSpan(memory + 8, needed)).message()),
             Catch::Contains("the address must be a multiple of 64"));
  CHECK_FALSE(Kernel()({}, {}, absl::MakeSpan(memory)).ok());
}

TEST_CASE("scratch memory comes from the allocator of the host and goes back") {
  CountingAllocator allocator;
  {
    JitOptions options;
    options.allocator = &allocator;
    Jit jit(options);
    const Kernel kernel = compiled(jit, Reverse().program);
    CHECK(allocator.allocations == 0);
    check_reverse(kernel, 10'000);
    CHECK(allocator.allocations == 1);
    for (int i = 0; i < 10; ++i) check_reverse(kernel, 9'000);
    CHECK(allocator.allocations == 1);  // kept for the next call
    check_reverse(kernel, 100'000);
    CHECK(allocator.allocations == 2);
  }
  CHECK(allocator.blocks.empty());
  CHECK_FALSE(allocator.wrong);
}

TEST_CASE("packed weights come from the allocator of the host and go back") {
  CountingAllocator allocator;
  {
    Packed kept;
    LinearData data(5, 40, 6);
    {
      JitOptions options;
      options.allocator = &allocator;
      Jit jit(options);
      const Kernel kernel = *jit.compile(LinearRelu().scheduled(5, 40, 6));
      kept = *kernel.pack("w", data.W());
      const Packed second = *kernel.pack("w", data.W());
      CHECK(allocator.blocks.size() == 2);
      CHECK(kernel({data.X(), second, data.B()}, {data.Out()}).ok());
      CHECK(data.right());
    }
    CHECK(allocator.blocks.size() == 1);
    CHECK(kept.bytes() == 2 * 6 * 32 * sizeof(float));
  }
  CHECK(allocator.blocks.empty());
  CHECK_FALSE(allocator.wrong);
}

TEST_CASE("without memory a call is refused, not aborted") {
  CountingAllocator allocator;
  JitOptions options;
  options.allocator = &allocator;
  Jit jit(options);
  const Kernel reverse = compiled(jit, Reverse().program);
  const Kernel linear = *jit.compile(LinearRelu().scheduled(5, 40, 6));
  allocator.fail = true;
  std::vector<float> x(10'000), y(10'000);
  const absl::Status status = reverse({View(x.data(), {10'000})}, {View(y.data(), {10'000})});
  CHECK(status.code() == absl::StatusCode::kResourceExhausted);
  CHECK_THAT(std::string(status.message()),
             Catch::Matches("kernel reverse: no memory for a 4[0-9]+ byte workspace"));
  LinearData data(5, 40, 6);
  const absl::Status packed = linear.pack("w", data.W()).status();
  CHECK(packed.code() == absl::StatusCode::kResourceExhausted);
  CHECK(packed.message() == "no memory for packed weight w");
  allocator.fail = false;
  check_reverse(reverse, 10'000);
}

TEST_CASE("calls at the same time have workspaces of their own") {
  Jit jit;
  const Kernel kernel = compiled(jit, Reverse().program);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const int64_t n = 5'000 + 1'000 * t;
      std::vector<float> x(static_cast<size_t>(n), static_cast<float>(t)), y(x.size());
      for (int i = 0; i < 50; ++i) {
        if (!kernel({View(x.data(), {n})}, {View(y.data(), {n})}).ok()) ++wrong;
        wrong += y != std::vector<float>(x.size(), 2.0f * static_cast<float>(t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("an executor without workers is refused") {
  struct Nobody final : Executor {
    int max_workers() const override { return 0; }
    void parallel_for(int64_t, int64_t, tenon_task, void*) override {}
  } nobody;
  JitOptions options;
  options.executor = &nobody;
  Jit jit(options);
  const Tensor x = input("x", f32, {8});
  Schedule s(program("p", {x}, {compute("y", {8}, [&](Expr i) { return x(i); })}));
  s.parallelize(s.loops<1>("y")[0]);
  const Kernel kernel = *jit.compile(s);
  float in[8] = {}, out[8] = {};
  CHECK(kernel({View(in, {8})}, {View(out, {8})}).message() ==
        "kernel p: the executor says that it has 0 workers; at least 1 is needed");
}

TEST_CASE("a workspace that overlaps an argument is refused") {
  Jit jit;
  const Kernel kernel = compiled(jit, Reverse().program);
  alignas(64) static float memory[40'000];
  std::vector<float> other(10'000);
  const auto workspace = absl::MakeSpan(reinterpret_cast<std::byte*>(memory), sizeof(memory));
  const View inside(memory + 30'000, {10'000}), outside(other.data(), {10'000});
  CHECK(kernel({outside}, {inside}, workspace).message() ==
        "kernel reverse: argument y (output 0): its memory overlaps the workspace of the call");
  CHECK(kernel({inside}, {outside}, workspace).message() ==
        "kernel reverse: argument x (input 0): its memory overlaps the workspace of the call");
  CHECK(kernel({inside}, {outside}, workspace.first(120'000)).ok());
}

}  // namespace
}  // namespace tenon
