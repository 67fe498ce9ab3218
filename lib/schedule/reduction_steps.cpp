// The steps that take reductions apart, or change their number of iterations.
#include "schedule/run_step.h"
#include "tenon/base/limits.h"

namespace tenon {

Partials Schedule::rfactor(Loop loop, Place place) {
  const std::string action = "rfactor(" + name_of(loop) + ")";
  const auto done =
      run(action, {loop}, place, [&] { return primitives::rfactor(program_, loop.var()); });
  if (!done) return {"none", dummy_loops(kMaxRank), dummy_loops(kMaxRank)};
  record(action + " -> " + done->partial.name(), place, program_);
  return {done->partial.name(), handles(done->init), handles(done->fold)};
}

void Schedule::pad_reduction(Loop loop, const Factor& multiple, Place place) {
  change("pad_reduction(" + name_of(loop) + ", " + multiple.text() + ")", {loop}, place,
         [&] { return primitives::pad_reduction(program_, loop.var(), multiple.value()); });
}

}  // namespace tenon
