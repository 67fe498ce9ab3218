// Removes equations one by one, each by expressing one variable through the others.
//
// With a unit coefficient that is plain substitution. Without one, a change of variable makes the
// coefficients smaller: with a_k the smallest of  a_k x_k + sum a_i x_i + c = 0,  let
// t = x_k + sum (a_i div a_k) x_i. Then  a_k t + sum (a_i mod a_k) x_i + c = 0, Euclid's step. t
// takes the column of x_k; integer points correspond one to one.
#include <utility>

#include "analysis/solver_rows.h"

namespace tenon::solver {
namespace {

struct Pivot {
  int equation = -1;
  int variable = -1;
};

int occurrences(const System& system, int v) {
  int count = 0;
  for (int r = 0; r < system.inequalities.size(); ++r) count += system.inequalities[r][v] != 0;
  for (int r = 0; r < system.equations.size(); ++r) count += system.equations[r][v] != 0;
  return count;
}

// The unit coefficient whose substitution makes the fewest new rows: open variables first.
Pivot unit_pivot(const System& system) {
  Pivot best;
  int best_cost = 0;
  for (int r = 0; r < system.equations.size(); ++r) {
    const int64_t* row = system.equations[r];
    for (int v = 0; v < system.width(); ++v) {
      if (row[v] != 1 && row[v] != -1) continue;
      const int sides = (system.box.lo[v] != kOpenLow) + (system.box.hi[v] != kOpenHigh);
      const int cost = 4 * sides + occurrences(system, v);
      if (best.equation < 0 || cost < best_cost) best = {r, v}, best_cost = cost;
    }
  }
  return best;
}

// The smallest coefficient of the equations.
Pivot smallest_pivot(const System& system) {
  Pivot best;
  uint64_t smallest = 0;
  for (int r = 0; r < system.equations.size(); ++r) {
    const int64_t* row = system.equations[r];
    for (int v = 0; v < system.width(); ++v) {
      if (row[v] == 0) continue;
      if (best.equation < 0 || magnitude(row[v]) < smallest) {
        best = {r, v};
        smallest = magnitude(row[v]);
      }
    }
  }
  return best;
}

// Replaces variable v by the definition (which may contain v anew) in one set of rows. A row whose
// numbers overflow is given up.
void substitute_in(Rows& rows, int v, const int64_t* definition) {
  for (int r = rows.size() - 1; r >= 0; --r) {
    int64_t* row = rows[r];
    const int64_t factor = row[v];
    if (factor == 0) continue;
    row[v] = 0;
    if (!add_multiple(row, factor, definition, rows.width())) rows.remove(r);
  }
}

// What the box said of v becomes two rows on the definition, unless the box of the others says it
// already.
void keep_bounds(System& system, int v, const int64_t* definition) {
  const int width = system.width();
  const int64_t lo = std::exchange(system.box.lo[v], kOpenLow);
  const int64_t hi = std::exchange(system.box.hi[v], kOpenHigh);
  const auto add_row = [&](int64_t sign, Wide constant) {
    if (!fits_int64(constant)) return;
    int64_t* row = system.inequalities.append();
    bool fits = true;
    for (int i = 0; i < width; ++i) fits &= !__builtin_mul_overflow(sign, definition[i], &row[i]);
    row[width] = static_cast<int64_t>(constant);
    if (!fits) system.inequalities.remove(system.inequalities.size() - 1);
  };
  if (lo != kOpenLow) add_row(1, Wide{definition[width]} - lo);
  if (hi != kOpenHigh) add_row(-1, Wide{hi} - definition[width]);
}

void replace_variable(System& system, int v) {
  // The last definition is the one to apply.
  const int64_t* definition = system.definitions[system.definitions.size() - 1];
  system.defined.push_back(v);
  substitute_in(system.equations, v, definition);
  substitute_in(system.inequalities, v, definition);
  keep_bounds(system, v, definition);
}

// v = -sign * (the rest of the equation). The column of v falls empty.
void solve_for(System& system, Pivot pivot) {
  const int width = system.width();
  int64_t* definition = system.definitions.append();
  const int64_t* equation = system.equations[pivot.equation];
  const int64_t sign = equation[pivot.variable];
  bool fits = true;
  for (int i = 0; i <= width; ++i) {
    fits &= !__builtin_mul_overflow(-sign, equation[i], &definition[i]);
  }
  definition[pivot.variable] = 0;
  system.equations.remove(pivot.equation);
  if (!fits) {
    system.definitions.remove(system.definitions.size() - 1);
    return;
  }
  replace_variable(system, pivot.variable);
  // Nothing mentions v any more; 0 stands for it until the definitions are undone.
  system.box.lo[pivot.variable] = system.box.hi[pivot.variable] = 0;
}

// x_k = t - sum (a_i div a_k) x_i, with t in the column of x_k.
void make_smaller(System& system, Pivot pivot) {
  const int width = system.width();
  int64_t* definition = system.definitions.append();
  const int64_t* equation = system.equations[pivot.equation];
  const int64_t divisor = equation[pivot.variable];
  for (int i = 0; i < width; ++i) {
    definition[i] = static_cast<int64_t>(-floor_div(equation[i], divisor));
  }
  definition[pivot.variable] = 1;
  replace_variable(system, pivot.variable);
}

// Variables of one value become part of the constants.
void substitute_fixed(System& system, Rows& rows) {
  for (int r = rows.size() - 1; r >= 0; --r) {
    int64_t* row = rows[r];
    Wide constant = row[rows.width()];
    for (int v = 0; v < rows.width(); ++v) {
      if (row[v] == 0 || !system.box.fixed(v)) continue;
      constant += Wide{row[v]} * system.box.lo[v];
      row[v] = 0;
    }
    if (fits_int64(constant)) {
      row[rows.width()] = static_cast<int64_t>(constant);
    } else {
      rows.remove(r);
    }
  }
}

bool reduce_equations(System& system) {
  for (int r = system.equations.size() - 1; r >= 0; --r) {
    switch (reduce_equation(system.equations[r], system.width())) {
      case Reduced::kNever: return false;
      case Reduced::kAlways: system.equations.remove(r); break;
      case Reduced::kRow: break;
    }
  }
  return true;
}

}  // namespace

bool eliminate_equations(System& system) {
  substitute_fixed(system, system.equations);
  substitute_fixed(system, system.inequalities);
  // Each change of variable shrinks a coefficient, so the number of steps is small; the cap is for
  // systems whose numbers grow instead.
  for (int steps = 0; steps < 200; ++steps) {
    if (!reduce_equations(system)) return false;
    if (system.equations.empty()) return true;
    const Pivot unit = unit_pivot(system);
    if (unit.equation >= 0) {
      solve_for(system, unit);
    } else {
      make_smaller(system, smallest_pivot(system));
    }
  }
  system.equations.clear();
  return true;
}

}  // namespace tenon::solver
