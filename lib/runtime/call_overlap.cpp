#include <cstdlib>

#include "runtime/call_problem.h"

namespace tenon {
namespace {

// How far one step along a dimension goes, in bytes; 0 where there is no step to make, since there
// the stride may be anything.
int64_t step_of(const View& view, int d) {
  return view.size(d) > 1 ? std::abs(view.stride(d)) * view.type().bytes() : 0;
}

// The bytes around its base that a view touches when it moves only by strides that are no multiples
// of `period`: [low, high). Moves by multiples come back to the same place modulo the period.
struct Footprint {
  int64_t low = 0, high = 0;
};

Footprint footprint(const View& view, int64_t period) {
  Footprint f{0, view.type().bytes()};
  for (int d = 0; d < view.rank(); ++d) {
    if (step_of(view, d) % period == 0) continue;
    const int64_t reach = (view.size(d) - 1) * view.stride(d) * view.type().bytes();
    (reach < 0 ? f.low : f.high) += reach;
  }
  return f;
}

// Column slices of one matrix: in every period (a row) they use different bytes.
bool apart_in_every(int64_t period, const View& a, const View& b) {
  const Footprint fa = footprint(a, period), fb = footprint(b, period);
  const int64_t distance = reinterpret_cast<intptr_t>(b.data()) + fb.low -
                           (reinterpret_cast<intptr_t>(a.data()) + fa.low);
  const int64_t from_a = ((distance % period) + period) % period;  // where b begins after a
  return from_a >= fa.high - fa.low && period - from_a >= fb.high - fb.low;
}

}  // namespace

bool may_share_memory(const View& a, const View& b) {
  for (const View* view : {&a, &b}) {
    for (int d = 0; d < view->rank(); ++d) {
      const int64_t period = step_of(*view, d);
      if (period > 0 && apart_in_every(period, a, b)) return false;
    }
  }
  return true;
}

// Elements are apart when each dimension steps over all that the dimensions with smaller strides
// span.
bool may_overlap_itself(const View& view) {
  for (int d = 0; d < view.rank(); ++d) {
    if (view.size(d) <= 1) continue;
    int64_t span = view.type().bytes();
    for (int e = 0; e < view.rank(); ++e) {
      const bool is_inside =
          step_of(view, e) < step_of(view, d) || (step_of(view, e) == step_of(view, d) && e < d);
      if (is_inside) span += (view.size(e) - 1) * step_of(view, e);
    }
    if (step_of(view, d) < span) return true;
  }
  return false;
}

}  // namespace tenon
