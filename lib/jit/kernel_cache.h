// The kernels of a Jit: one compile per key however many threads ask, bounded by bytes, the least
// recently used first out.
//
//   StatusOr<KernelPtr> k = cache.get(key, [&] { return compile(key); });
//   if (KernelPtr k = cache.find_call({function.id, values})) ...     // the fast way of Jit::call
//
// A compile that fails is not kept: the next request tries again. A kernel that leaves the cache
// lives on with whoever holds it, and its code is unmapped with the last of them. A kernel that is
// larger than the bound is not kept either, and drives no other one out.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "jit/kernel_impl.h"
#include "jit/kernel_key.h"

namespace tenon {

using KernelPtr = std::shared_ptr<const KernelImpl>;

// What identifies a call of a Function.
struct CallKey {
  uint64_t function;                 // FunctionImpl::id
  absl::Span<const int64_t> values;  // of its sizes, then the stride classes of its arguments
};

class KernelCache {
 public:
  explicit KernelCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  absl::StatusOr<KernelPtr> get(const KernelKey& key,
                                const std::function<absl::StatusOr<KernelPtr>()>& compile);

  // The kernel that served this call before, if it is still cached.
  KernelPtr find_call(const CallKey& call);
  void remember_call(const CallKey& call, const KernelPtr& kernel);

  JitStats stats() const;
  void clear();

 private:
  struct Entry;
  using Place = std::list<Entry>::iterator;
  struct Call {
    uint64_t hash;
    uint64_t function;
    std::vector<int64_t> values;
    Place entry;
  };
  struct Entry {
    KernelKey key;
    KernelPtr kernel;
    std::list<Call> calls;  // that lead here, oldest first
  };
  // A compile that is going on; others who ask for the key wait for it.
  struct Flight {
    KernelKey key;
    bool done = false;
    absl::StatusOr<KernelPtr> result = absl::UnknownError("compiling");
    std::condition_variable landed;
  };

  // The mutex is held in all of these.
  KernelPtr find(const KernelKey& key);
  std::shared_ptr<Flight> find_flight(const KernelKey& key);
  const Call* find_call(const CallKey& call, uint64_t hash) const;
  void insert(const KernelKey& key, const KernelPtr& kernel, std::vector<KernelPtr>& dropped);
  void drop(Place entry, std::vector<KernelPtr>& dropped);
  void forget_oldest_call(Entry& entry);

  mutable std::mutex mutex_;
  const size_t max_bytes_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_multimap<uint64_t, Place> by_key_;
  std::unordered_multimap<uint64_t, const Call*> by_call_;
  std::vector<std::shared_ptr<Flight>> flights_;
  JitStats stats_;
};

}  // namespace tenon
