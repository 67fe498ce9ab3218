// Who runs parallel loops. The host passes its own thread pool by implementing Executor; a small
// default pool stands ready for hosts that have none.
//
//   tenon::ThreadPool pool(4);
//   tenon::JitOptions options;
//   options.executor = &pool;
#pragma once

#include <cstdint>
#include <memory>

#include "tenon/runtime/abi.h"

namespace tenon {

class Executor {
 public:
  virtual ~Executor() = default;
  // Upper bound on worker numbers; constant for the life of the executor.
  virtual int max_workers() const = 0;
  // Calls task(context, begin, end, worker) for disjoint chunks that cover [0, count), chunks of at
  // least `grain` iterations where possible. Contract: 0 <= worker < max_workers(), at most one
  // task of this call at a time per worker number, all chunks finished on return (with their
  // writes visible). Calls may come from several threads at once, and from inside a task: that
  // one must run all its chunks under the worker number of the task.
  virtual void parallel_for(int64_t count, int64_t grain, tenon_task task, void* context) = 0;
};

// Runs everything on the calling thread as worker 0.
class SerialExecutor final : public Executor {
 public:
  int max_workers() const override { return 1; }
  void parallel_for(int64_t count, int64_t grain, tenon_task task, void* context) override;
};

// A fixed set of threads; the calling thread works too, as worker 0. Calls from several threads
// take turns; a call from inside a task runs serially on that worker. Idle threads wait for a few
// microseconds awake, so that loops that follow one another start fast, then they sleep.
//
// Two pools must not wait for each other: a task on a thread of one pool may use another pool, but
// that one's tasks may not use the first again.
class ThreadPool final : public Executor {
 public:
  // `threads` in all, the caller included; at least 1. Fewer where the system gives no more.
  explicit ThreadPool(int threads);
  ~ThreadPool() override;  // no call is running
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  int max_workers() const override;
  void parallel_for(int64_t count, int64_t grain, tenon_task task, void* context) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The C form of an Executor, for the tenon_call record. Refers to the executor; does not own it.
tenon_executor executor_table(Executor& executor);

}  // namespace tenon
