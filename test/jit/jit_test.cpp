// Jit: compile, cache, life times, the host's own parts.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <sstream>
#include <thread>

#include "jit/programs.h"
#include "support/native.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using test::LinearData;
using test::LinearRelu;
using test::Scale;

Kernel compiled(Jit& jit, const Program& program, const Sizes& sizes = {},
                const CompileOptions& options = {}) {
  absl::StatusOr<Kernel> kernel = jit.compile(program, sizes, options);
  INFO(kernel.status());
  REQUIRE(kernel.ok());
  return *kernel;
}

// The call works and gives x times the factor.
void check_scale(const Kernel& kernel, int64_t n, float factor = 2) {
  std::vector<float> x(static_cast<size_t>(n)), y(x.size(), -1);
  std::iota(x.begin(), x.end(), 1.0f);
  const absl::Status status = kernel({View(x.data(), {n})}, {View(y.data(), {n})});
  INFO(status);
  REQUIRE(status.ok());
  for (size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == factor * x[i]);
}

TEST_CASE("a program becomes a kernel that computes it") {
  Jit jit;
  const Scale scale;
  check_scale(compiled(jit, scale.program, {{scale.n, 100}}), 100);
  const Kernel symbolic = compiled(jit, scale.program);
  for (int64_t n : {0, 1, 7, 1000}) check_scale(symbolic, n);
}

TEST_CASE("a scheduled kernel computes the same at every level") {
  const LinearRelu linear;
  for (const Target& target : test::native_targets()) {
    JitOptions options;
    options.target = target;
    Jit jit(options);
    CHECK(jit.target() == target);
    LinearData data(13, 70, 9);
    const absl::StatusOr<Kernel> kernel = jit.compile(linear.scheduled(13, 70, 9));
    INFO(kernel.status());
    REQUIRE(kernel.ok());
    const absl::StatusOr<Packed> packed = kernel->pack("w", data.W());
    REQUIRE(packed.ok());
    CHECK((*kernel)({data.X(), *packed, data.B()}, {data.Out()}).ok());
    CHECK(data.right());
  }
}

TEST_CASE("the second compile of the same thing is a hit") {
  Jit jit;
  const LinearRelu linear;
  const Kernel first = *jit.compile(linear.scheduled(8, 32, 4));
  const Kernel again = *jit.compile(linear.scheduled(8, 32, 4));
  CHECK(first.entry() == again.entry());
  const JitStats stats = jit.stats();
  CHECK(stats.misses == 1);
  CHECK(stats.hits == 1);
  CHECK(stats.compiles == 1);
  CHECK(stats.kernels == 1);
  CHECK(stats.bytes > static_cast<int64_t>(first.code_bytes()));
  CHECK(stats.compile_ms > 0);
}

TEST_CASE("an equal program with sizes of its own is a hit too") {
  Jit jit;
  const Scale a, b;
  const Kernel first = compiled(jit, a.program), second = compiled(jit, b.program);
  CHECK(first.entry() == second.entry());
  CHECK(jit.stats().hits == 1);
}

TEST_CASE("what makes another kernel is a miss") {
  Jit jit;
  const Scale scale;
  const Kernel plain = compiled(jit, scale.program);
  std::vector<Kernel> others = {
      compiled(jit, scale.program, {{scale.n, 4}}),
      compiled(jit, scale.program, {{scale.n, 5}}),
      compiled(jit, Scale(3).program),
      compiled(jit, Scale(2, "other_name").program),
      compiled(jit, scale.program, {}, {.strides = {{"x", StrideClass::kGeneral}}}),
      compiled(jit, scale.program, {}, {.strides = {{"y", StrideClass::kGeneral}}}),
      compiled(jit, scale.program, {}, {.keep_text = true})};
  for (const Kernel& other : others) CHECK(other.entry() != plain.entry());
  CHECK(jit.stats().misses == 8);
  CHECK(jit.stats().hits == 0);
}

TEST_CASE("two Jits know nothing of each other") {
  const Scale scale;
  Jit a, b;
  const Kernel from_a = compiled(a, scale.program), from_b = compiled(b, scale.program);
  CHECK(from_a.entry() != from_b.entry());
  CHECK(a.stats().misses == 1);
  CHECK(b.stats().misses == 1);
  check_scale(from_a, 10);
  check_scale(from_b, 10);
}

