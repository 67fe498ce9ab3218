// A small random generator whose sequence is the same everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "tenon/base/hash.h"

namespace tenon::test {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(hash_mix(seed + 0x9e3779b97f4a7c15u)) {}

  uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15u;
    return hash_mix(state_);
  }
  // Uniform in [0, n); n is at least 1.
  int below(int n) { return static_cast<int>(bits() % static_cast<uint64_t>(n)); }
  int between(int lo, int hi) { return lo + below(hi - lo + 1); }  // inclusive
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(below(static_cast<int>(from.size())))];
  }

 private:
  uint64_t state_;
};

}  // namespace tenon::test
