#include "jit/kernel_cache.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <new>
#include <random>
#include <thread>

#include "support/check.h"

namespace tenon {
namespace {

// Code that was never made, so that thousands of "kernels" cost nothing.
class FakeCode final : public Code {
 public:
  explicit FakeCode(size_t bytes, std::function<void()> on_destroy = nullptr)
      : bytes_(bytes), on_destroy_(std::move(on_destroy)) {}
  ~FakeCode() override {
    if (on_destroy_) on_destroy_();
  }
  tenon_kernel entry() const override { return nullptr; }
  size_t bytes() const override { return bytes_; }
  const std::vector<std::string>& checks() const override { return none_; }
  const CodeTimes& times() const override { return times_; }
  const std::string& llvm_ir() const override { return text_; }
  const std::string& assembly() const override { return text_; }
  const std::vector<std::string>& surviving_allocas() const override { return none_; }

 private:
  size_t bytes_;
  std::function<void()> on_destroy_;
  std::vector<std::string> none_;
  std::string text_;
  CodeTimes times_;
};

KernelPtr make_kernel(size_t bytes = 100, std::function<void()> on_destroy = nullptr) {
  auto kernel = std::make_shared<KernelImpl>();
  kernel->code = std::make_unique<FakeCode>(bytes, std::move(on_destroy));
  return kernel;
}

const size_t kCost = make_kernel()->cost();

Program program_number(int number) {
  return test::parsed("program p\n  output y: i64[1]\n{\n  y[0] = " + std::to_string(number) +
                      "\n}\n");
}

KernelKey key_number(int number) { return make_key(program_number(number), {}, false); }

auto gives(KernelPtr kernel) {
  return [=]() -> absl::StatusOr<KernelPtr> { return kernel; };
}

absl::StatusOr<KernelPtr> must_not_compile() {
  FAIL("it is in the cache");
  return absl::InternalError("");
}

bool holds(KernelCache& cache, int number) {
  bool compiled = false;
  const auto result = cache.get(key_number(number), [&]() -> absl::StatusOr<KernelPtr> {
    compiled = true;
    return absl::NotFoundError("");
  });
  return !compiled;
}

TEST_CASE("a kernel is compiled on a miss and found on a hit") {
  KernelCache cache(1 << 20);
  const KernelPtr kernel = make_kernel();
  REQUIRE(*cache.get(key_number(1), gives(kernel)) == kernel);
  REQUIRE(*cache.get(key_number(1), must_not_compile) == kernel);
  const JitStats stats = cache.stats();
  CHECK(stats.misses == 1);
  CHECK(stats.hits == 1);
  CHECK(stats.compiles == 1);
  CHECK(stats.failures == 0);
  CHECK(stats.kernels == 1);
  CHECK(stats.bytes == static_cast<int64_t>(kCost));
}

TEST_CASE("a failure is not kept") {
  KernelCache cache(1 << 20);
  int attempts = 0;
  const auto fails_once = [&]() -> absl::StatusOr<KernelPtr> {
    if (++attempts == 1) return absl::InternalError("first");
    return make_kernel();
  };
  CHECK(cache.get(key_number(1), fails_once).status().message() == "first");
  CHECK(cache.stats().kernels == 0);
  CHECK(cache.get(key_number(1), fails_once).ok());
  CHECK(attempts == 2);
  CHECK(cache.stats().failures == 1);
  CHECK(cache.stats().compiles == 1);
}

TEST_CASE("keys with the same hash are compared in full") {
  KernelCache cache(1 << 20);
  std::vector<KernelKey> keys = {make_key(program_number(1), {}, false),
                                 make_key(program_number(2), {}, false),
                                 make_key(program_number(1), {StrideClass::kGeneral}, false),
                                 make_key(program_number(1), {StrideClass::kDense}, false),
                                 make_key(program_number(1), {}, true)};
  std::vector<KernelPtr> kernels;
  for (KernelKey& key : keys) {
    key.hash = 42;
    kernels.push_back(make_kernel());
    CHECK(*cache.get(key, gives(kernels.back())) == kernels.back());
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    CHECK(*cache.get(keys[i], must_not_compile) == kernels[i]);
  }
  CHECK(cache.stats().kernels == static_cast<int64_t>(keys.size()));
}

TEST_CASE("kernels of one hash leave one by one") {
  KernelCache cache(2 * kCost);
  std::vector<KernelKey> keys;
  for (int i = 0; i < 4; ++i) {
    keys.push_back(key_number(i));
    keys.back().hash = 42;
    REQUIRE(cache.get(keys.back(), gives(make_kernel())).ok());
  }
  CHECK(cache.stats().evictions == 2);
  CHECK(cache.get(keys[2], must_not_compile).ok());
  CHECK(cache.get(keys[3], must_not_compile).ok());
}

TEST_CASE("equal programs with loops of their own share a key") {
  const std::string text =
      "program p\n  input x: f32[4]\n  output y: f32[4]\n{\n  for i in 0..4 { y[i] = x[i] }\n}\n";
  const KernelKey a = make_key(test::parsed(text), {}, false);
  const KernelKey b = make_key(test::parsed(text), {}, false);
  CHECK(a == b);
  CHECK(a.hash == b.hash);
}

TEST_CASE("the least recently used kernel leaves first") {
  KernelCache cache(3 * kCost);
  for (int i = 0; i < 3; ++i) REQUIRE(cache.get(key_number(i), gives(make_kernel())).ok());
  REQUIRE(cache.get(key_number(0), must_not_compile).ok());
  REQUIRE(cache.get(key_number(3), gives(make_kernel())).ok());
  CHECK(holds(cache, 0));
  CHECK_FALSE(holds(cache, 1));
  CHECK(holds(cache, 2));
  CHECK(holds(cache, 3));
  CHECK(cache.stats().evictions == 1);
}

TEST_CASE("the bytes stay below the bound, whatever the sizes") {
  constexpr size_t kBound = 200'000;
  KernelCache cache(kBound);
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    REQUIRE(cache.get(key_number(i), gives(make_kernel(random() % 60'000))).ok());
    CHECK(cache.stats().bytes <= static_cast<int64_t>(kBound));
    CHECK(holds(cache, i));
  }
  const JitStats stats = cache.stats();
  CHECK(stats.kernels + stats.evictions == 300);
  CHECK(stats.kernels > 1);
}

TEST_CASE("a kernel larger than the bound is not kept and drives nobody out") {
  KernelCache cache(3 * kCost);
  REQUIRE(cache.get(key_number(0), gives(make_kernel())).ok());
  const KernelPtr giant = make_kernel(10 * kCost);
  CHECK(*cache.get(key_number(1), gives(giant)) == giant);
  CHECK(holds(cache, 0));
  CHECK_FALSE(holds(cache, 1));
  CHECK(cache.stats().evictions == 0);
  CHECK(giant.use_count() == 1);
}

TEST_CASE("a bound of zero keeps nothing") {
  KernelCache cache(0);
  CHECK(cache.get(key_number(0), gives(make_kernel())).ok());
  CHECK_FALSE(holds(cache, 0));
  CHECK(cache.stats().bytes == 0);
}

TEST_CASE("a kernel that left the cache lives on with its holder") {
  KernelCache cache(kCost);
  std::weak_ptr<const KernelImpl> first, second;
  KernelPtr held;
  {
    held = *cache.get(key_number(0), gives(make_kernel()));
    first = held;
    second = *cache.get(key_number(1), gives(make_kernel()));
  }
  CHECK(cache.stats().kernels == 1);
  CHECK_FALSE(first.expired());
  held.reset();
  CHECK(first.expired());
  CHECK_FALSE(second.expired());
  cache.clear();
  CHECK(second.expired());
  CHECK(cache.stats().kernels == 0);
  CHECK(cache.stats().bytes == 0);
}

TEST_CASE("kernels are destroyed without the lock") {
  KernelCache cache(kCost);
  int destroyed = 0;
  // Would wait forever if the cache still held its mutex.
  const auto ask = [&] {
    cache.stats();
    ++destroyed;
  };
  for (int i = 0; i < 3; ++i) {
    REQUIRE(cache.get(key_number(i), gives(make_kernel(100, ask))).ok());
  }
  CHECK(destroyed == 2);
  cache.clear();
  CHECK(destroyed == 3);
}

// Runs `compile` for one key from 8 threads, all of which have asked before it ends.
std::vector<absl::StatusOr<KernelPtr>> ask_together(
    KernelCache& cache, const std::function<absl::StatusOr<KernelPtr>()>& compile) {
  constexpr int kThreads = 8;
  std::vector<absl::StatusOr<KernelPtr>> results(kThreads, absl::UnknownError("not run"));
  const KernelKey key = key_number(1);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      results[static_cast<size_t>(t)] = cache.get(key, [&]() -> absl::StatusOr<KernelPtr> {
        // The others count as hits once they wait.
        while (cache.stats().hits < kThreads - 1) std::this_thread::yield();
        return compile();
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

TEST_CASE("one compile per key however many threads ask") {
  KernelCache cache(1 << 20);
  std::atomic<int> compiles{0};
  const auto results = ask_together(cache, [&]() -> absl::StatusOr<KernelPtr> {
    ++compiles;
    return make_kernel();
  });
  CHECK(compiles == 1);
  for (const auto& result : results) {
    REQUIRE(result.ok());
    CHECK(*result == *results[0]);
  }
  CHECK(cache.stats().misses == 1);
  CHECK(cache.stats().hits == 7);
}

TEST_CASE("a failure reaches everybody who waited, and the next one tries again") {
  KernelCache cache(1 << 20);
  const auto results = ask_together(cache, [] { return absl::InternalError("broken"); });
  for (const auto& result : results) CHECK(result.status().message() == "broken");
  CHECK(cache.stats().failures == 1);
  CHECK(cache.get(key_number(1), gives(make_kernel())).ok());
}

TEST_CASE("an exception while compiling reaches everybody as a status") {
  KernelCache cache(1 << 20);
  const auto results =
      ask_together(cache, []() -> absl::StatusOr<KernelPtr> { throw std::bad_alloc(); });
  for (const auto& result : results) {
    CHECK(result.status().code() == absl::StatusCode::kResourceExhausted);
    CHECK(result.status().message() == "compiling a kernel: std::bad_alloc");
  }
  CHECK(cache.get(key_number(1), gives(make_kernel())).ok());
}

TEST_CASE("other keys do not wait for a compile") {
  KernelCache cache(1 << 20);
  const auto slow = [&]() -> absl::StatusOr<KernelPtr> {
    CHECK(cache.get(key_number(2), gives(make_kernel())).ok());
    return make_kernel();
  };
  CHECK(cache.get(key_number(1), slow).ok());
  CHECK(cache.stats().kernels == 2);
}

TEST_CASE("a compile that ends after clear() is kept") {
  KernelCache cache(1 << 20);
  CHECK(cache
            .get(key_number(1),
                 [&]() -> absl::StatusOr<KernelPtr> {
                   cache.clear();
                   return make_kernel();
                 })
            .ok());
  CHECK(holds(cache, 1));
}

// --- Calls.

using Values = std::vector<int64_t>;

TEST_CASE("a call is found by function and values") {
  KernelCache cache(1 << 20);
  const KernelPtr kernel = *cache.get(key_number(1), gives(make_kernel()));
  const Values values = {128, 768, 0, 0};
  CHECK(cache.find_call({7, values}) == nullptr);
  cache.remember_call({7, values}, kernel);
  CHECK(cache.find_call({7, values}) == kernel);
  CHECK(cache.find_call({8, values}) == nullptr);
  CHECK(cache.find_call({7, Values{128, 768, 0, 1}}) == nullptr);
  CHECK(cache.find_call({7, Values{128, 768, 0}}) == nullptr);
  CHECK(cache.find_call({7, Values{}}) == nullptr);
  CHECK(cache.stats().hits == 1);
}

TEST_CASE("remembering a call twice changes nothing") {
  KernelCache cache(1 << 20);
  const KernelPtr kernel = *cache.get(key_number(1), gives(make_kernel()));
  for (int i = 0; i < 20; ++i) cache.remember_call({7, Values{1}}, kernel);
  cache.remember_call({8, Values{1}}, kernel);
  CHECK(cache.find_call({7, Values{1}}) == kernel);
  CHECK(cache.find_call({8, Values{1}}) == kernel);
}

TEST_CASE("a call counts as a use of its kernel") {
  KernelCache cache(2 * kCost);
  const KernelPtr first = *cache.get(key_number(1), gives(make_kernel()));
  cache.remember_call({7, Values{1}}, first);
  REQUIRE(cache.get(key_number(2), gives(make_kernel())).ok());
  CHECK(cache.find_call({7, Values{1}}) == first);
  REQUIRE(cache.get(key_number(3), gives(make_kernel())).ok());
  CHECK(holds(cache, 1));
  CHECK_FALSE(holds(cache, 2));
}

TEST_CASE("calls are forgotten with their kernel") {
  KernelCache cache(kCost);
  const KernelPtr first = *cache.get(key_number(1), gives(make_kernel()));
  cache.remember_call({7, Values{1}}, first);
  cache.remember_call({7, Values{2}}, first);
  REQUIRE(cache.get(key_number(2), gives(make_kernel())).ok());
  CHECK(cache.find_call({7, Values{1}}) == nullptr);
  CHECK(cache.find_call({7, Values{2}}) == nullptr);
  // The kernel is gone from the cache: nothing to remember.
  cache.remember_call({7, Values{1}}, first);
  CHECK(cache.find_call({7, Values{1}}) == nullptr);
  const KernelPtr second = *cache.get(key_number(2), must_not_compile);
  cache.remember_call({7, Values{3}}, second);
  cache.clear();
  CHECK(cache.find_call({7, Values{3}}) == nullptr);
}

TEST_CASE("functions that come and go do not pile up") {
  KernelCache cache(1 << 20);
  const KernelPtr kernel = *cache.get(key_number(1), gives(make_kernel()));
  for (uint64_t function = 1; function <= 1000; ++function) {
    cache.remember_call({function, Values{1}}, kernel);
  }
  int found = 0;
  for (uint64_t function = 1; function <= 1000; ++function) {
    found += cache.find_call({function, Values{1}}) != nullptr;
  }
  CHECK(found == 8);
  CHECK(cache.find_call({1000, Values{1}}) == kernel);
}

TEST_CASE("threads may do everything at once") {
  KernelCache cache(5 * kCost);
  std::atomic<int> wrong{0};
  std::vector<Program> programs;
  for (int i = 0; i < 12; ++i) programs.push_back(program_number(i));
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 2000; ++i) {
        const uint64_t number = random() % 12;
        const Values values = {static_cast<int64_t>(number)};
        if (const KernelPtr kernel = cache.find_call({1, values})) {
          wrong += kernel->code->bytes() != number;
          continue;
        }
        const KernelKey key = make_key(programs[number], {}, false);
        const auto result = cache.get(key, [&]() -> absl::StatusOr<KernelPtr> {
          if (random() % 8 == 0) return absl::InternalError("sometimes");
          return make_kernel(number);
        });
        if (!result.ok()) continue;
        wrong += (*result)->code->bytes() != number;
        cache.remember_call({1, values}, *result);
        if (random() % 100 == 0) cache.clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(cache.stats().bytes <= static_cast<int64_t>(5 * kCost));
}

}  // namespace
}  // namespace tenon
