// How long the steps of a schedule take, and lowering what they make: nothing else that a JIT does
// at run time is paid for by the number of steps. The processor time of the thread, since a
// schedule neither waits nor uses other threads; cases take turns, the median counts.
//
//   schedule_bench [--check] [rounds]
#include <time.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "linear_relu.h"
#include "row_kernels.h"
#include "side_by_side.h"
#include "tenon/lower/lower.h"
#include "tenon/tenon.h"

namespace tn = tenon;
using namespace tn::bench;

namespace {

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

struct Case {
  std::string name;
  double bound;  // milliseconds, of the schedule
  std::function<tn::Schedule()> make;
  size_t steps = 0;
  std::vector<double> schedule, lower;
};

}  // namespace

int main(int argc, char** argv) {
  Report report(argc, argv);
  int rounds = 25;
  for (int a = 1; a < argc; ++a) rounds = std::max(rounds, std::atoi(argv[a]));
  pin_to_one_core();

  const tn::Target target = tn::Target::host();
  const Tile tile = target.matmul_tile(tn::f32);
  const LinearRelu linear;
  const Softmax softmax;
  const Attention attention(false), causal(true);
  const auto sizes = [](const Attention& a, int64_t length) {
    return tn::Sizes{{a.heads, 12}, {a.queries, length}, {a.keys, length}, {a.d, 64}};
  };
  const auto linear_tile = [&](const Shape& shape) {
    return schedule_for(linear, shape, tile_for(shape, target));
  };
  std::vector<Case> cases;
  cases.push_back({"linear_relu 128x768x768", 1, [&] { return linear_tile({128, 768, 768}); }});
  cases.push_back({"softmax 128x768", 4, [&] { return softmax.schedule(128, 768); }});
  cases.push_back(
      {"attention 192", 4, [&] { return attention.schedule(sizes(attention, 192), tile); }});
  cases.push_back(
      {"attention 197", 4, [&] { return attention.schedule(sizes(attention, 197), tile); }});
  cases.push_back(
      {"causal attention 197", 4, [&] { return causal.schedule(sizes(causal, 197), tile); }});
  for (int round = 0; round < rounds; ++round) {
    for (Case& c : cases) {
      const double start = cpu_ms();
      const tn::Schedule s = c.make();
      const double scheduled = cpu_ms();
      require_ok(s.status());
      value_of(tn::lower(s.program(), target));
      c.lower.push_back(cpu_ms() - scheduled);
      c.schedule.push_back(scheduled - start);
      c.steps = s.trace().steps().size();
    }
  }
  for (const Case& c : cases) {
    report.at_most(c.name + ", " + std::to_string(c.steps) + " steps", median(c.schedule), c.bound,
                   "ms");
    report.at_most("  lowering", median(c.lower), 50, "ms");
  }
  return report.exit_code();
}
