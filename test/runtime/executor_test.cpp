#include "tenon/runtime/executor.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tenon {
namespace {

// One loop with everything that the contract promises checked: each iteration once, worker numbers
// in range, one task at a time per worker number.
class Probe {
 public:
  Probe(Executor& executor, int64_t count, int64_t grain)
      : workers_(executor.max_workers()),
        busy_(std::make_unique<std::atomic<int>[]>(static_cast<size_t>(workers_))),
        count_(count),
        seen_(static_cast<size_t>(std::max<int64_t>(count, 0)), 0) {
    executor.parallel_for(count, grain, run, this);
  }
  // Read after the loop: the writes of all chunks must be visible without further ado.
  bool each_once() const {
    for (int n : seen_) {
      if (n != 1) return false;
    }
    return true;
  }
  bool broken() const { return broken_; }
  int64_t chunks() const { return chunks_; }
  int64_t smallest() const { return smallest_; }

 private:
  static void run(void* self, int64_t begin, int64_t end, int32_t worker) {
    static_cast<Probe*>(self)->chunk(begin, end, worker);
  }
  void chunk(int64_t begin, int64_t end, int32_t worker) {
    if (worker < 0 || worker >= workers_ || begin < 0 || begin >= end || end > count_) {
      broken_ = true;
      return;
    }
    if (busy_[static_cast<size_t>(worker)].fetch_add(1) != 0) broken_ = true;
    for (int64_t i = begin; i < end; ++i) ++seen_[static_cast<size_t>(i)];
    ++chunks_;
    int64_t smallest = smallest_;
    while (end - begin < smallest && !smallest_.compare_exchange_weak(smallest, end - begin)) {
    }
    busy_[static_cast<size_t>(worker)].fetch_sub(1);
  }

  int workers_;
  std::unique_ptr<std::atomic<int>[]> busy_;
  int64_t count_;
  std::vector<int> seen_;
  std::atomic<bool> broken_{false};
  std::atomic<int64_t> chunks_{0}, smallest_{std::numeric_limits<int64_t>::max()};
};

void check_contract(Executor& executor, int64_t count, int64_t grain) {
  const Probe probe(executor, count, grain);
  INFO(count << " by " << grain << " on " << executor.max_workers());
  REQUIRE_FALSE(probe.broken());
  REQUIRE(probe.each_once());
  if (count >= grain && grain > 0) REQUIRE(probe.smallest() >= grain);
  if (count <= 0) REQUIRE(probe.chunks() == 0);
}

constexpr int kThreadCounts[] = {1, 2, 4, 8};

}  // namespace

TEST_CASE("a serial executor runs one chunk on the calling thread") {
  SerialExecutor executor;
  CHECK(executor.max_workers() == 1);
  for (int64_t count : {0, 1, 7, 1000}) check_contract(executor, count, 1);
  CHECK(Probe(executor, 1000, 1).chunks() == 1);
}

TEST_CASE("a thread pool keeps its contract for every count and grain") {
  for (int threads : kThreadCounts) {
    ThreadPool pool(threads);
    CHECK(pool.max_workers() == threads);
    for (int64_t count : {-1, 0, 1, 2, 3, 7, 31, 100, 1001, 65537}) {
      for (int64_t grain : {-1, 0, 1, 2, 5, 100, 1 << 20}) check_contract(pool, count, grain);
    }
  }
}

TEST_CASE("a pool of no threads is one of one thread") {
  for (int threads : {0, -5}) {
    ThreadPool pool(threads);
    CHECK(pool.max_workers() == 1);
    check_contract(pool, 10, 1);
  }
}

TEST_CASE("a huge loop is cut without overflow") {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  ThreadPool pool(4);
  std::atomic<uint64_t> total{0};
  pool.parallel_for(
      kHuge, 1,
      [](void* context, int64_t begin, int64_t end, int32_t) {
        static_cast<std::atomic<uint64_t>*>(context)->fetch_add(static_cast<uint64_t>(end - begin));
      },
      &total);
  CHECK(total == static_cast<uint64_t>(kHuge));
}

TEST_CASE("loops that follow one another do not mix") {
  for (int threads : kThreadCounts) {
    ThreadPool pool(threads);
    for (int i = 0; i < 2000; ++i) check_contract(pool, 1 + i % 40, 1 + i % 3);
  }
}

