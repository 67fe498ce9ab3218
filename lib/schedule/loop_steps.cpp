// The steps that rearrange and mark loops.
#include "schedule/run_step.h"

namespace tenon {

std::pair<Loop, Loop> Schedule::split(Loop loop, int64_t factor, Place place) {
  const std::string action = "split(" + name_of(loop) + ", " + std::to_string(factor) + ")";
  const Program before = program_;
  const auto done =
      run(action, {loop}, place, [&] { return primitives::split(program_, loop.var(), factor); });
  if (!done) return {dummy_loop(), dummy_loop()};
  record(action, place, before, {{done->outer, done->inner}, {loop.var()}, "split it into"});
  return {Loop(done->outer), Loop(done->inner)};
}

Loop Schedule::fuse(Loop outer, Loop inner, Place place) {
  const std::string action = "fuse(" + names_of({outer, inner}) + ")";
  const Program before = program_;
  const auto done = run(action, {outer, inner}, place,
                        [&] { return primitives::fuse(program_, outer.var(), inner.var()); });
  if (!done) return dummy_loop();
  record(action, place, before, {{done->fused}, {outer.var(), inner.var()}, "fused it into"});
  return Loop(done->fused);
}

void Schedule::reorder(const std::vector<Loop>& order, Place place) {
  const std::string action = "reorder(" + names_of(order) + ")";
  const auto done =
      run(action, order, place, [&] { return primitives::reorder(program_, vars_of(order)); });
  if (done) record(action, place, program_);
}

std::array<Loop, 4> Schedule::tile(Loop i, Loop j, int64_t i_factor, int64_t j_factor,
                                   Place place) {
  const std::string action = "tile(" + names_of({i, j}) + ", " + std::to_string(i_factor) + ", " +
                             std::to_string(j_factor) + ")";
  Derived derived(*this, action, place);
  const auto [io, ii] = split(i, i_factor, place);
  const auto [jo, ji] = split(j, j_factor, place);
  reorder({io, jo, ii, ji}, place);
  if (!derived.finish()) return {dummy_loop(), dummy_loop(), dummy_loop(), dummy_loop()};
  return {io, jo, ii, ji};
}

std::pair<Loop, Loop> Schedule::cut(Loop loop, Expr at, Place place) {
  at = with_sizes(at);
  const std::string where = at ? print(at, program_) : "?";
  return divide("cut(" + name_of(loop) + ", " + where + ")", loop, place, "cut it into",
                [&] { return primitives::cut(program_, loop.var(), at); });
}

std::pair<Loop, Loop> Schedule::fission(Loop loop, int statements, Place place) {
  return divide("fission(" + name_of(loop) + ", " + std::to_string(statements) + ")", loop, place,
                "divided it into",
                [&] { return primitives::fission(program_, loop.var(), statements); });
}

void Schedule::unroll(Loop loop, Place place) {
  mark("unroll", std::move(loop), place, primitives::unroll);
}

void Schedule::vectorize(Loop loop, Place place) {
  mark("vectorize", std::move(loop), place, primitives::vectorize);
}

void Schedule::parallelize(Loop loop, Place place) {
  mark("parallelize", std::move(loop), place, primitives::parallelize);
}

}  // namespace tenon
