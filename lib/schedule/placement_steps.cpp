// The steps that say where a stage is computed.
#include "schedule/run_step.h"
#include "tenon/base/limits.h"

namespace tenon {

std::vector<Loop> Schedule::compute_at(std::string_view stage, Loop loop, Place place) {
  const std::string action = "compute_at(" + std::string(stage) + ", " + name_of(loop) + ")";
  const auto done = run_on_stage(action, stage, {loop}, place, [&](const Buffer& buffer) {
    return primitives::compute_at(program_, buffer, loop.var());
  });
  if (!done) return dummy_loops(kMaxRank);
  record(action, place, program_, {done->loops, {}, ""});
  return handles(done->loops);
}

std::vector<Loop> Schedule::counted_compute_at(std::string_view stage, Loop loop, size_t count,
                                               Place place) {
  const bool fine = status_.ok();
  const Program before = program_;
  std::vector<Loop> found = compute_at(stage, loop, place);
  if (fine && status_.ok() && found.size() != count) {
    program_ = before;
    trace_.steps_.pop_back();
    refuse_step(wrong_count(stage, found, count),
                "compute_at(" + std::string(stage) + ", " + name_of(loop) + ")", place);
  }
  found.resize(count, dummy_loop());
  return found;
}

void Schedule::inline_into(std::string_view stage, Place place) {
  const std::string action = "inline_into(" + std::string(stage) + ")";
  const Program before = program_;
  const auto done = run_on_stage(action, stage, {}, place, [&](const Buffer& buffer) {
    return primitives::inline_into(program_, buffer);
  });
  if (done) record(action, place, before, {{}, done->removed, "inlined " + std::string(stage)});
}

std::vector<Loop> Schedule::compute_root(std::string_view stage, Place place) {
  const std::string action = "compute_root(" + std::string(stage) + ")";
  const auto done = run_on_stage(action, stage, {}, place, [&](const Buffer& buffer) {
    return primitives::compute_root(program_, buffer);
  });
  if (!done) return dummy_loops(kMaxRank);
  record(action, place, program_, {done->loops, {}, ""});
  return handles(done->loops);
}

void Schedule::hoist_alloc(std::string_view stage, Loop loop, Place place) {
  const std::string action = "hoist_alloc(" + std::string(stage) + ", " + name_of(loop) + ")";
  change_stage(action, stage, {loop}, place, [&](const Buffer& buffer) {
    return primitives::hoist_alloc(program_, buffer, loop.var());
  });
}

std::vector<Loop> Schedule::slide(std::string_view stage, Loop loop, Place place) {
  const std::string action = "slide(" + std::string(stage) + ", " + name_of(loop) + ")";
  const auto done = run_on_stage(action, stage, {loop}, place, [&](const Buffer& buffer) {
    return primitives::slide(program_, buffer, loop.var());
  });
  if (!done) return dummy_loops(kMaxRank);
  record(action, place, program_, {done->first, {}, ""});
  return handles(done->first);
}

void Schedule::reverse_inline(std::string_view stage, Place place) {
  const std::string action = "reverse_inline(" + std::string(stage) + ")";
  const Program before = program_;
  const auto done = run_on_stage(action, stage, {}, place, [&](const Buffer& buffer) {
    return primitives::reverse_inline(program_, buffer);
  });
  if (!done) return;
  record(action, place, before,
         {{}, done->removed, "computed " + std::string(stage) + " in the nest of what it reads"});
}

std::vector<Loop> Schedule::reverse_compute_at(std::string_view stage, Loop loop, Place place) {
  const std::string action =
      "reverse_compute_at(" + std::string(stage) + ", " + name_of(loop) + ")";
  const auto done = run_on_stage(action, stage, {loop}, place, [&](const Buffer& buffer) {
    return primitives::reverse_compute_at(program_, buffer, loop.var());
  });
  if (!done) return dummy_loops(kMaxRank);
  record(action, place, program_, {done->loops, {}, ""});
  return handles(done->loops);
}

}  // namespace tenon
