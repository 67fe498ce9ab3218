// Rows with the same coefficients up to sign:  f + a >= 0  and  f + b >= 0  need one row;
// f + a >= 0  and  -f + b >= 0  are a contradiction for a + b < 0 and an equation for a + b == 0.
#include <algorithm>

#include "analysis/solver_rows.h"
#include "tenon/base/hash.h"

namespace tenon::solver {
namespace {

// The same for f and -f; `sign` tells them apart.
struct Key {
  uint64_t hash = 0;
  int sign = 0;  // of the first coefficient
};

Key key_of(const int64_t* row, int width) {
  Key key;
  for (int v = 0; v < width; ++v) {
    if (row[v] == 0) continue;
    if (key.sign == 0) key.sign = row[v] > 0 ? 1 : -1;
    const uint64_t signed_value = static_cast<uint64_t>(row[v]);
    key.hash = key.hash * 0x9e3779b97f4a7c15u +
               (key.sign > 0 ? signed_value : uint64_t{0} - signed_value) * (2 * v + 1u);
  }
  return key;
}

bool parallel(const int64_t* a, const int64_t* b, int width, bool opposite) {
  for (int v = 0; v < width; ++v) {
    if (a[v] != (opposite ? static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(b[v])) : b[v]))
      return false;
  }
  return true;
}

}  // namespace

bool compare_parallel_rows(System& system) {
  Rows& rows = system.inequalities;
  const int width = rows.width();
  std::vector<Key> keys;
  keys.reserve(rows.size());
  for (int r = 0; r < rows.size(); ++r) keys.push_back(key_of(rows[r], width));

  const auto remove = [&](int r) {
    rows.remove(r);
    keys[r] = keys.back();
    keys.pop_back();
  };
  for (int a = 0; a < rows.size(); ++a) {
    for (int b = rows.size() - 1; b > a; --b) {
      if (keys[a].hash != keys[b].hash) continue;
      const bool opposite = keys[a].sign != keys[b].sign;
      if (!parallel(rows[a], rows[b], width, opposite)) continue;
      if (!opposite) {
        rows[a][width] = std::min(rows[a][width], rows[b][width]);
        remove(b);
        continue;
      }
      const Wide gap = Wide{rows[a][width]} + rows[b][width];
      if (gap < 0) return false;
      if (gap > 0) continue;
      system.equations.append(rows[a]);
      remove(b);
      remove(a--);
      break;
    }
  }
  return true;
}

}  // namespace tenon::solver
