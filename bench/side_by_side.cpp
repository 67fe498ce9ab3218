#include "side_by_side.h"

#include <sched.h>

#include <cmath>
#include <cstdio>
#include <string_view>

namespace tenon::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& call, int repetitions) {
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < repetitions; ++i) call();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// So many calls take about this long.
int repetitions_for(const std::function<void()>& call, double seconds) {
  int repetitions = 1;
  while (repetitions < (1 << 24)) {
    const double taken = seconds_of(call, repetitions);
    if (taken >= seconds) break;
    repetitions = taken < seconds / 8 ? 4 * repetitions : 2 * repetitions;
  }
  return repetitions;
}

}  // namespace

bool pin_to_one_core() {
  const int here = sched_getcpu();
  if (here < 0) return false;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(here, &one);
  return sched_setaffinity(0, sizeof(one), &one) == 0;
}

std::vector<Timing> time_side_by_side(const std::vector<Candidate>& candidates,
                                      const Rounds& rounds) {
  std::vector<int> repetitions;
  for (const Candidate& c : candidates) {
    repetitions.push_back(repetitions_for(c.call, rounds.seconds));
  }
  std::vector<std::vector<double>> samples(candidates.size());
  for (int round = 0; round < rounds.count; ++round) {
    for (size_t c = 0; c < candidates.size(); ++c) {
      candidates[c].call();  // its data comes back into the caches
      samples[c].push_back(seconds_of(candidates[c].call, repetitions[c]) / repetitions[c]);
    }
  }
  std::vector<Timing> timings;
  for (size_t c = 0; c < candidates.size(); ++c) {
    timings.push_back({candidates[c].name, *std::min_element(samples[c].begin(), samples[c].end()),
                       median(samples[c])});
  }
  return timings;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double geomean(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += std::log(v);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

Report::Report(int argc, char** argv) {
  for (int a = 1; a < argc; ++a) check_ |= std::string_view(argv[a]) == "--check";
}

void Report::at_most(const std::string& what, double value, double bound, const std::string& unit) {
  line(what, value, "at most", bound, unit, value <= bound);
}

void Report::at_least(const std::string& what, double value, double bound,
                      const std::string& unit) {
  line(what, value, "at least", bound, unit, value >= bound);
}

void Report::line(const std::string& what, double value, const char* relation, double bound,
                  const std::string& unit, bool pass) {
  failed_ |= !pass;
  std::printf("%-44s %9.3f %-4s %s %g: %s\n", what.c_str(), value, unit.c_str(), relation, bound,
              pass ? "PASS" : "FAIL");
}

}  // namespace tenon::bench
