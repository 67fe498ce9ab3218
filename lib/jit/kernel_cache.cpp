#include "jit/kernel_cache.h"

#include <algorithm>

#include "tenon/base/hash.h"

namespace tenon {
namespace {

uint64_t hash_of_call(const void* owner, CallValues values) {
  uint64_t h = reinterpret_cast<uintptr_t>(owner);
  for (int64_t value : values) h = hash_combine(h, static_cast<uint64_t>(value));
  return h;
}

}  // namespace

absl::StatusOr<KernelPtr> KernelCache::get(
    const KernelKey& key, const std::function<absl::StatusOr<KernelPtr>()>& compile) {
  std::vector<KernelPtr> dropped;  // destroyed last, without the lock: unmapping takes time
  std::unique_lock lock(mutex_);
  if (KernelPtr kernel = find(key)) {
    ++stats_.hits;
    return kernel;
  }
  if (const std::shared_ptr<Flight> flight = find_flight(key)) {
    ++stats_.hits;
    flight->landed.wait(lock, [&] { return flight->done; });
    return flight->result;
  }
  ++stats_.misses;
  const auto flight = std::make_shared<Flight>();
  flight->key = key;
  flights_.push_back(flight);
  lock.unlock();

  absl::StatusOr<KernelPtr> result = compile();

  lock.lock();
  flights_.erase(std::find(flights_.begin(), flights_.end(), flight));
  if (result.ok()) {
    ++stats_.compiles;
    stats_.compile_ms += (*result)->times.total;
    insert(key, *result, dropped);
  } else {
    ++stats_.failures;
  }
  flight->result = result;
  flight->done = true;
  flight->landed.notify_all();
  lock.unlock();
  return result;
}

KernelPtr KernelCache::find(const KernelKey& key) {
  const auto [first, last] = by_key_.equal_range(key.hash);
  for (auto it = first; it != last; ++it) {
    if (!(it->second->key == key)) continue;
    entries_.splice(entries_.begin(), entries_, it->second);
    return it->second->kernel;
  }
  return nullptr;
}

std::shared_ptr<KernelCache::Flight> KernelCache::find_flight(const KernelKey& key) {
  for (const std::shared_ptr<Flight>& flight : flights_) {
    if (flight->key == key) return flight;
  }
  return nullptr;
}

void KernelCache::insert(const KernelKey& key, const KernelPtr& kernel,
                         std::vector<KernelPtr>& dropped) {
  entries_.push_front({key, kernel, {}});
  by_key_.emplace(key.hash, entries_.begin());
  stats_.bytes += static_cast<int64_t>(kernel->cost());
  ++stats_.kernels;
  while (static_cast<size_t>(stats_.bytes) > max_bytes_) {
    ++stats_.evictions;
    drop(std::prev(entries_.end()), dropped);
  }
}

void KernelCache::drop(Place entry, std::vector<KernelPtr>& dropped) {
  for (const Calls::iterator& call : entry->calls) by_call_.erase(call);
  const auto [first, last] = by_key_.equal_range(entry->key.hash);
  by_key_.erase(std::find_if(first, last, [&](const auto& row) { return row.second == entry; }));
  stats_.bytes -= static_cast<int64_t>(entry->kernel->cost());
  --stats_.kernels;
  dropped.push_back(std::move(entry->kernel));
  entries_.erase(entry);
}

KernelPtr KernelCache::find_call(const void* owner, CallValues values) {
  const uint64_t hash = hash_of_call(owner, values);
  std::lock_guard lock(mutex_);
  const auto [first, last] = by_call_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Call& call = it->second;
    if (call.owner.get() != owner || CallValues(call.values) != values) continue;
    ++stats_.hits;
    entries_.splice(entries_.begin(), entries_, call.entry);
    return call.entry->kernel;
  }
  return nullptr;
}

void KernelCache::remember_call(const std::shared_ptr<const void>& owner, CallValues values,
                                const KernelPtr& kernel) {
  const uint64_t hash = hash_of_call(owner.get(), values);
  std::lock_guard lock(mutex_);
  const auto [first, last] = by_call_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (it->second.owner == owner && CallValues(it->second.values) == values) return;
  }
  for (Place entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->kernel != kernel) continue;  // almost always the first
    entry->calls.push_back(
        by_call_.emplace(hash, Call{owner, {values.begin(), values.end()}, entry}));
    return;
  }
  // Evicted in the meantime: nothing to remember.
}

JitStats KernelCache::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

void KernelCache::clear() {
  std::vector<KernelPtr> dropped;
  std::lock_guard lock(mutex_);
  while (!entries_.empty()) drop(entries_.begin(), dropped);
}

}  // namespace tenon