TEST_CASE("8 threads that want one kernel compile it once") {
  Jit jit;
  const LinearRelu linear;
  std::vector<tenon_kernel> entries(8);
  std::vector<std::thread> threads;
  for (tenon_kernel& entry : entries) {
    threads.emplace_back([&] {
      const absl::StatusOr<Kernel> kernel = jit.compile(linear.scheduled(8, 32, 4));
      if (kernel.ok()) entry = kernel->entry();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(entries[0] != nullptr);
  for (tenon_kernel entry : entries) CHECK(entry == entries[0]);
  CHECK(jit.stats().compiles == 1);
  CHECK(jit.stats().hits == 7);
}

TEST_CASE("threads that want different kernels compile side by side") {
  JitOptions options;
  options.cache.max_bytes = 100'000;  // about 5: they also drive each other out
  Jit jit(options);
  const Scale scale;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 12; ++i) {
        const int64_t n = 1 + (5 * t + i) % 12;
        const absl::StatusOr<Kernel> kernel = jit.compile(scale.program, {{scale.n, n}});
        std::vector<float> x(static_cast<size_t>(n), 3), y(x.size());
        if (!kernel.ok() || !(*kernel)({View(x.data(), {n})}, {View(y.data(), {n})}).ok() ||
            y != std::vector<float>(x.size(), 6)) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(jit.stats().evictions > 0);
}

TEST_CASE("a refused schedule gives its first refusal, and nothing is compiled") {
  Jit jit;
  const Scale scale;
  Schedule s(scale.program, {{scale.n, 16}});
  const auto [i] = s.loops<1>("y");
  s.split(i, 0);
  s.split(i, -1);
  const absl::StatusOr<Kernel> kernel = jit.compile(s);
  CHECK(kernel.status() == s.status());
  REQUIRE(diagnostic_of(kernel.status()).has_value());
  CHECK(diagnostic_of(kernel.status())->step == 1);
  CHECK(jit.stats().misses == 0);
}

TEST_CASE("a program that could not be built says why") {
  Jit jit;
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Tensor y = compute("y", {n}, [&](Expr i) { return x(i, i); });
  const absl::StatusOr<Kernel> kernel = jit.compile(program("broken", {x}, {y}));
  CHECK_FALSE(kernel.ok());
  CHECK_THAT(std::string(kernel.status().message()), Catch::Contains("x"));
  CHECK_FALSE(jit.compile(Program()).ok());
}

TEST_CASE("strides are asked for by the name of a tensor") {
  Jit jit;
  const Scale scale;
  const auto message = [&](const std::string& name) {
    const CompileOptions options{.strides = {{name, StrideClass::kGeneral}}};
    return std::string(jit.compile(scale.program, {}, options).status().message());
  };
  CHECK(message("z") == "program scale has no tensor parameter named z");
  CHECK(message("n") == "program scale has no tensor parameter named n");
}

TEST_CASE("a target that this machine lacks is refused by compile") {
  std::string lacking;
  for (const char* feature : {"avx512f", "avx2", "avxvnni", "avx512bf16", "avx512fp16"}) {
    const absl::StatusOr<Target> target = Target::parse(std::string("x86-64-v2+") + feature);
    if (target.ok() && !runs_on_host(*target)) lacking = target->to_string();
  }
  if (lacking.empty()) return;  // a machine with everything
  JitOptions options;
  options.target = *Target::parse(lacking);
  Jit jit(options);
  const absl::Status status = jit.compile(Scale().program).status();
  CHECK(status.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(status.message() ==
        "this machine does not run code for " + lacking + "; it is " + Target::host().to_string());
  CHECK_FALSE(jit.call(function(Scale().program), {}, {}).ok());
  CHECK_FALSE(jit.warm(function(Scale().program), {{}}).ok());
}

// --- The cache's bound.

TEST_CASE("the cache stays below its bound, and the least recently used kernel goes") {
  const Scale scale;
  size_t cost = 0;
  {
    Jit jit;
    compiled(jit, scale.program, {{scale.n, 1}});
    cost = static_cast<size_t>(jit.stats().bytes);
  }
  JitOptions options;
  options.cache.max_bytes = 4 * cost;
  Jit jit(options);
  const auto get = [&](int64_t n) { check_scale(compiled(jit, scale.program, {{scale.n, n}}), n); };
  for (int64_t n = 1; n <= 30; ++n) {
    get(n);
    get(1);  // always in use
    CHECK(jit.stats().bytes <= static_cast<int64_t>(options.cache.max_bytes));
  }
  CHECK(jit.stats().misses == 30);
  CHECK(jit.stats().evictions == 30 - jit.stats().kernels);
  CHECK(jit.stats().kernels >= 2);
  jit.clear();
  CHECK(jit.stats().kernels == 0);
  CHECK(jit.stats().bytes == 0);
}

TEST_CASE("y = 2x for every length, twice, in a bounded cache") {
  JitOptions options;
  options.cache.max_bytes = 300'000;
  Jit jit(options);
  const Scale scale;
  const Function f = function(scale.program);
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t n = 1; n <= 60; ++n) {
      std::vector<float> x(static_cast<size_t>(n), 1.5f), y(x.size());
      REQUIRE(jit.call(f, {View(x.data(), {n})}, {View(y.data(), {n})}).ok());
      REQUIRE(y == std::vector<float>(x.size(), 3));
    }
  }
  CHECK(jit.stats().bytes <= 300'000);
  CHECK(jit.stats().evictions > 60);
}

// --- Life times.

// Is this address in mapped, executable memory?
bool is_mapped_code(const void* address) {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  REQUIRE(maps != nullptr);
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  bool found = false;
  char line[512];
  while (std::fgets(line, sizeof(line), maps)) {
    unsigned long low = 0, high = 0;
    char access[5] = "";
    if (std::sscanf(line, "%lx-%lx %4s", &low, &high, access) != 3) continue;
    found |= low <= wanted && wanted < high && access[2] == 'x';
  }
  std::fclose(maps);
  return found;
}

const void* address_of(const Kernel& kernel) {
  return reinterpret_cast<const void*>(kernel.entry());
}

TEST_CASE("code is unmapped when the last holder lets go") {
  JitOptions options;
  options.cache.max_bytes = 0;
  Jit jit(options);
  Kernel kernel = compiled(jit, Scale().program);
  const void* code = address_of(kernel);
  CHECK(is_mapped_code(code));
  Kernel copy = kernel;
  kernel = Kernel();
  CHECK(is_mapped_code(code));
  check_scale(copy, 5);
  copy = Kernel();
  CHECK_FALSE(is_mapped_code(code));
}

TEST_CASE("the cache is a holder until it drops the kernel") {
  Jit jit;
  const void* code = address_of(compiled(jit, Scale().program));
  CHECK(is_mapped_code(code));
  jit.clear();
  CHECK_FALSE(is_mapped_code(code));
}

TEST_CASE("evicted kernels are unmapped") {
  JitOptions options;
  options.cache.max_bytes = 40'000;
  Jit jit(options);
  const Scale scale;
  std::set<uintptr_t> pages;  // one per kernel, but a page may serve again
  for (int64_t n = 1; n <= 10; ++n) {
    const Kernel kernel = compiled(jit, scale.program, {{scale.n, n}});
    pages.insert(reinterpret_cast<uintptr_t>(address_of(kernel)) / 4096);
  }
  const auto mapped = std::count_if(pages.begin(), pages.end(), [](uintptr_t page) {
    return is_mapped_code(reinterpret_cast<const void*>(page * 4096));
  });
  CHECK(mapped <= jit.stats().kernels);
}

TEST_CASE("kernels outlive their Jit") {
  Kernel kernel;
  Packed packed;
  LinearData data(5, 40, 6);
  const void* code = nullptr;
  {
    Jit jit;
    const LinearRelu linear;
    kernel = *jit.compile(linear.scheduled(5, 40, 6));
    code = address_of(kernel);
  }
  CHECK(is_mapped_code(code));
  packed = *kernel.pack("w", data.W());
  CHECK(kernel({data.X(), packed, data.B()}, {data.Out()}).ok());
  CHECK(data.right());
  CHECK_FALSE(print(kernel.lowered()).empty());
  kernel = Kernel();
  CHECK_FALSE(is_mapped_code(code));
}

TEST_CASE("a parallel kernel keeps the Jit's threads") {
  const Scale scale;
  Kernel kernel;
  {
    Jit jit;
    Schedule s(scale.program);
    const auto [i] = s.loops<1>("y");
    s.parallelize(i);
    kernel = *jit.compile(s);
  }
  check_scale(kernel, 1000);
}

TEST_CASE("an empty kernel refuses") {
  const Kernel kernel;
  CHECK_FALSE(kernel);
  CHECK(kernel({}, {}).code() == absl::StatusCode::kFailedPrecondition);
  CHECK(kernel.pack("w", View()).status().code() == absl::StatusCode::kFailedPrecondition);
  CHECK(kernel.workspace().shared_bytes == 0);
}

TEST_CASE("a Jit moves, and what it moved from refuses") {
  const Scale scale;
  Jit first;
  compiled(first, scale.program);
  Jit second = std::move(first);
  CHECK(second.stats().kernels == 1);
  check_scale(compiled(second, scale.program), 3);
  CHECK(second.stats().hits == 1);

  const auto moved = absl::StatusCode::kFailedPrecondition;
  const Function f = function(scale.program);
  CHECK(first.compile(scale.program).status().code() == moved);
  CHECK(first.compile(Schedule(scale.program)).status().code() == moved);
  CHECK(first.call(f, {}, {}).code() == moved);
  CHECK(first.kernel(f, {}).status().code() == moved);
  CHECK(first.warm(f, {}).code() == moved);
  CHECK(first.stats().hits == 0);
  CHECK_FALSE(first.target().to_string().empty());
  first.clear();
  first = Jit();
  check_scale(compiled(first, scale.program), 3);
}

// --- The host's own parts.

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

// y[i] = 2 * x[n - 1 - i] through a copy that does not fit the stack.
struct Reverse {
  Size n{"n"};
  Program program;
  Reverse() {
    const Tensor x = input("x", f32, {n});
    const Tensor copy = compute("copy", {n}, [&](Expr i) { return x(i) * 2.0f; });
    const Tensor y = compute("y", {n}, [&](Expr i) { return copy(n - 1 - i); });
    program = tenon::program("reverse", {x}, {y});
  }
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

TEST_CASE("contraction is an option of the Jit") {
  // x * x - y: with one rounding it differs from two for this x.
  const Tensor x = input("x", f32, {1}), y = input("y", f32, {1});
  const Tensor z = compute("z", {1}, [&](Expr i) { return x(i) * x(i) + y(i); });
  const Program p = program("fused", {x, y}, {z});
  const float vx = 1.0f + 0x1p-12f, vy = -(1.0f + 0x1p-11f);
  const auto result = [&](bool contract) {
    JitOptions options;
    options.contract = contract;
    Jit jit(options);
    float in_x = vx, in_y = vy, out = -1;
    REQUIRE(compiled(jit, p)({View(&in_x, {1}), View(&in_y, {1})}, {View(&out, {1})}).ok());
    return out;
  };
  CHECK(result(false) == 0);
  if (Target::host().has("fma")) CHECK(result(true) == 0x1p-24f);
}

TEST_CASE("statistics print on one line") {
  JitStats stats;
  stats.hits = 1;
  stats.misses = 2;
  stats.compiles = 3;
  stats.failures = 4;
  stats.evictions = 5;
  stats.kernels = 6;
  stats.bytes = 7;
  stats.compile_ms = 8.5;
  std::ostringstream text;
  text << stats;
  CHECK(text.str() ==
        "1 hits, 2 misses, 3 compiles in 8.5 ms, 4 failures, 6 kernels of 7 bytes, 5 evictions");
}

TEST_CASE("a refusal points to the user's line, and a call has none") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Program p = program("shift", {x}, {compute("y", {n}, [&](Expr i) { return x(i + 1); })});
  Jit jit;
  const std::string reason =
      "\n  x[i + 1] leaves x: index i + 1 (dimension 0) is not always in [0, n)\n"
      "  legal here: select(inside, x[i + 1], padding)";
  const int line = __LINE__ + 1;
  CHECK(jit.compile(p).status().message() ==
        "Schedule(shift) refused at jit_test.cpp:" + std::to_string(line) + reason);
  float in[4] = {}, out[4] = {};
  CHECK(jit.call(function(p), {View(in, {4})}, {View(out, {4})}).message() ==
        "Schedule(shift) refused" +
            std::string("\n  x[i + 1] leaves x: index i + 1 (dimension 0) is "
                        "not always in [0, 4)\n"
                        "  legal here: select(inside, x[i + 1], padding)"));
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

}  // namespace
}  // namespace tenon
