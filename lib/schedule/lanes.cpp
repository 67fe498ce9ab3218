// lanes(r, 4, 256), for s[] += x[r] with f32:
//
//   split(r, {inferred, 4, 8}) -> ro, rio, rii
//   rfactor(rii); rfactor(rio)              8 lanes, then 4 accumulators of 8 lanes each
//   vectorize rii and the lanes of the start values and of the folds, unroll the accumulators
//
// A reduction directly over a vector folds its lanes in every step; this one folds them once. All
// of it are primitives: what is not legal is refused by the primitive that needs it.
#include <algorithm>

#include "schedule/common.h"
#include "schedule/derived.h"
#include "schedule/run_step.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

constexpr int64_t kMaxAccumulators = 64;

const Accumulate* accumulation_in(const Stmt& s) {
  const Accumulate* found = nullptr;
  walk(s, [&](const Stmt& part) {
    if (!found) found = part.as<Accumulate>();
  });
  return found;
}

// The target does not use loops inside: its own loops would be better lanes.
absl::Status require_row(const Program& program, const For& loop, const Accumulate& x) {
  absl::Status status;
  walk(loop.body, [&](const Stmt& s) {
    const For* inner = s.as<For>();
    const bool used = inner && std::any_of(x.indices.begin(), x.indices.end(),
                                           [&](const Expr& e) { return uses(e, inner->var); });
    if (!used || !status.ok()) return;
    const std::string name = primitives::name_in(program, inner->var);
    status = refuse("loop " + name + " inside of loop " + primitives::name_in(program, loop.var) +
                        " indexes what is accumulated: its iterations are lanes without partial "
                        "results",
                    {}, {"vectorize(" + name + ")"});
  });
  return status;
}

// Elements of the widest result in a vector.
absl::StatusOr<int64_t> lanes_for(const Program& program, const Loop& loop, int64_t accumulators,
                                  int64_t vector_bits) {
  if (accumulators < 1 || accumulators > kMaxAccumulators) {
    return refuse("there are at least 1 and at most " + std::to_string(kMaxAccumulators) +
                  " accumulators, and " + std::to_string(accumulators) + " were asked for");
  }
  const LoopSite site = *find_loop(program, loop.var());
  const Accumulate* x = accumulation_in(site.loop.body);
  if (!x) {
    return refuse("nothing is accumulated in loop " + primitives::name_in(program, loop.var()));
  }
  TENON_RETURN_IF_ERROR(require_row(program, site.loop, *x));
  int64_t bits = 0;
  for (const Buffer& b : x->buffers) bits = std::max<int64_t>(bits, 8 * b.type().bytes());
  const bool power_of_two = vector_bits > 0 && (vector_bits & (vector_bits - 1)) == 0;
  if (!power_of_two || vector_bits < bits || vector_bits / bits > kMaxVectorLanes) {
    return refuse("the bits of a vector are a power of two, and 1 to " +
                  std::to_string(kMaxVectorLanes) + " lanes of " + std::to_string(bits) +
                  " bits; " + std::to_string(vector_bits) + " were asked for");
  }
  return vector_bits / bits;
}

}  // namespace

std::array<Loop, 3> Schedule::lanes(Loop loop, const Factor& accumulators, int64_t vector_bits,
                                    Place place) {
  const std::string action = "lanes(" + name_of(loop) + ", " + accumulators.text() + ", " +
                             std::to_string(vector_bits) + ")";
  const std::array<Loop, 3> nothing = {dummy_loop(), dummy_loop(), dummy_loop()};
  if (!status_.ok()) return nothing;
  absl::Status ready = require_loops({loop});
  absl::StatusOr<int64_t> count;
  if (ready.ok()) {
    count = lanes_for(program_, loop, accumulators.value(), vector_bits);
    ready = count.status();
  }
  if (!ready.ok()) {
    refuse_step(ready, action, place);
    return nothing;
  }

  Derived derived(*this, action, place);
  const std::vector<Loop> loops = split(loop, {kInferred, accumulators, *count}, place);
  if (!status_.ok()) return derived.finish(), nothing;
  const Partials lane = rfactor(loops[2], place);
  std::vector<Loop> vectors = {loops[2], lane.init[0], lane.fold[0]};
  std::vector<Loop> unrolled = {loops[1]};
  if (accumulators.value() > 1 && status_.ok()) {
    const Partials many = rfactor(loops[1], place);
    for (const std::vector<Loop>* nest : {&many.init, &many.fold}) {
      unrolled.push_back((*nest)[0]);
      vectors.push_back((*nest)[1]);
    }
  }
  for (const Loop& each : vectors) vectorize(each, place);
  for (const Loop& each : unrolled) unroll(each, place);
  if (!derived.finish()) return nothing;
  return {loops[0], loops[1], loops[2]};
}

}  // namespace tenon