TEST_CASE("threads that have gone to sleep are woken") {
  ThreadPool pool(4);
  for (int i = 0; i < 20; ++i) {
    check_contract(pool, 64, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST_CASE("a slow chunk is waited for") {
  ThreadPool pool(2);
  for (int i = 0; i < 5; ++i) {
    int done = 0;  // not atomic: the return of parallel_for makes it visible
    std::pair<std::thread::id, int*> context{std::this_thread::get_id(), &done};
    pool.parallel_for(
        2, 1,
        [](void* self, int64_t begin, int64_t end, int32_t) {
          auto* c = static_cast<std::pair<std::thread::id, int*>*>(self);
          const bool mine = std::this_thread::get_id() == c->first;
          if (!mine) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          if (begin == 0) *c->second = static_cast<int>(end);
        },
        &context);
    CHECK(done > 0);
  }
}

TEST_CASE("the calling thread is worker 0 and every worker has one thread") {
  ThreadPool pool(4);
  struct Context {
    std::mutex mutex;
    std::vector<std::vector<std::thread::id>> threads =
        std::vector<std::vector<std::thread::id>>(4);
  } context;
  for (int i = 0; i < 100; ++i) {
    pool.parallel_for(
        64, 1,
        [](void* self, int64_t, int64_t, int32_t worker) {
          auto* c = static_cast<Context*>(self);
          const std::lock_guard lock(c->mutex);
          c->threads[static_cast<size_t>(worker)].push_back(std::this_thread::get_id());
        },
        &context);
  }
  for (const auto& ids : context.threads) {
    for (const std::thread::id& id : ids) REQUIRE(id == ids.front());
  }
  for (const std::thread::id& id : context.threads[0]) REQUIRE(id == std::this_thread::get_id());
}

namespace {

struct Nested {
  ThreadPool* pool;
  std::atomic<int64_t> inner{0};
  std::atomic<bool> broken{false};
};

// Runs a loop inside a chunk and expects one chunk under the same worker number.
void outer_task(void* self, int64_t begin, int64_t end, int32_t worker) {
  struct Inner {
    Nested* nested;
    int32_t worker;
    std::thread::id thread;
  } inner{static_cast<Nested*>(self), worker, std::this_thread::get_id()};
  for (int64_t i = begin; i < end; ++i) {
    inner.nested->pool->parallel_for(
        100, 1,
        [](void* context, int64_t b, int64_t e, int32_t w) {
          auto* in = static_cast<Inner*>(context);
          if (w != in->worker || std::this_thread::get_id() != in->thread) {
            in->nested->broken = true;
          }
          in->nested->inner += e - b;
        },
        &inner);
  }
}

}  // namespace

TEST_CASE("a call from inside a task runs serially on that worker") {
  for (int threads : kThreadCounts) {
    ThreadPool pool(threads);
    for (int64_t count : {1, 2, 50}) {
      Nested nested{&pool, {}, {}};
      pool.parallel_for(count, 1, outer_task, &nested);
      CHECK_FALSE(nested.broken);
      CHECK(nested.inner == 100 * count);
    }
  }
}

TEST_CASE("a task may use another pool, and that one's tasks on the same thread the first") {
  ThreadPool first(2), second(1);
  struct Context {
    ThreadPool *first, *second;
    std::atomic<int64_t> inner;
  } context{&first, &second, {0}};
  first.parallel_for(
      8, 1,
      [](void* self, int64_t begin, int64_t end, int32_t) {
        auto* c = static_cast<Context*>(self);
        c->second->parallel_for(
            end - begin, 1,
            [](void* inner_self, int64_t b, int64_t e, int32_t) {
              auto* inner = static_cast<Context*>(inner_self);
              inner->first->parallel_for(
                  e - b, 1,
                  [](void* last, int64_t lo, int64_t hi, int32_t) {
                    static_cast<Context*>(last)->inner += hi - lo;
                  },
                  inner);
            },
            c);
      },
      &context);
  CHECK(context.inner == 8);
}

TEST_CASE("callers on several threads take turns") {
  for (int threads : kThreadCounts) {
    ThreadPool pool(threads);
    std::atomic<int> bad{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 4; ++c) {
      callers.emplace_back([&, c] {
        for (int i = 0; i < 300; ++i) {
          const Probe probe(pool, 1 + (i * 7 + c) % 97, 1 + i % 2);
          if (probe.broken() || !probe.each_once()) ++bad;
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(bad == 0);
  }
}

TEST_CASE("pools come and go") {
  for (int i = 0; i < 100; ++i) {
    ThreadPool pool(1 + i % 8);
    if (i % 3 != 0) check_contract(pool, i, 1);
  }
}

TEST_CASE("the C form of an executor calls it") {
  ThreadPool pool(2);
  const tenon_executor table = executor_table(pool);
  CHECK(table.self == &pool);
  std::atomic<int64_t> total{0};
  table.parallel_for(
      table.self, 1000, 10,
      [](void* context, int64_t begin, int64_t end, int32_t) {
        *static_cast<std::atomic<int64_t>*>(context) += end - begin;
      },
      &total);
  CHECK(total == 1000);
}

}  // namespace tenon
