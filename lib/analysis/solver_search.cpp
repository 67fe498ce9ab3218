// A point of the reduced system: depth first, the variable with the fewest values first, small
// values first, narrowing after each choice.
#include <algorithm>
#include <optional>

#include "analysis/solver_rows.h"

namespace tenon::solver {
namespace {

constexpr int kMaxNodes = 400;
constexpr int kMaxValues = 24;  // tried per variable, besides the ends of its range

int64_t nearest_to_zero(int64_t lo, int64_t hi) { return std::clamp<int64_t>(0, lo, hi); }

class Search {
 public:
  explicit Search(const System& system) : rows_(system.inequalities) {}

  std::optional<std::vector<int64_t>> run(Box box) {
    if (++nodes_ > kMaxNodes || !narrow(rows_, box)) return std::nullopt;
    const int v = next_variable(box);
    if (v < 0) return point_of(box);
    return try_values(box, v);
  }

 private:
  std::optional<std::vector<int64_t>> try_values(const Box& box, int v) {
    const int64_t lo = box.lo[v], hi = box.hi[v];
    const int64_t start = nearest_to_zero(lo, hi);
    const auto attempt = [&](int64_t value) {
      Box next = box;
      next.lo[v] = next.hi[v] = value;
      return run(std::move(next));
    };
    for (int64_t step = 0; step <= kMaxValues; ++step) {
      if (Wide{start} + step <= hi) {
        if (auto point = attempt(start + step)) return point;
      }
      if (step > 0 && Wide{start} - step >= lo) {
        if (auto point = attempt(start - step)) return point;
      }
      if (nodes_ > kMaxNodes) return std::nullopt;
    }
    if (hi != kOpenHigh && Wide{start} + kMaxValues < hi) {
      if (auto point = attempt(hi)) return point;
    }
    if (lo != kOpenLow && Wide{start} - kMaxValues > lo) {
      if (auto point = attempt(lo)) return point;
    }
    return std::nullopt;
  }

  int next_variable(const Box& box) const {
    int best = -1;
    Wide best_values = 0;
    for (int v = 0; v < rows_.width(); ++v) {
      if (box.fixed(v) || !occurs(v)) continue;
      const Wide values = Wide{box.hi[v]} - box.lo[v];
      if (best < 0 || values < best_values) best = v, best_values = values;
    }
    return best;
  }

  bool occurs(int v) const {
    for (int r = 0; r < rows_.size(); ++r) {
      if (rows_[r][v] != 0) return true;
    }
    return false;
  }

  static std::vector<int64_t> point_of(const Box& box) {
    std::vector<int64_t> point(box.lo.size());
    for (size_t v = 0; v < point.size(); ++v) point[v] = nearest_to_zero(box.lo[v], box.hi[v]);
    return point;
  }

  const Rows& rows_;
  int nodes_ = 0;
};

}  // namespace

std::vector<int64_t> search_point(const System& system) {
  return Search(system).run(system.box).value_or(std::vector<int64_t>());
}

}  // namespace tenon::solver
