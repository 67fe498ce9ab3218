// Jit: compile, cache, life times.
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

using test::check_scale;
using test::compiled;
using test::LinearData;
using test::LinearRelu;
using test::Scale;

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
  const CompileOptions twice{
      .strides = {{"x", StrideClass::kGeneral}, {"x", StrideClass::kInnerUnit}}};
  CHECK(jit.compile(scale.program, {}, twice).status().message() ==
        "the options give parameter x of program scale two classes of strides");
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

}  // namespace
}  // namespace tenon
