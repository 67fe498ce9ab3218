#include "analysis/carried.h"

#include <algorithm>

#include "analysis/text.h"
#include "tenon/ir/visit.h"

namespace tenon {

bool target_uses(const Access& a, const Var& var) {
  return std::any_of(a.indices.begin(), a.indices.end(),
                     [&](const Expr& index) { return uses(index, var); });
}

Verdict carries_nothing(Dependences& dependences, const std::vector<Ordering>& directions,
                        const Program& within) {
  const auto conflict = dependences.find(directions, reads_only);
  if (!conflict) return {};
  const std::string race = both_accumulate(*conflict, within);
  return Verdict{race.empty() ? explain(*conflict, within) : refuse(race + ": a race")};
}

Verdict carries_nothing_between_lanes(Dependences& dependences, const Var& lane,
                                      const std::vector<Ordering>& directions,
                                      const Program& within) {
  // Lanes that fold meet by `combine`, which takes its states in any order.
  const auto folds = [&](const Access& a, const Access& b) {
    return a.kind == Access::Kind::kAccumulate && b.kind == a.kind && a.statement == b.statement &&
           !target_uses(a, lane);
  };
  const auto exchange = [&](const Access& a, const Access& b) {
    return folds(a, b) || (commute(a, b, false) && a.statement != b.statement);
  };
  const auto conflict = dependences.find(directions, exchange);
  if (!conflict) return Verdict{absl::OkStatus(), dependences.reassociates()};
  const std::string fold = both_accumulate(*conflict, within);
  return Verdict{fold.empty() ? explain(*conflict, within)
                              : refuse(fold +
                                       ": lanes of one statement fold only into a target "
                                       "that does not use " +
                                       text_of(lane, within))};
}

}  // namespace tenon
