#include "tenon/runtime/workspace.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "tenon/base/counted.h"
#include "tenon/base/status.h"

namespace tenon {
namespace {

// Processors fetch cache lines in pairs.
constexpr int64_t kLinePair = 128;

int64_t round_up(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

bool is_aligned(const void* memory, int64_t alignment) {
  return reinterpret_cast<uintptr_t>(memory) % static_cast<uintptr_t>(alignment) == 0;
}

}  // namespace

WorkspaceLayout workspace_layout(int64_t shared_bytes, int64_t bytes_per_worker,
                                 int64_t alignment) {
  const int64_t unit = std::max(kLinePair, alignment);
  WorkspaceLayout layout{round_up(shared_bytes, unit), round_up(bytes_per_worker, unit), alignment};
  // An odd number of units visits every unit of a 4 KB page before it repeats an offset.
  if (layout.bytes_per_worker / unit % 2 == 0 && bytes_per_worker > 0) {
    layout.bytes_per_worker += unit;
  }
  return layout;
}

absl::Status check_workspace(const WorkspaceLayout& layout, int max_workers, const void* memory,
                             int64_t bytes) {
  const int64_t needed = layout.total_bytes(max_workers);
  if (bytes < needed) {
    return refuse("workspace: " + std::to_string(needed) + " bytes are needed for " +
                  counted(max_workers, "worker") + ", got " + std::to_string(bytes));
  }
  if (needed > 0 && (memory == nullptr || !is_aligned(memory, layout.alignment))) {
    return refuse("workspace: the address must be a multiple of " +
                  std::to_string(layout.alignment) + (memory == nullptr ? ", got null" : ""));
  }
  return absl::OkStatus();
}

// Stands in front of the memory that it describes.
struct Workspace::Block {
  int64_t bytes;      // usable
  int64_t alignment;  // of the usable memory, and the distance to it from here
  Block* next = nullptr;
  void* memory() { return reinterpret_cast<char*>(this) + alignment; }
  bool fits(int64_t b, int64_t a) const { return bytes >= b && alignment >= a; }
};

Workspace::~Workspace() {
  if (block_ != nullptr) pool_->give(block_);
}

void Workspace::swap(Workspace& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(block_, other.block_);
  std::swap(memory_, other.memory_);
  std::swap(ok_, other.ok_);
}

WorkspacePool::~WorkspacePool() { release_unused(); }

Workspace WorkspacePool::take(const WorkspaceLayout& layout, int max_workers) {
  const int64_t bytes = layout.total_bytes(max_workers);
  if (bytes == 0) return Workspace();
  Block* block = last_.exchange(nullptr, std::memory_order_acquire);
  if (block == nullptr || !block->fits(bytes, layout.alignment)) {
    if (block != nullptr) keep(block);
    block = find(bytes, layout.alignment);
    if (block == nullptr) block = allocate(bytes, layout.alignment);
  }
  Workspace workspace(this, block, block == nullptr ? nullptr : block->memory());
  workspace.ok_ = block != nullptr;
  return workspace;
}

void WorkspacePool::keep(Block* block) {
  const std::lock_guard lock(mutex_);
  block->next = others_;
  others_ = block;
}

// A block from the others that is large enough. When they are all too small, one of them makes way
// for the larger one that the caller will allocate: so their number never grows for size alone.
WorkspacePool::Block* WorkspacePool::find(int64_t bytes, int64_t alignment) {
  Block* too_small = nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (Block** at = &others_; *at != nullptr; at = &(*at)->next) {
      Block* block = *at;
      if (!block->fits(bytes, alignment)) continue;
      *at = block->next;
      return block;
    }
    if (others_ == nullptr) return nullptr;
    too_small = std::exchange(others_, others_->next);
  }
  free(too_small);
  return nullptr;
}

WorkspacePool::Block* WorkspacePool::allocate(int64_t bytes, int64_t alignment) {
  alignment = std::max(kLinePair, alignment);
  const int64_t total = round_up(bytes + alignment, 4096);
  void* memory = allocator_.allocate(static_cast<size_t>(total), static_cast<size_t>(alignment));
  if (memory == nullptr) return nullptr;
  bytes_.fetch_add(total, std::memory_order_relaxed);
  return new (memory) Block{total - alignment, alignment};
}

void WorkspacePool::free(Block* block) {
  const int64_t total = block->bytes + block->alignment;
  bytes_.fetch_sub(total, std::memory_order_relaxed);
  allocator_.release(block, static_cast<size_t>(total), static_cast<size_t>(block->alignment));
}

void WorkspacePool::give(Block* block) {
  Block* previous = last_.exchange(block, std::memory_order_acq_rel);
  if (previous != nullptr) keep(previous);
}

void WorkspacePool::release_unused() {
  if (Block* last = last_.exchange(nullptr, std::memory_order_acquire)) keep(last);
  Block* unused = nullptr;
  {
    const std::lock_guard lock(mutex_);
    unused = std::exchange(others_, nullptr);
  }
  while (unused != nullptr) free(std::exchange(unused, unused->next));
}

}  // namespace tenon
