// How long it takes from a Program to callable code: schedule, lowering, LLVM, linking. Nothing is
// cached; kernels of different kinds take turns. A compile neither waits nor uses other threads, so
// the processor time of its thread ("cpu") is what the clock shows on a quiet machine; it is what
// the bounds are compared with.
//
//   compile_bench [--check] [rounds]
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "linear_relu.h"
#include "side_by_side.h"
#include "tenon/tenon.h"

namespace tn = tenon;
using namespace tn::bench;

namespace {

// y = max(a*x + b, 0) on 1000 elements, in vectors.
struct Elementwise {
  tn::Size n{"n"};
  tn::Program program;

  Elementwise() {
    tn::Tensor x = tn::input("x", tn::f32, {n});
    tn::Expr a = tn::scalar("a", tn::f32), b = tn::scalar("b", tn::f32);
    tn::Tensor y = tn::compute("y", {n}, [&](tn::Expr i) { return tn::max(x(i) * a + b, 0.0f); });
    program = tn::program("elementwise", {x, a, b}, {y});
  }

  tn::Schedule schedule() const {
    tn::Schedule s(program, {{n, 1000}});
    auto [i] = s.loops<1>("y");
    auto [outer, inner] = s.split(i, 16);
    s.vectorize(inner);
    return s;
  }
};

// The parts of one compile, in milliseconds.
constexpr const char* kParts[] = {"schedule", "lower", "emit", "passes",
                                  "machine",  "other", "total"};
constexpr size_t kCount = std::size(kParts);
using Parts = std::vector<double>;

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

Parts compile_once(tn::Jit& jit, const std::function<tn::Schedule()>& make_schedule) {
  using Clock = std::chrono::steady_clock;
  const auto ms_since = [](Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  const double cpu_start = cpu_ms();
  const Clock::time_point start = Clock::now();
  const tn::Schedule schedule = make_schedule();
  const double scheduling = ms_since(start);
  const tn::Kernel kernel = value_of(jit.compile(schedule));
  const double total = ms_since(start), cpu = cpu_ms() - cpu_start;
  const tn::CompileTimes& t = kernel.times();
  const double other = total - scheduling - t.lower - t.emit - t.passes - t.machine;
  return {scheduling, t.lower, t.emit, t.passes, t.machine, other, total, cpu};
}

struct Case {
  std::string name;
  double bound;  // milliseconds
  std::function<tn::Schedule()> make_schedule;
  std::vector<Parts> samples;
};

void print_case(const Case& c) {
  std::printf("%-24s", c.name.c_str());
  for (size_t part = 0; part < kCount; ++part) {
    std::vector<double> values;
    for (const Parts& sample : c.samples) values.push_back(sample[part]);
    std::printf("  %6.2f %6.2f", *std::min_element(values.begin(), values.end()), median(values));
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  Report report(argc, argv);
  int rounds = 25;
  for (int a = 1; a < argc; ++a) rounds = std::max(rounds, std::atoi(argv[a]));
  pin_to_one_core();

  const Elementwise elementwise;
  const LinearRelu linear;
  const auto linear_case = [&](const Shape& shape, double bound) {
    return Case{"linear_relu " + shape.name(),
                bound,
                [&linear, shape] {
                  return schedule_for(linear, shape, tile_for(shape, tn::Target::host()));
                },
                {}};
  };
  std::vector<Case> cases = {{"elementwise", 4, [&] { return elementwise.schedule(); }, {}},
                             linear_case({128, 768, 768}, 15),
                             linear_case({127, 767, 769}, 30),
                             linear_case({50, 500, 500}, 30),
                             linear_case({13, 29, 17}, 15)};
  tn::JitOptions options;
  options.cache.max_bytes = 0;
  tn::Jit jit(options);
  for (int round = 0; round < rounds; ++round) {
    for (Case& c : cases) c.samples.push_back(compile_once(jit, c.make_schedule));
  }

  std::printf("milliseconds, minimum and median of %d\n%-24s", rounds, "");
  for (const char* part : kParts) std::printf("  %13s", part);
  std::printf("\n");
  for (const Case& c : cases) print_case(c);
  std::printf("\n");
  for (const Case& c : cases) {
    std::vector<double> cpu;
    for (const Parts& sample : c.samples) cpu.push_back(sample.back());
    report.at_most("compile " + c.name + ", median", median(cpu), c.bound, "ms");
  }
  return report.exit_code();
}
