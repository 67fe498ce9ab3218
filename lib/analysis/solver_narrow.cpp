// Box narrowing: each row bounds each of its variables through the ends of the others.
#include "analysis/solver_rows.h"

namespace tenon::solver {
namespace {

// Rows that chase each other (x < y, y < x) would narrow one by one for ever; Fourier-Motzkin
// decides those.
constexpr int kMaxRounds = 10;

enum class Effect : uint8_t { kNone, kNarrowed, kEmpty };

// row >= 0 with a largest value `slack`: a variable may leave its best end by slack /
// |coefficient|.
Effect narrow_by(const int64_t* row, int width, Box& box) {
  const Extreme top = largest(row, width, box);
  if (top.open_terms > 1) return Effect::kNone;
  if (top.open_terms == 0 && top.sum < 0) return Effect::kEmpty;
  bool narrowed = false;
  for (int v = 0; v < width; ++v) {
    const int64_t a = row[v];
    if (a == 0) continue;
    const int64_t best = a > 0 ? box.hi[v] : box.lo[v];
    const bool open = best == kOpenHigh || best == kOpenLow;
    if (top.open_terms == 1 && !open) continue;
    const int64_t lo = box.lo[v], hi = box.hi[v];
    const bool left =
        a > 0
            ? box.raise_lo(v, open ? ceil_div(-top.sum, a) : best - floor_div(top.sum, a))
            : box.lower_hi(v, open ? floor_div(-top.sum, a) : best + floor_div(top.sum, -Wide{a}));
    if (!left) return Effect::kEmpty;
    narrowed |= lo != box.lo[v] || hi != box.hi[v];
  }
  return narrowed ? Effect::kNarrowed : Effect::kNone;
}

}  // namespace

bool narrow(const Rows& inequalities, Box& box) {
  for (int round = 0; round < kMaxRounds; ++round) {
    bool narrowed = false;
    for (int r = 0; r < inequalities.size(); ++r) {
      const Effect effect = narrow_by(inequalities[r], inequalities.width(), box);
      if (effect == Effect::kEmpty) return false;
      narrowed |= effect == Effect::kNarrowed;
    }
    if (!narrowed) break;
  }
  return true;
}

bool narrow(System& system) {
  Rows& rows = system.inequalities;
  for (int r = rows.size() - 1; r >= 0; --r) {
    const Reduced reduced = reduce_inequality(rows[r], system.width());
    if (reduced == Reduced::kNever) return false;
    if (reduced == Reduced::kAlways) rows.remove(r);
  }
  if (!narrow(rows, system.box)) return false;
  for (int r = rows.size() - 1; r >= 0; --r) {
    const Extreme bottom = smallest(rows[r], system.width(), system.box);
    if (bottom.open_terms == 0 && bottom.sum >= 0) rows.remove(r);
  }
  return true;
}

}  // namespace tenon::solver
