#include "tenon/analysis/solver.h"

#include "analysis/solver_rows.h"

namespace tenon {

using solver::kOpenHigh;
using solver::kOpenLow;

int IntegerSystem::variable(std::optional<int64_t> lo, std::optional<int64_t> hi) {
  bounds_.push_back({lo.value_or(kOpenLow), hi.value_or(kOpenHigh)});
  return variables() - 1;
}

void IntegerSystem::equal_zero(const Row& row) { store(row, true); }
void IntegerSystem::at_least_zero(const Row& row) { store(row, false); }

void IntegerSystem::store(const Row& row, bool equation) {
  rows_.push_back({static_cast<int>(terms_.size()), static_cast<int>(row.terms.size()),
                   row.constant, equation});
  terms_.insert(terms_.end(), row.terms.begin(), row.terms.end());
}

// The cheap test: one row alone over the box, and the gcd of an equation.
bool IntegerSystem::refuted_row_by_row() const {
  for (const Bounds& b : bounds_) {
    if (b.lo > b.hi) return true;
  }
  for (const StoredRow& row : rows_) {
    Wide low = row.constant, high = row.constant;
    bool open_low = false, open_high = false;
    uint64_t gcd = 0;
    for (int t = row.first; t < row.first + row.count; ++t) {
      const auto [v, a] = terms_[t];
      if (a == 0) continue;
      const auto [lo, hi] = bounds_[v];
      const int64_t least = a > 0 ? lo : hi, most = a > 0 ? hi : lo;
      if (least == kOpenLow || least == kOpenHigh) open_low = true;
      if (most == kOpenLow || most == kOpenHigh) open_high = true;
      low += Wide{a} * least;
      high += Wide{a} * most;
      if (row.equation) gcd = gcd_of(magnitude(a), gcd);
    }
    if (!open_high && high < 0) return true;
    if (!row.equation) continue;
    if (!open_low && low > 0) return true;
    if (gcd > 1 && magnitude(row.constant) % gcd != 0) return true;
  }
  return false;
}

bool IntegerSystem::satisfied_by(const std::vector<int64_t>& values) const {
  for (size_t v = 0; v < bounds_.size(); ++v) {
    if (values[v] < bounds_[v].lo || values[v] > bounds_[v].hi) return false;
  }
  for (const StoredRow& row : rows_) {
    Wide sum = row.constant;
    for (int t = row.first; t < row.first + row.count; ++t) {
      sum += Wide{terms_[t].second} * values[terms_[t].first];
    }
    if (row.equation ? sum != 0 : sum < 0) return false;
  }
  return true;
}

namespace {

bool has_fixed_variable(const solver::System& system) {
  for (int r = 0; r < system.inequalities.size(); ++r) {
    for (int v = 0; v < system.width(); ++v) {
      if (system.inequalities[r][v] != 0 && system.box.fixed(v)) return true;
    }
  }
  return false;
}

// Elimination and narrowing feed each other: a variable with one value left makes coefficients
// coprime or equations out of pairs of rows.
bool reduce(solver::System& system) {
  for (int pass = 0; pass < 6; ++pass) {
    if (!eliminate_equations(system) || !narrow(system) || !compare_parallel_rows(system)) {
      return false;
    }
    if (system.equations.empty() && !has_fixed_variable(system)) break;
  }
  return true;
}

// From a point of the reduced variables to the original ones; empty on overflow.
std::vector<int64_t> undo_definitions(const solver::System& system, std::vector<int64_t> point) {
  for (int d = system.definitions.size() - 1; d >= 0; --d) {
    const int64_t* row = system.definitions[d];
    Wide sum = row[system.width()];
    for (int v = 0; v < system.width(); ++v) sum += Wide{row[v]} * point[v];
    if (!fits_int64(sum)) return {};
    point[system.defined[d]] = static_cast<int64_t>(sum);
  }
  return point;
}

}  // namespace

IntegerSystem::Solution IntegerSystem::solve(bool want_witness) const {
  if (refuted_row_by_row()) return {Answer::kNo, {}};
  // Index questions have tens of unknowns; elimination is cubic.
  constexpr size_t kMaxCells = 40000;
  if (rows_.size() * bounds_.size() > kMaxCells) return {};
  solver::System system(variables());
  for (int v = 0; v < variables(); ++v) {
    system.box.lo[v] = bounds_[v].lo;
    system.box.hi[v] = bounds_[v].hi;
  }
  for (const StoredRow& row : rows_) {
    solver::Rows& rows = row.equation ? system.equations : system.inequalities;
    int64_t* cells = rows.append();
    bool fits = true;
    for (int t = row.first; t < row.first + row.count; ++t) {
      int64_t& cell = cells[terms_[t].first];
      fits &= !__builtin_add_overflow(cell, terms_[t].second, &cell);
    }
    cells[variables()] = row.constant;
    if (!fits) rows.remove(rows.size() - 1);
  }
  if (!reduce(system) || !fourier_motzkin(system)) return {Answer::kNo, {}};
  if (!want_witness) return {};
  const std::vector<int64_t> point = search_point(system);
  if (variables() > 0 && point.empty()) return {};
  std::vector<int64_t> witness = undo_definitions(system, point);
  if (witness.size() != bounds_.size() || !satisfied_by(witness)) return {};
  return {Answer::kYes, std::move(witness)};
}

}  // namespace tenon
