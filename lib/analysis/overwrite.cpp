#include "analysis/overwrite.h"

#include "analysis/text.h"

namespace tenon {
namespace {

bool in_any_order(const For& loop) {
  return loop.kind == ForKind::kParallel || loop.kind == ForKind::kVector;
}

std::optional<Conflict> found(const Access& a, const Access& b,
                              const std::vector<Ordering>& directions, const Facts& facts) {
  if (never_meet(a, b, directions, facts)) return std::nullopt;
  return Conflict{&a, &b, directions, meet(a, b, directions, facts)};
}

}  // namespace

std::optional<Conflict> touches_after(const Access& first, const Access& then, const Facts& facts) {
  std::vector<Ordering> directions;
  for (const For& loop : common_loops(first, then)) {
    directions.push_back(Ordering::kGreater);
    if (auto c = found(first, then, directions, facts)) return c;
    directions.back() = Ordering::kLess;
    if (in_any_order(loop)) {
      if (auto c = found(first, then, directions, facts)) return c;
    }
    directions.back() = Ordering::kEqual;
  }
  if (first.order >= then.order) return std::nullopt;
  return found(first, then, directions, facts);
}

std::string iteration_of(const std::vector<std::pair<Var, int64_t>>& values,
                         const Program& within) {
  return values.empty() ? "" : " (" + text_of(values, within) + ")";
}

}  // namespace tenon
