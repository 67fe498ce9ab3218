// Scratch memory of a kernel call: one part that all workers share, then one slice per worker.
//
//   WorkspaceLayout layout = workspace_layout(shared_bytes, bytes_per_worker);   // once per kernel
//   WorkspacePool pool;                                                          // once per Jit
//   Workspace scratch = pool.take(layout, executor.max_workers());               // once per call
//   if (!scratch.ok()) return absl::ResourceExhaustedError("...");
//
// The size is known before the call, so a kernel never allocates; and a pool keeps the memory of
// finished calls, so that a call does not either.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "absl/status/status.h"
#include "tenon/runtime/allocator.h"

namespace tenon {

// The slice of worker w begins at base + shared_bytes + w * bytes_per_worker.
struct WorkspaceLayout {
  int64_t shared_bytes = 0;
  int64_t bytes_per_worker = 0;
  int64_t alignment = 64;  // of the base; a power of two

  int64_t total_bytes(int max_workers) const {
    return shared_bytes + max_workers * bytes_per_worker;
  }
  friend bool operator==(const WorkspaceLayout&, const WorkspaceLayout&) = default;
};

// A layout with room for these sizes. Both parts are rounded up so that workers do not disturb each
// other: no two slices touch the same pair of cache lines (128 bytes), and neighbours lie at
// different offsets modulo 4 KB, which the processor would take for the same address.
WorkspaceLayout workspace_layout(int64_t shared_bytes, int64_t bytes_per_worker,
                                 int64_t alignment = 64);

class WorkspacePool;

// Memory for one call. Gives it back on destruction.
class Workspace {
 public:
  Workspace() = default;
  Workspace(Workspace&& other) noexcept { swap(other); }
  Workspace& operator=(Workspace&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Workspace();

  bool ok() const { return ok_; }         // false: the allocator had no memory
  void* data() const { return memory_; }  // null for an empty layout

 private:
  friend class WorkspacePool;
  struct Block;
  Workspace(WorkspacePool* pool, Block* block, void* memory)
      : pool_(pool), block_(block), memory_(memory) {}
  void swap(Workspace& other) noexcept;

  WorkspacePool* pool_ = nullptr;
  Block* block_ = nullptr;
  void* memory_ = nullptr;
  bool ok_ = true;
};

// InvalidArgument when memory given for a call is too small or not aligned:
// "workspace: 4096 bytes are needed for 4 workers, got 1024".
absl::Status check_workspace(const WorkspaceLayout& layout, int max_workers, const void* memory,
                             int64_t bytes);

// Keeps the memory of finished calls for the next ones. It never holds more blocks than calls were
// running at once; a block is replaced when a call needs a larger one. Thread-safe; one call after
// another costs two atomic exchanges.
class WorkspacePool {
 public:
  explicit WorkspacePool(Allocator& allocator = default_allocator()) : allocator_(allocator) {}
  ~WorkspacePool();  // every Workspace has been given back
  WorkspacePool(const WorkspacePool&) = delete;
  WorkspacePool& operator=(const WorkspacePool&) = delete;

  Workspace take(const WorkspaceLayout& layout, int max_workers);
  // Gives back to the allocator what no call is using.
  void release_unused();
  // Bytes taken from the allocator and not given back, in use or not.
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  friend class Workspace;
  using Block = Workspace::Block;
  void keep(Block* block);
  Block* find(int64_t bytes, int64_t alignment);
  Block* allocate(int64_t bytes, int64_t alignment);
  void free(Block* block);
  void give(Block* block);

  Allocator& allocator_;
  std::atomic<Block*> last_{nullptr};  // the block of the latest call: warm, and without a lock
  std::mutex mutex_;
  Block* others_ = nullptr;  // a list, guarded by mutex_
  std::atomic<int64_t> bytes_{0};
};

}  // namespace tenon
