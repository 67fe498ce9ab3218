#include "tenon/runtime/workspace.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace tenon {
namespace {

bool is_aligned(const void* p, int64_t alignment) {
  return reinterpret_cast<uintptr_t>(p) % static_cast<uintptr_t>(alignment) == 0;
}

class CountingAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes, size_t alignment) override {
    if (fail) return nullptr;
    ++allocations;
    live += static_cast<int64_t>(bytes);
    return default_allocator().allocate(bytes, alignment);
  }
  void release(void* memory, size_t bytes, size_t alignment) override {
    ++releases;
    live -= static_cast<int64_t>(bytes);
    default_allocator().release(memory, bytes, alignment);
  }
  bool fail = false;
  std::atomic<int> allocations{0}, releases{0};
  std::atomic<int64_t> live{0};
};

}  // namespace

TEST_CASE("a layout has room for what is asked") {
  for (int64_t shared : {0, 1, 127, 128, 4096, 100000}) {
    for (int64_t slice : {0, 1, 64, 127, 128, 129, 4096, 8192, 65536, 100001}) {
      const WorkspaceLayout layout = workspace_layout(shared, slice);
      INFO(shared << " " << slice);
      CHECK(layout.shared_bytes >= shared);
      CHECK(layout.bytes_per_worker >= slice);
      CHECK(layout.bytes_per_worker <= slice + 256);
      CHECK((slice > 0) == (layout.bytes_per_worker > 0));
      CHECK(layout.total_bytes(3) == layout.shared_bytes + 3 * layout.bytes_per_worker);
    }
  }
  CHECK(workspace_layout(0, 0) == WorkspaceLayout{});
}

TEST_CASE("slices lie on line pairs of their own and at different offsets in a page") {
  for (int64_t slice = 1; slice < 20000; slice += 61) {
    const WorkspaceLayout layout = workspace_layout(300, slice);
    std::set<int64_t> offsets;
    for (int worker = 0; worker < 32; ++worker) {
      const int64_t start = layout.shared_bytes + worker * layout.bytes_per_worker;
      REQUIRE(start % 128 == 0);
      offsets.insert(start % 4096);
    }
    REQUIRE(offsets.size() == 32);
  }
}

TEST_CASE("a large alignment holds for every slice") {
  const WorkspaceLayout layout = workspace_layout(1000, 1000, 1024);
  CHECK(layout.alignment == 1024);
  CHECK(layout.shared_bytes % 1024 == 0);
  CHECK(layout.bytes_per_worker % 1024 == 0);
  WorkspacePool pool;
  const Workspace w = pool.take(layout, 2);
  CHECK(is_aligned(w.data(), 1024));
}

TEST_CASE("calls one after another share their memory") {
  CountingAllocator allocator;
  {
    WorkspacePool pool(allocator);
    const WorkspaceLayout layout = workspace_layout(1000, 500);
    void* first = nullptr;
    for (int call = 0; call < 10; ++call) {
      const Workspace w = pool.take(layout, 4);
      REQUIRE(w.ok());
      REQUIRE(is_aligned(w.data(), 128));
      std::memset(w.data(), call, static_cast<size_t>(layout.total_bytes(4)));
      if (call == 0) first = w.data();
      CHECK(w.data() == first);
    }
    CHECK(allocator.allocations == 1);
    CHECK(pool.bytes() == allocator.live);
  }
  CHECK(allocator.live == 0);
}

TEST_CASE("an empty layout needs no memory") {
  CountingAllocator allocator;
  WorkspacePool pool(allocator);
  const Workspace w = pool.take(WorkspaceLayout{}, 8);
  CHECK(w.ok());
  CHECK(w.data() == nullptr);
  CHECK(allocator.allocations == 0);
}

TEST_CASE("a pool holds no more blocks than calls at once, whatever their sizes") {
  CountingAllocator allocator;
  WorkspacePool pool(allocator);
  for (int64_t bytes = 1; bytes < 1000000; bytes = bytes * 3 + 1) {
    const Workspace a = pool.take(workspace_layout(bytes, 0), 1);
    const Workspace b = pool.take(workspace_layout(bytes / 2, 0), 1);
    CHECK(a.data() != b.data());
    CHECK(allocator.allocations - allocator.releases <= 2);
  }
  const int allocations = allocator.allocations;
  for (int call = 0; call < 10; ++call) {
    const Workspace small = pool.take(workspace_layout(10, 0), 1);
    const Workspace large = pool.take(workspace_layout(100000, 0), 1);
  }
  CHECK(allocator.allocations <= allocations + 1);
}

TEST_CASE("a pool gives back what is not in use") {
  CountingAllocator allocator;
  WorkspacePool pool(allocator);
  const WorkspaceLayout layout = workspace_layout(5000, 0);
  Workspace used = pool.take(layout, 1);
  { const Workspace other = pool.take(layout, 1), third = pool.take(layout, 1); }
  pool.release_unused();
  CHECK(allocator.allocations - allocator.releases == 1);
  CHECK(pool.bytes() == allocator.live);
  std::memset(used.data(), 1, 5000);
  used = Workspace();
  { const Workspace moved = std::move(used); }
  pool.release_unused();
  CHECK(pool.bytes() == 0);
  CHECK(allocator.live == 0);
}

TEST_CASE("an allocator without memory is reported") {
  CountingAllocator allocator;
  WorkspacePool pool(allocator);
  allocator.fail = true;
  const WorkspaceLayout layout = workspace_layout(100, 0);
  CHECK_FALSE(pool.take(layout, 1).ok());
  allocator.fail = false;
  CHECK(pool.take(layout, 1).ok());
}

TEST_CASE("memory of the caller is checked") {
  alignas(64) static char memory[4096];
  const WorkspaceLayout layout{1024, 512, 64};
  CHECK(check_workspace(layout, 6, memory, 4096).ok());
  CHECK(check_workspace(layout, 7, memory, 4096).message() ==
        "workspace: 4608 bytes are needed for 7 workers, got 4096");
  CHECK(check_workspace(layout, 1, memory, 100).message() ==
        "workspace: 1536 bytes are needed for 1 worker, got 100");
  CHECK(check_workspace(layout, 1, memory + 8, 4000).message() ==
        "workspace: the address must be a multiple of 64");
  CHECK(check_workspace(layout, 1, nullptr, 4096).message() ==
        "workspace: the address must be a multiple of 64, got null");
  CHECK(check_workspace(WorkspaceLayout{}, 4, nullptr, 0).ok());
}

TEST_CASE("many threads take and give at once") {
  CountingAllocator allocator;
  constexpr int kThreads = 4;
  {
    WorkspacePool pool(allocator);
    std::atomic<bool> clash{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 5000; ++i) {
          const int64_t bytes = 64 + (i * 37 + t * 101) % 9000;
          const Workspace w = pool.take(workspace_layout(bytes, 0), 1);
          auto* p = static_cast<unsigned char*>(w.data());
          p[0] = p[bytes - 1] = static_cast<unsigned char>(t);
          if (i % 16 == 0) std::this_thread::yield();
          if (p[0] != t || p[bytes - 1] != t) clash = true;
          if (i % 1000 == 0) pool.release_unused();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(clash);
    CHECK(allocator.allocations - allocator.releases <= kThreads);
    CHECK(pool.bytes() == allocator.live);
  }
  CHECK(allocator.live == 0);
  CHECK(allocator.allocations == allocator.releases);
}

}  // namespace tenon
