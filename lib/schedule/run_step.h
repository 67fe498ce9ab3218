// How the methods of Schedule run a primitive; for lib/schedule/*_steps.cpp and derived steps.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedule/derived.h"
#include "schedule/stages.h"
#include "tenon/schedule/primitives.h"
#include "tenon/schedule/schedule.h"

namespace tenon {

// A handle for the lines after a refusal: alive, and a loop of no Program.
inline Loop dummy_loop() { return Loop(Var("none")); }

inline std::vector<Loop> dummy_loops(size_t count) {
  std::vector<Loop> loops;
  for (size_t i = 0; i < count; ++i) loops.push_back(dummy_loop());
  return loops;
}

inline std::vector<Loop> handles(const std::vector<Var>& vars) {
  return {vars.begin(), vars.end()};
}

inline std::vector<Var> vars_of(const std::vector<Loop>& loops) {
  std::vector<Var> vars;
  for (const Loop& loop : loops) vars.push_back(loop.var());
  return vars;
}

inline std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

inline const Program& program_of(const Program& result) { return result; }
const Program& program_of(const auto& result) { return result.program; }

// A step that substitutes may have made an expression that is too deep or too large.
absl::Status require_valid(const Program& program);

template <class Primitive>
auto Schedule::run(const std::string& action, const std::vector<Loop>& loops, Place place,
                   const Primitive& primitive) {
  using Result = std::decay_t<decltype(*primitive())>;
  std::optional<Result> done;
  if (!status_.ok()) return done;
  if (const absl::Status missing = require_loops(loops); !missing.ok()) {
    refuse_step(missing, action, place);
    return done;
  }
  absl::StatusOr<Result> result = primitive();
  absl::Status status = result.status();
  if (status.ok()) status = require_valid(program_of(*result));
  if (!status.ok()) {
    refuse_step(status, action, place);
    return done;
  }
  program_ = program_of(*result);
  done = *std::move(result);
  return done;
}

template <class Primitive>
std::pair<Loop, Loop> Schedule::divide(const std::string& action, Loop loop, Place place,
                                       const std::string& verb, const Primitive& primitive) {
  const Program before = program_;
  const auto done = run(action, {loop}, place, primitive);
  if (!done) return {dummy_loop(), dummy_loop()};
  record(action, place, before, {{done->first, done->second}, {loop.var()}, verb});
  return {Loop(done->first), Loop(done->second)};
}

template <class Primitive>
void Schedule::change(const std::string& action, const std::vector<Loop>& loops, Place place,
                      const Primitive& primitive) {
  if (run(action, loops, place, primitive)) record(action, place, program_);
}

template <class Primitive>
void Schedule::mark(const std::string& action, Loop loop, Place place, const Primitive& primitive) {
  change(action + "(" + name_of(loop) + ")", {loop}, place,
         [&] { return primitive(program_, loop.var()); });
  named_ = program_;  // a mark renames nothing
}

template <class Primitive>
Loop Schedule::unite(const std::string& action, Loop a, Loop b, Place place,
                     const std::string& verb, const Primitive& primitive) {
  const Program before = program_;
  const auto done = run(action, {a, b}, place, primitive);
  if (!done) return dummy_loop();
  record(action, place, before, {{done->loop}, {a.var(), b.var()}, verb});
  return Loop(done->loop);
}

// The same for a primitive of the stage with this name.
template <class Primitive>
auto Schedule::run_on_stage(const std::string& action, std::string_view stage,
                            const std::vector<Loop>& loops, Place place,
                            const Primitive& primitive) {
  const absl::StatusOr<Buffer> buffer = find_stage(program_, stage);
  using Result = std::decay_t<decltype(primitive(*buffer))>;
  return run(action, loops, place, [&]() -> Result {
    return buffer.ok() ? primitive(*buffer) : Result(buffer.status());
  });
}

template <class Primitive>
void Schedule::change_stage(const std::string& action, std::string_view stage,
                            const std::vector<Loop>& loops, Place place,
                            const Primitive& primitive) {
  if (run_on_stage(action, stage, loops, place, primitive)) record(action, place, program_);
}

}  // namespace tenon
