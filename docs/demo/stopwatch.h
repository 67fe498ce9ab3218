// Times calls side by side: every round runs each candidate once, so that a busy machine slows all
// of them alike, and the fastest round of each counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

// Seconds per call of each candidate.
inline std::vector<double> time_side_by_side(const std::vector<std::function<void()>>& candidates,
                                             int rounds) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> best(candidates.size(), 1e30);
  for (int round = 0; round < rounds; ++round) {
    for (size_t c = 0; c < candidates.size(); ++c) {
      const Clock::time_point start = Clock::now();
      candidates[c]();
      const std::chrono::duration<double> taken = Clock::now() - start;
      best[c] = std::min(best[c], taken.count());
    }
  }
  return best;
}
