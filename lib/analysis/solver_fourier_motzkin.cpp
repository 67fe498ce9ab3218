// Fourier-Motzkin elimination: the pairs of a lower and an upper bound of a variable, added so that
// it cancels, say all that the rows say about the others. Each new row is divided by the gcd of its
// coefficients with the constant rounded down, which keeps every integer point and loses rational
// ones.
#include <algorithm>

#include "analysis/solver_rows.h"

namespace tenon::solver {
namespace {

constexpr int kMaxRows = 300;

class Elimination {
 public:
  explicit Elimination(const System& system)
      : width_(system.width()), rows_(system.inequalities), box_(system.box) {
    spare_.resize(static_cast<size_t>(width_ + 1));
    bound_.resize(static_cast<size_t>(width_ + 1));
  }

  // False when the rows contradict each other.
  bool run() {
    while (!rows_.empty()) {
      const int v = next_variable();
      if (!eliminate(v)) return false;
      if (gave_up_) return true;
      if (narrowed_ && !narrow(rows_, box_)) return false;
      narrowed_ = false;
    }
    return true;
  }

 private:
  struct Counts {
    int lower = 0, upper = 0;
  };

  // The sides of the box are rows too, though they are not written down.
  Counts bounds_of(int v) const {
    Counts counts;
    for (int r = 0; r < rows_.size(); ++r) {
      counts.lower += rows_[r][v] > 0;
      counts.upper += rows_[r][v] < 0;
    }
    if (counts.lower + counts.upper > 0) {
      counts.lower += box_.lo[v] != kOpenLow;
      counts.upper += box_.hi[v] != kOpenHigh;
    }
    return counts;
  }

  // The variable whose elimination adds the fewest rows.
  int next_variable() const {
    int best = -1, best_cost = 0;
    for (int v = 0; v < width_; ++v) {
      const Counts counts = bounds_of(v);
      if (counts.lower + counts.upper == 0) continue;
      const int cost = counts.lower * counts.upper - counts.lower - counts.upper;
      if (best < 0 || cost < best_cost) best = v, best_cost = cost;
    }
    return best;
  }

  bool eliminate(int v) {
    Rows with_v(width_);
    for (int r = rows_.size() - 1; r >= 0; --r) {
      if (rows_[r][v] == 0) continue;
      with_v.append(rows_[r]);
      rows_.remove(r);
    }
    const int written = with_v.size();
    append_box_rows(v, with_v);
    for (int a = 0; a < with_v.size(); ++a) {
      if (with_v[a][v] < 0) continue;
      for (int b = 0; b < with_v.size(); ++b) {
        if (with_v[b][v] > 0 || (a >= written && b >= written)) continue;
        if (!combine(with_v[a], with_v[b], v)) return false;
        if (gave_up_) return true;
      }
    }
    return true;
  }

  void append_box_rows(int v, Rows& with_v) {
    std::fill(bound_.begin(), bound_.end(), 0);
    if (box_.lo[v] != kOpenLow) {
      bound_[v] = 1;
      bound_[width_] = -box_.lo[v];
      with_v.append(bound_.data());
    }
    if (box_.hi[v] != kOpenHigh) {
      bound_[v] = -1;
      bound_[width_] = box_.hi[v];
      with_v.append(bound_.data());
    }
  }

  // spare_ = (b_v * lower + a_v * upper) / gcd(a_v, b_v), where v cancels.
  bool combine(const int64_t* lower, const int64_t* upper, int v) {
    const uint64_t g = gcd_of(magnitude(lower[v]), magnitude(upper[v]));
    const Wide times_lower = Wide{magnitude(upper[v]) / g};
    const Wide times_upper = Wide{magnitude(lower[v]) / g};
    for (int i = 0; i <= width_; ++i) {
      const Wide value = times_lower * lower[i] + times_upper * upper[i];
      if (!fits_int64(value)) return true;  // the row is given up, which is sound
      spare_[i] = static_cast<int64_t>(value);
    }
    return add(spare_.data());
  }

  bool add(int64_t* row) {
    switch (reduce_inequality(row, width_)) {
      case Reduced::kNever: return false;
      case Reduced::kAlways: return true;
      case Reduced::kRow: break;
    }
    const Extreme top = largest(row, width_, box_);
    if (top.open_terms == 0 && top.sum < 0) return false;
    const Extreme bottom = smallest(row, width_, box_);
    if (bottom.open_terms == 0 && bottom.sum >= 0) return true;
    const int only = only_variable(row);
    if (only >= 0) {
      narrowed_ = true;
      return row[only] > 0 ? box_.raise_lo(only, -Wide{row[width_]})
                           : box_.lower_hi(only, row[width_]);
    }
    if (!known(row)) {
      rows_.append(row);
      gave_up_ = rows_.size() > kMaxRows;
    }
    return true;
  }

  // After reduce_inequality a lone coefficient is 1 or -1.
  int only_variable(const int64_t* row) const {
    int only = -1;
    for (int v = 0; v < width_; ++v) {
      if (row[v] == 0) continue;
      if (only >= 0) return -1;
      only = v;
    }
    return only;
  }

  // A row with the same coefficients keeps the smaller constant of the two.
  bool known(const int64_t* row) {
    for (int r = 0; r < rows_.size(); ++r) {
      int64_t* other = rows_[r];
      if (!std::equal(row, row + width_, other)) continue;
      other[width_] = std::min(other[width_], row[width_]);
      return true;
    }
    return false;
  }

  const int width_;
  Rows rows_;
  Box box_;
  std::vector<int64_t> spare_, bound_;
  bool narrowed_ = false;
  bool gave_up_ = false;
};

}  // namespace

bool fourier_motzkin(const System& system) {
  return system.inequalities.empty() || Elimination(system).run();
}

}  // namespace tenon::solver
