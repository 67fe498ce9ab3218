// What stream and prefetch are worth on one core: a copy that is larger than the caches and one
// that is not, with stores as usual and past the caches; and the first line of every row of a wide
// matrix, with and without asking for the rows ahead. All run interleaved, and the quickest round
// counts.
//
//   cache_hints_bench [--check]
#include <cstdio>
#include <memory>
#include <vector>

#include "linear_relu.h"
#include "side_by_side.h"
#include "tenon/tenon.h"

namespace tn = tenon;
using namespace tn::bench;

namespace {

// Seconds of the first over those of the second.
double gain(const std::string& what, std::vector<Candidate> candidates) {
  const std::vector<Timing> timings = time_side_by_side(candidates, {.count = 20, .seconds = 5e-3});
  std::printf("%-44s", what.c_str());
  for (const Timing& t : timings) std::printf("  %s %9.1f us", t.name.c_str(), 1e6 * t.minimum);
  const double ratio = timings[0].minimum / timings[1].minimum;
  std::printf("  %.2f x\n", ratio);
  return ratio;
}

double streamed_copy(tn::Jit& jit, int64_t bytes) {
  const int64_t length = bytes / 4;
  const tn::Size n("n");
  const tn::Tensor x = tn::input("x", tn::f32, {n});
  const tn::Program twice =
      tn::program("twice", {x}, {tn::compute("y", {n}, [&](tn::Expr i) { return x(i) * 2.0f; })});
  const std::vector<float> from(static_cast<size_t>(length), 1.5f);
  std::vector<std::shared_ptr<std::vector<float>>> results;
  std::vector<Candidate> candidates;
  for (const bool streams : {false, true}) {
    tn::Schedule s(twice, {{n, length}});
    s.vectorize(s.split(s.loops("y")[0], jit.target().lanes(tn::f32)).second);
    if (streams) s.stream("y");
    const tn::Kernel kernel = value_of(jit.compile(s));
    const auto to = std::make_shared<std::vector<float>>(from.size());
    results.push_back(to);
    candidates.push_back(
        {streams ? "streamed" : "plain", [=, &from] {
           require_ok(kernel({tn::View(from.data(), {length})}, {tn::View(to->data(), {length})}));
         }});
  }
  const double ratio =
      gain("copy of " + std::to_string(bytes >> 10) + " KiB", std::move(candidates));
  if (*results[0] != *results[1]) stop("the copies differ");
  return ratio;
}

double prefetched_rows(tn::Jit& jit, int64_t rows, int64_t width) {
  const tn::Size m("m"), n("n");
  const tn::Tensor w = tn::input("w", tn::f32, {m, n});
  const tn::Program heads = tn::program(
      "heads", {w},
      {tn::compute(
          "y", {m},
          [&](tn::Expr i) { return tn::sum(64, [&](tn::Expr r) { return tn::exp(w(i, r)); }); })},
      {tn::require(64 <= n)});
  const std::vector<float> from(static_cast<size_t>(rows * width), 1.5f);
  std::vector<Candidate> candidates;
  for (const bool ahead : {false, true}) {
    tn::Schedule s(heads, {{m, rows}, {n, width}});
    const std::vector<tn::Loop> loops = s.all_loops("y");
    s.vectorize(s.split(loops[1], 16).second);
    if (ahead) s.prefetch("w", loops[0], 16);
    const tn::Kernel kernel = value_of(jit.compile(s));
    const auto to = std::make_shared<std::vector<float>>(static_cast<size_t>(rows));
    candidates.push_back({ahead ? "prefetched" : "plain", [=, &from] {
                            require_ok(kernel({tn::View(from.data(), {rows, width})},
                                              {tn::View(to->data(), {rows})}));
                          }});
  }
  return gain(
      "first line of " + std::to_string(rows) + " rows of " + std::to_string(width * 4) + " bytes",
      std::move(candidates));
}

}  // namespace

int main(int argc, char** argv) {
  Report report(argc, argv);
  pin_to_one_core();
  tn::Jit jit;
  streamed_copy(jit, 256 << 10);
  const double large = streamed_copy(jit, 256 << 20);
  const double rows = prefetched_rows(jit, 32768, 1056);
  report.at_least("stores past the caches, larger than they are", large, 1, "x");
  report.at_least("rows that are asked for ahead", rows, 0.9, "x");
  return report.exit_code();
}
