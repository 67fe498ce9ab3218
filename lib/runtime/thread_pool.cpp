#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "tenon/runtime/executor.h"

namespace tenon {
namespace {

// Chunks per worker: enough that a slow worker does not keep the others waiting for long, few
// enough that taking them costs nothing.
constexpr int64_t kChunksPerWorker = 4;

// About 20 microseconds, the price of going to sleep and being woken.
constexpr int kSpins = 1000;

// The processor is told that this is a waiting loop.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// The tasks that this thread is inside of, innermost first: a call from inside a task must find the
// worker number under which that task runs.
struct Frame {
  const void* pool;
  int worker;
  Frame* outer;
};
thread_local Frame* innermost_frame = nullptr;

class InsideTask {
 public:
  InsideTask(const void* pool, int worker) : frame_{pool, worker, innermost_frame} {
    innermost_frame = &frame_;
  }
  ~InsideTask() { innermost_frame = frame_.outer; }
  InsideTask(const InsideTask&) = delete;
  InsideTask& operator=(const InsideTask&) = delete;

 private:
  Frame frame_;
};

// -1 when this thread is not inside a task of the pool.
int worker_of_this_thread(const void* pool) {
  for (const Frame* f = innermost_frame; f != nullptr; f = f->outer) {
    if (f->pool == pool) return f->worker;
  }
  return -1;
}

// A parallel loop cut into chunks whose sizes differ by at most one.
struct Job {
  tenon_task task = nullptr;
  void* context = nullptr;
  int64_t count = 0;
  int64_t chunks = 0;

  int64_t begin_of(int64_t chunk) const {
    return chunk * (count / chunks) + std::min(chunk, count % chunks);
  }
};

// The gate is one word, so that joining a loop and closing it cannot miss each other:
// [generation: 32 bits][open: 1 bit][workers inside: 31 bits].
constexpr uint64_t kOpen = uint64_t{1} << 31;
constexpr uint64_t kInsideMask = kOpen - 1;
constexpr uint64_t generation_of(uint64_t gate) { return gate >> 32; }

}  // namespace

// A loop runs in five steps. The caller (1) writes the job, (2) opens the gate under a new
// generation, (3) takes chunks like everybody else, (4) closes the gate, (5) waits until nobody is
// inside. A worker that comes while the gate is open joins; one that comes too late is not waited
// for. The job is written only while the gate is closed and nobody is inside.
struct ThreadPool::State {
  alignas(64) std::atomic<uint64_t> gate{0};
  alignas(64) std::atomic<int64_t> next_chunk{0};
  alignas(64) Job job;
  int spins = kSpins;
  std::mutex turn;  // held by the caller whose loop runs

  // A thread that is about to sleep says so first and then looks once more; a thread that has news
  // writes it first and then looks for sleepers. All of that is sequentially consistent, so at
  // least one of the two sees the other.
  std::mutex sleep;
  std::condition_variable wake_workers;
  std::condition_variable wake_caller;
  std::atomic<int> sleeping_workers{0};
  std::atomic<bool> caller_sleeps{false};
  std::atomic<bool> stop{false};

  std::vector<std::thread> threads;

  int workers() const { return static_cast<int>(threads.size()) + 1; }

  void run_chunks(int worker) {
    const InsideTask inside(this, worker);
    for (;;) {
      const int64_t chunk = next_chunk.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= job.chunks) return;
      job.task(job.context, job.begin_of(chunk), job.begin_of(chunk + 1), worker);
    }
  }

  // --- Workers.

  bool has_news(uint64_t seen_generation) const {
    const uint64_t now = gate.load();
    return stop.load() || ((now & kOpen) != 0 && generation_of(now) != seen_generation);
  }

  void wait_for_news(uint64_t seen_generation) {
    for (int i = 0; i < spins; ++i) {
      if (has_news(seen_generation)) return;
      pause();
    }
    std::unique_lock lock(sleep);
    sleeping_workers.fetch_add(1);
    wake_workers.wait(lock, [&] { return has_news(seen_generation); });
    sleeping_workers.fetch_sub(1);
  }

  // Joins the loop that is running; false when it has closed in the meantime.
  bool join(uint64_t& seen_generation) {
    uint64_t now = gate.load(std::memory_order_relaxed);
    while ((now & kOpen) != 0) {
      if (gate.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) {
        seen_generation = generation_of(now);
        return true;
      }
    }
    return false;
  }

  void leave() {
    const uint64_t before = gate.fetch_sub(1);
    const bool was_last = (before & (kOpen | kInsideMask)) == 1;
    if (!was_last || !caller_sleeps.load()) return;
    { const std::lock_guard lock(sleep); }
    wake_caller.notify_one();
  }

  void work(int worker) noexcept {
    uint64_t seen_generation = 0;
    for (;;) {
      wait_for_news(seen_generation);
      if (stop.load()) return;
      if (!join(seen_generation)) continue;
      run_chunks(worker);
      leave();
    }
  }

  // --- Callers.

  void open_gate() {
    // Generation 0 is what a new worker has seen.
    const uint64_t next = (generation_of(gate.load()) + 1) & 0xffffffffu;
    gate.store((next == 0 ? 1 : next) << 32 | kOpen);
    const int sleepers = sleeping_workers.load();
    if (sleepers == 0) return;
    { const std::lock_guard lock(sleep); }
    if (job.chunks > sleepers) {
      wake_workers.notify_all();
    } else {
      for (int64_t i = 1; i < job.chunks; ++i) wake_workers.notify_one();
    }
  }

  bool is_empty() const { return (gate.load() & kInsideMask) == 0; }

  void close_gate() {
    gate.fetch_and(~kOpen);
    for (int i = 0; i < spins; ++i) {
      if (is_empty()) return;
      pause();
    }
    std::unique_lock lock(sleep);
    caller_sleeps.store(true);
    wake_caller.wait(lock, [&] { return is_empty(); });
    caller_sleeps.store(false);
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  threads = std::max(threads, 1);
  // With more threads than processors, who waits awake keeps somebody from working.
  if (static_cast<unsigned>(threads) > std::thread::hardware_concurrency()) state_->spins = 0;
  const size_t extra = static_cast<size_t>(threads - 1);
  state_->threads.reserve(extra);
  try {
    while (state_->threads.size() < extra) {
      const int worker = state_->workers();
      state_->threads.emplace_back([state = state_.get(), worker] { state->work(worker); });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads; those that run are a smaller pool.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->sleep);
    state_->stop.store(true);
  }
  state_->wake_workers.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

int ThreadPool::max_workers() const { return state_->workers(); }

void ThreadPool::parallel_for(int64_t count, int64_t grain, tenon_task task, void* context) {
  if (count <= 0) return;
  State& s = *state_;
  if (const int worker = worker_of_this_thread(&s); worker >= 0) {
    task(context, 0, count, worker);
    return;
  }
  const int64_t wanted = count / std::max<int64_t>(grain, 1);
  const int64_t chunks = std::min(wanted, kChunksPerWorker * s.workers());
  if (chunks <= 1 || s.workers() == 1) {
    const InsideTask inside(&s, 0);
    task(context, 0, count, 0);
    return;
  }
  const std::lock_guard lock(s.turn);
  s.job = {task, context, count, chunks};
  s.next_chunk.store(0, std::memory_order_relaxed);
  s.open_gate();
  s.run_chunks(0);
  s.close_gate();
}

}  // namespace tenon
