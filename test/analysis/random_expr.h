// Random index expressions, conditions and loops on small numbers.
#pragma once

#include <random>
#include <vector>

#include "tenon/ir/operators.h"
#include "tenon/ir/stmt.h"

namespace tenon::test {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  int64_t in(int64_t lo, int64_t hi) {  // inclusive
    return lo + static_cast<int64_t>(engine_() % static_cast<uint64_t>(hi - lo + 1));
  }
  bool chance(int percent) { return in(1, 100) <= percent; }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<size_t>(in(0, static_cast<int64_t>(list.size()) - 1))];
  }

  // Over these variables, with // and % by constants, min, max and select.
  Expr index(const std::vector<Var>& vars, int depth = 2) {
    const int64_t kind = depth == 0 ? in(0, 4) : in(0, depth == 1 ? 14 : 15);
    if (kind <= 3 && !vars.empty()) return of(vars);
    if (kind <= 4) return Expr(in(-3, 6));
    const Expr a = index(vars, depth - 1);
    switch (kind) {
      case 5:
      case 6:
      case 7:
      case 8: return a + index(vars, depth - 1);
      case 9: return a - index(vars, depth - 1);
      case 10:
      case 11: return a * Expr(in(-3, 4));
      case 12: return a / Expr(in(1, 5));
      case 13: return a % Expr(in(1, 5));
      case 14: return chance(50) ? min(a, index(vars, depth - 1)) : max(a, index(vars, depth - 1));
      default: return select(condition(vars), a, index(vars, depth - 1));
    }
  }

  // What splits, fusions and layouts make: mixed radices of the loops.
  Expr layout_index(const std::vector<Var>& vars) {
    Expr flat = of(vars);
    if (chance(70)) flat = flat * Expr(in(1, 6)) + Expr(of(vars));
    if (chance(40)) flat = flat * Expr(in(1, 4)) + Expr(of(vars));
    if (chance(30)) flat = flat + Expr(in(-2, 3));
    if (chance(30)) return flat / Expr(in(2, 4));
    if (chance(30)) return flat % Expr(in(2, 6));
    return flat;
  }

  Expr condition(const std::vector<Var>& vars) {
    const Expr a = index(vars, 1), b = index(vars, 1);
    switch (in(0, 7)) {
      case 0: return a == b;
      case 1: return a != b;
      case 2: return a <= b;
      case 3: return ~(a < b);
      case 4: return (a < b) & (Expr(of(vars)) < Expr(in(1, 5)));
      case 5: return (a < b) | (Expr(of(vars)) < Expr(in(1, 5)));
      default: return a < b;
    }
  }

  // A loop of a few iterations whose bounds may use the loops around it.
  For loop(const char* name, const std::vector<Var>& around) {
    Expr lo = Expr(chance(80) ? 0 : in(-2, 2)), hi = lo + Expr(in(1, 6));
    if (!around.empty() && chance(20)) lo = Expr(of(around)) + Expr(in(-1, 1));
    if (!around.empty() && chance(20)) hi = Expr(of(around)) + Expr(in(0, 3));
    return For{Var(name), lo, hi, ForKind::kSerial, {}};
  }

 private:
  std::mt19937 engine_;
};

}  // namespace tenon::test
