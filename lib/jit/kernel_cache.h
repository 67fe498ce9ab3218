// The kernels of a Jit: one compile per key however many threads ask, bounded by bytes, the least
// recently used first out.
//
//   StatusOr<KernelPtr> k = cache.get(key, [&] { return compile(key); });
//   if (KernelPtr k = cache.find_call(function, values)) ...     // the fast way of Jit::call
//
// A compile that fails is not kept: the next request tries again. A kernel that leaves the cache
// lives on with whoever holds it, and its code is unmapped with the last of them.
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

// What identifies a call of a Function: the values of its sizes and the stride classes of its
// arguments, in a row.
using CallValues = absl::Span<const int64_t>;

class KernelCache {
 public:
  explicit KernelCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  absl::StatusOr<KernelPtr> get(const KernelKey& key,
                                const std::function<absl::StatusOr<KernelPtr>()>& compile);

  // The kernel that served this call before, if it is still cached. `owner` is compared by address
  // and kept alive by what the cache remembers, so that an address is never taken for another.
  KernelPtr find_call(const void* owner, CallValues values);
  void remember_call(const std::shared_ptr<const void>& owner, CallValues values,
                     const KernelPtr& kernel);

  JitStats stats() const;
  void clear();

 private:
  struct Entry;
  using Place = std::list<Entry>::iterator;
  struct Call {
    std::shared_ptr<const void> owner;
    std::vector<int64_t> values;
    Place entry;
  };
  using Calls = std::unordered_multimap<uint64_t, Call>;
  struct Entry {
    KernelKey key;
    KernelPtr kernel;
    std::vector<Calls::iterator> calls;  // that lead here
  };
  // A compile that is going on; others who ask for the key wait for it.
  struct Flight {
    KernelKey key;
    bool done = false;
    absl::StatusOr<KernelPtr> result = absl::UnknownError("compiling");
    std::condition_variable landed;
  };

  KernelPtr find(const KernelKey& key);                          // the mutex is held
  std::shared_ptr<Flight> find_flight(const KernelKey& key);     // the mutex is held
  void insert(const KernelKey& key, const KernelPtr& kernel,
              std::vector<KernelPtr>& dropped);                  // the mutex is held
  void drop(Place entry, std::vector<KernelPtr>& dropped);       // the mutex is held

  mutable std::mutex mutex_;
  const size_t max_bytes_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_multimap<uint64_t, Place> by_key_;
  Calls by_call_;
  std::vector<std::shared_ptr<Flight>> flights_;
  JitStats stats_;
};

}  // namespace tenon
