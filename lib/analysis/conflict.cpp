#include "analysis/conflict.h"

#include <iterator>

namespace tenon {

bool reads_only(const Access& a, const Access& b) {
  return a.kind == Access::Kind::kRead && b.kind == Access::Kind::kRead;
}

bool same_accumulations(const Access& a, const Access& b) { return commute(a, b, false); }

Dependences::Dependences(const Stmt& s, const Facts& facts)
    : facts_(facts), accesses_(accesses_of(s)) {
  pair_up(accesses_.size(), 0);
}

Dependences::Dependences(const Stmt& s, const Stmt& t, const Facts& facts)
    : facts_(facts), accesses_(accesses_of(s)) {
  const size_t first_of_t = accesses_.size();
  std::vector<Access> more = accesses_of(t);
  std::move(more.begin(), more.end(), std::back_inserter(accesses_));
  pair_up(first_of_t, first_of_t);
}

void Dependences::pair_up(size_t end_of_a, size_t begin_of_b) {
  for (size_t i = 0; i < end_of_a; ++i) {
    for (size_t j = begin_of_b; j < accesses_.size(); ++j) {
      const Access& a = accesses_[i];
      const Access& b = accesses_[j];
      if (a.buffer == b.buffer && !reads_only(a, b)) pairs_.emplace_back(&a, &b);
    }
  }
}

std::optional<Conflict> Dependences::find(const std::vector<Ordering>& directions,
                                          const Exchange& exchange) {
  for (const auto& [a, b] : pairs_) {
    const bool harmless = exchange(*a, *b);
    if (harmless && (reassociates_ || commute(*a, *b, true))) continue;
    if (never_meet(*a, *b, directions, facts_)) continue;
    if (!harmless) return Conflict{a, b, directions, meet(*a, *b, directions, facts_)};
    reassociates_ = true;
  }
  return std::nullopt;
}

}  // namespace tenon
