// The sum and the greatest element of a row in f32 on one core: one vector that is folded in every
// step (`vectorize`), and accumulators of lanes that are folded once (`lanes`). Bytes of the row
// per second; all run interleaved, and the quickest round counts.
//
//   row_reduction_bench [--check]
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "linear_relu.h"
#include "side_by_side.h"
#include "tenon/tenon.h"

namespace tn = tenon;
using namespace tn::bench;

namespace {

constexpr int64_t kLengths[] = {1000, 100'000};
constexpr int kAccumulators[] = {1, 4, 8};

tn::Program reduction(bool is_sum, const tn::Size& n) {
  const tn::Tensor x = tn::input("x", tn::f32, {n});
  const tn::Tensor s = tn::compute("s", {}, [&](const tn::Index&) {
    const auto element = [&](tn::Expr r) { return x(r); };
    return is_sum ? tn::sum(n, element) : tn::max_over(n, element);
  });
  return tn::program(is_sum ? "sum" : "max", {x}, {s});
}

// No accumulators: a vector is folded in every step.
tn::Schedule scheduled(bool is_sum, int64_t length, int accumulators, const tn::Target& target) {
  const tn::Size n("n");
  tn::Schedule s(reduction(is_sum, n), {{n, length}});
  const tn::Loop r = s.all_loops("s")[0];
  if (accumulators == 0) {
    s.vectorize(s.split(r, target.lanes(tn::f32)).second);
  } else {
    s.lanes(r, accumulators, target.vector_bits());
  }
  return s;
}

// Returns how much faster the best lanes are than the plain vector.
double compare(tn::Jit& jit, bool is_sum, int64_t length) {
  std::vector<float> x(static_cast<size_t>(length)), result(1);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1000) / 1000.0f;
  const double expected =
      is_sum ? std::accumulate(x.begin(), x.end(), 0.0) : *std::max_element(x.begin(), x.end());
  const tn::View in(x.data(), {length}), out(result.data(), {});
  std::vector<Candidate> candidates;
  const auto add = [&](const std::string& name, int accumulators) {
    tn::Kernel kernel =
        value_of(jit.compile(scheduled(is_sum, length, accumulators, jit.target())));
    require_ok(kernel({in}, {out}));
    if (!(std::abs(result[0] - expected) <= 1e-4 * expected)) stop(name + " is wrong");
    candidates.push_back({name, [=] { require_ok(kernel({in}, {out})); }});
  };
  add("vectorize", 0);
  for (const int n : kAccumulators) add("lanes x " + std::to_string(n), n);
  const std::vector<Timing> timings = time_side_by_side(candidates);
  double best = 0;
  std::printf("%s of %6ld ", is_sum ? "sum" : "max", static_cast<long>(length));
  for (const Timing& t : timings) {
    std::printf("  %s %6.1f GB/s", t.name.c_str(), 4e-9 * static_cast<double>(length) / t.minimum);
    best = std::max(best, timings[0].minimum / t.minimum);
  }
  std::printf("\n");
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  Report report(argc, argv);
  pin_to_one_core();
  tn::Jit jit;
  std::vector<double> gains;
  for (const bool is_sum : {true, false}) {
    for (const int64_t length : kLengths) gains.push_back(compare(jit, is_sum, length));
  }
  report.at_least("accumulators of lanes against one vector", geomean(gains), 2, "x");
  return report.exit_code();
}
