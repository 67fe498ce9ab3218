// prefetch(w, k, 4):
//
//   for k in 0..n { S }   ->   for k in 0..n prefetching w 4 ahead { S }
//
// Each iteration asks the memory for the cache lines of what the fourth iteration after it uses of
// the parameter. Lowering writes these requests; they never fault, and mean nothing.
// Obligation: none for what the Program means; refused where it would be of no use. The loop is
// serial, and what an iteration uses is a box that moves with the loop and is no data. Exact.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/analysis/region.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// What an iteration uses has to be known some iterations before.
absl::Status moves_with(const Program& program, const LoopSite& site, const Buffer& param) {
  const std::string loop = name_in(program, site.loop.var);
  if (!uses(site.loop.body, param)) {
    return refuse("loop " + loop + " does not use " + param.name());
  }
  TENON_ASSIGN_OR_RETURN(const Region region, region_of(site.loop.body, param, Which::kAll,
                                                        site.facts.inside(site.loop)));
  bool moves = false;
  for (const std::vector<Expr>* bounds : {&region.lo, &region.extent}) {
    for (const Expr& e : *bounds) {
      moves |= uses(e, site.loop.var);
      if (touches_memory(e)) {
        return refuse("what loop " + loop + " uses of " + param.name() +
                      " is data: " + print(e, program));
      }
    }
  }
  if (moves) return absl::OkStatus();
  return refuse("every iteration of loop " + loop + " uses the same elements of " + param.name(),
                {}, {"prefetch at a loop that indexes " + param.name()});
}

}  // namespace

absl::StatusOr<Program> prefetch(const Program& program, const Buffer& param, const Var& loop,
                                 int64_t iterations) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));
  if (!find_param(program, param)) {
    return refuse(param.name() + " is no parameter; only the caller's memory is prefetched");
  }

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "prefetch"));
  if (iterations < 1 || iterations > kMaxAhead) {
    return refuse("the distance must be 1 to " + std::to_string(kMaxAhead) +
                  " iterations, and is " + std::to_string(iterations));
  }
  std::vector<Ahead> prefetches = site.loop.kind.prefetches();
  if (std::any_of(prefetches.begin(), prefetches.end(),
                  [&](const Ahead& ahead) { return ahead.buffer == param; })) {
    return refuse("loop " + name_in(program, loop) + " prefetches " + param.name() + " already");
  }
  TENON_RETURN_IF_ERROR(moves_with(program, site, param));

  // Rewrite.
  prefetches.push_back({param, iterations});
  return with_kind(program, loop, LoopKind(std::move(prefetches)));
}

}  // namespace tenon::primitives
