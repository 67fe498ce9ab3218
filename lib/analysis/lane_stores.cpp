#include "analysis/lane_stores.h"

#include <algorithm>

#include "analysis/text.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/visit.h"

namespace tenon {

absl::Status lanes_stay_apart(
    const std::vector<Access>& accesses, const Buffer& target,
    const std::function<std::vector<Expr>(const std::vector<Expr>&)>& place, const Facts& facts,
    const Program& within) {
  const auto is_vector = [](const For& loop) { return loop.kind == ForKind::kVector; };
  for (const Access& a : accesses) {
    if (a.kind == Access::Kind::kRead) continue;
    if (std::none_of(a.loops.begin(), a.loops.end(), is_vector)) continue;
    Facts here = facts;
    for (const For& loop : a.loops) here = here.inside(loop);
    std::vector<Expr> places = place(a.indices);
    for (Expr& e : places) e = simplify(e, here);
    for (const For& loop : a.loops) {
      const auto moves = [&](const Expr& e) { return uses(e, loop.var); };
      if (!is_vector(loop) || std::none_of(a.indices.begin(), a.indices.end(), moves) ||
          std::any_of(places.begin(), places.end(), moves)) {
        continue;
      }
      return refuse("all lanes of loop " + text_of(loop.var, within) + " would store to " +
                    element(target, places, within));
    }
  }
  return absl::OkStatus();
}

}  // namespace tenon
