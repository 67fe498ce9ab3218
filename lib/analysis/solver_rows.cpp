#include "analysis/solver_rows.h"

#include <algorithm>

namespace tenon::solver {

int64_t* Rows::append() {
  cells_.resize(static_cast<size_t>(++size_ * (width_ + 1)), 0);
  return (*this)[size_ - 1];
}

void Rows::append(const int64_t* row) {
  cells_.insert(cells_.end(), row, row + width_ + 1);
  ++size_;
}

void Rows::remove(int row) {
  --size_;
  if (row != size_) std::copy_n((*this)[size_], width_ + 1, (*this)[row]);
  cells_.resize(static_cast<size_t>(size_ * (width_ + 1)));
}

void Rows::clear() {
  size_ = 0;
  cells_.clear();
}

// A bound beyond the range of int64 says nothing about an open side and empties a closed one.
bool Box::raise_lo(int v, Wide value) {
  if (hi[v] != kOpenHigh && value > hi[v]) return false;
  if (value > lo[v] && value < kOpenHigh) lo[v] = static_cast<int64_t>(value);
  return true;
}

bool Box::lower_hi(int v, Wide value) {
  if (lo[v] != kOpenLow && value < lo[v]) return false;
  if (value < hi[v] && value > kOpenLow) hi[v] = static_cast<int64_t>(value);
  return true;
}

Extreme largest(const int64_t* row, int width, const Box& box) {
  Extreme result{row[width], 0};
  for (int v = 0; v < width; ++v) {
    if (row[v] == 0) continue;
    const int64_t end = row[v] > 0 ? box.hi[v] : box.lo[v];
    if (end == kOpenHigh || end == kOpenLow) {
      ++result.open_terms;
    } else {
      result.sum += Wide{row[v]} * end;
    }
  }
  return result;
}

Extreme smallest(const int64_t* row, int width, const Box& box) {
  Extreme result{row[width], 0};
  for (int v = 0; v < width; ++v) {
    if (row[v] == 0) continue;
    const int64_t end = row[v] > 0 ? box.lo[v] : box.hi[v];
    if (end == kOpenHigh || end == kOpenLow) {
      ++result.open_terms;
    } else {
      result.sum += Wide{row[v]} * end;
    }
  }
  return result;
}

namespace {

uint64_t gcd_of_coefficients(const int64_t* row, int width) {
  uint64_t g = 0;
  for (int v = 0; v < width && g != 1; ++v) {
    if (row[v] != 0) g = gcd_of(magnitude(row[v]), g);
  }
  return g;
}

// g is at least 2 and divides every coefficient.
void divide_coefficients(int64_t* row, int width, uint64_t g) {
  for (int v = 0; v < width; ++v) row[v] = static_cast<int64_t>(Wide{row[v]} / Wide{g});
}

}  // namespace

Reduced reduce_inequality(int64_t* row, int width) {
  const uint64_t g = gcd_of_coefficients(row, width);
  if (g == 0) return row[width] >= 0 ? Reduced::kAlways : Reduced::kNever;
  if (g > 1) {
    divide_coefficients(row, width, g);
    row[width] = static_cast<int64_t>(floor_div(row[width], Wide{g}));
  }
  return Reduced::kRow;
}

Reduced reduce_equation(int64_t* row, int width) {
  const uint64_t g = gcd_of_coefficients(row, width);
  if (g == 0) return row[width] == 0 ? Reduced::kAlways : Reduced::kNever;
  if (g > 1) {
    if (magnitude(row[width]) % g != 0) return Reduced::kNever;
    divide_coefficients(row, width, g);
    row[width] = static_cast<int64_t>(Wide{row[width]} / Wide{g});
  }
  return Reduced::kRow;
}

bool add_multiple(int64_t* row, int64_t factor, const int64_t* other, int width) {
  bool overflow = false;
  for (int v = 0; v <= width; ++v) {
    int64_t product;
    overflow |= __builtin_mul_overflow(factor, other[v], &product);
    overflow |= __builtin_add_overflow(row[v], product, &row[v]);
  }
  return !overflow;
}

}  // namespace tenon::solver
