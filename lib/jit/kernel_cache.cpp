#include "jit/kernel_cache.h"

#include <algorithm>
#include <exception>
#include <string>

#include "tenon/base/hash.h"

namespace tenon {
namespace {

// Calls that are remembered for one kernel. More than one happens when several Functions with the
// same Program and schedule live, or are made again and again.
constexpr size_t kCallsPerKernel = 8;

uint64_t hash_of(const CallKey& call) {
  uint64_t h = call.function;
  for (int64_t value : call.values) h = hash_combine(h, static_cast<uint64_t>(value));
  return h;
}

// Removes one row of a table from hashes to values.
template <class Table, class Value>
void erase_row(Table& table, uint64_t hash, const Value& value) {
  const auto [first, last] = table.equal_range(hash);
  table.erase(std::find_if(first, last, [&](const auto& row) { return row.second == value; }));
}

// Memory may run out anywhere in a compile, and those who wait for it must hear of that.
absl::StatusOr<KernelPtr> without_exceptions(
    const std::function<absl::StatusOr<KernelPtr>()>& compile) {
  try {
    return compile();
  } catch (const std::exception& e) {
    return absl::ResourceExhaustedError(std::string("compiling a kernel: ") + e.what());
  }
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

  absl::StatusOr<KernelPtr> result = without_exceptions(compile);

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
  if (kernel->cost() > max_bytes_) return;
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
  while (!entry->calls.empty()) forget_oldest_call(*entry);
  erase_row(by_key_, entry->key.hash, entry);
  stats_.bytes -= static_cast<int64_t>(entry->kernel->cost());
  --stats_.kernels;
  dropped.push_back(std::move(entry->kernel));
  entries_.erase(entry);
}

void KernelCache::forget_oldest_call(Entry& entry) {
  const Call& call = entry.calls.front();
  erase_row(by_call_, call.hash, &call);
  entry.calls.pop_front();
}

const KernelCache::Call* KernelCache::find_call(const CallKey& wanted, uint64_t hash) const {
  const auto [first, last] = by_call_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Call& call = *it->second;
    if (call.function == wanted.function && wanted.values == call.values) return &call;
  }
  return nullptr;
}

KernelPtr KernelCache::find_call(const CallKey& wanted) {
  const uint64_t hash = hash_of(wanted);
  const std::lock_guard lock(mutex_);
  const Call* call = find_call(wanted, hash);
  if (!call) return nullptr;
  ++stats_.hits;
  entries_.splice(entries_.begin(), entries_, call->entry);
  return call->entry->kernel;
}

void KernelCache::remember_call(const CallKey& call, const KernelPtr& kernel) {
  const uint64_t hash = hash_of(call);
  const std::lock_guard lock(mutex_);
  if (find_call(call, hash)) return;
  // Almost always the first. Gone in the meantime: nothing to remember.
  const Place entry = std::find_if(entries_.begin(), entries_.end(),
                                   [&](const Entry& e) { return e.kernel == kernel; });
  if (entry == entries_.end()) return;
  if (entry->calls.size() == kCallsPerKernel) forget_oldest_call(*entry);
  entry->calls.push_back({hash, call.function, {call.values.begin(), call.values.end()}, entry});
  by_call_.emplace(hash, &entry->calls.back());
}

JitStats KernelCache::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void KernelCache::clear() {
  std::vector<KernelPtr> dropped;
  const std::lock_guard lock(mutex_);
  while (!entries_.empty()) drop(entries_.begin(), dropped);
}

}  // namespace tenon
