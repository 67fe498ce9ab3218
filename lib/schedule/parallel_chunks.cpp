// parallel_chunks(i, 4), for a loop of 100 iterations:
//
//   split(i, {4, inferred}) -> io, ii
//   parallelize(io)
//
// So many tasks as there are workers, each of neighbouring iterations, where one iteration is too
// little work for a task.
#include "schedule/derived.h"
#include "schedule/run_step.h"

namespace tenon {

std::pair<Loop, Loop> Schedule::parallel_chunks(Loop loop, const Factor& chunks, Place place) {
  const std::pair<Loop, Loop> nothing{dummy_loop(), dummy_loop()};
  if (!status_.ok()) return nothing;
  const std::string action = "parallel_chunks(" + name_of(loop) + ", " + chunks.text() + ")";
  Derived derived(*this, action, place);
  const std::vector<Loop> loops = split(loop, {chunks, kInferred}, place);
  if (status_.ok()) parallelize(loops[0], place);
  if (!derived.finish()) return nothing;
  return {loops[0], loops[1]};
}

}  // namespace tenon
