// The working form of an integer system inside solve(): dense rows, a box, and the substitutions
// that lead back from the reduced variables to the original ones.
//
// Every step here only ever removes a row when it is implied by what stays, or when arithmetic on
// it would overflow. Both keep "no integer point" sound, and a witness is checked against the
// original rows, so neither answer can be wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/wide.h"

namespace tenon::solver {

// An open side of the box.
inline constexpr int64_t kOpenLow = kInt64Min;
inline constexpr int64_t kOpenHigh = kInt64Max;

// Rows of `width` coefficients and a constant at index `width`.
class Rows {
 public:
  explicit Rows(int width) : width_(width) {}

  int width() const { return width_; }
  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* operator[](int row) { return cells_.data() + row * (width_ + 1); }
  const int64_t* operator[](int row) const { return cells_.data() + row * (width_ + 1); }

  int64_t* append();                // a row of zeros
  void append(const int64_t* row);  // a copy; `row` must not point into this
  void remove(int row);             // the last row takes its place
  void clear();

 private:
  int width_;
  int size_ = 0;
  std::vector<int64_t> cells_;
};

struct Box {
  std::vector<int64_t> lo, hi;

  bool fixed(int v) const { return lo[v] == hi[v]; }
  // Intersects; false when nothing is left.
  bool raise_lo(int v, Wide value);
  bool lower_hi(int v, Wide value);
};

// The largest value of a row over a box, or how many terms make it unbounded.
struct Extreme {
  Wide sum = 0;  // of the bounded terms and the constant
  int open_terms = 0;
};
Extreme largest(const int64_t* row, int width, const Box& box);
Extreme smallest(const int64_t* row, int width, const Box& box);

struct System {
  explicit System(int variables)
      : equations(variables), inequalities(variables), definitions(variables) {
    box.lo.assign(variables, kOpenLow);
    box.hi.assign(variables, kOpenHigh);
  }
  int width() const { return equations.width(); }

  Rows equations;     // == 0
  Rows inequalities;  // >= 0
  Box box;
  // value[defined[i]] = definitions[i] applied to the values of the variables after step i, where
  // defined[i] may occur itself. Undone from the last to the first.
  Rows definitions;
  std::vector<int> defined;
};

enum class Reduced : uint8_t { kRow, kAlways, kNever };
// Divides an inequality by the gcd of its coefficients, rounding the constant down: no integer
// point is lost. Rows without variables are decided.
Reduced reduce_inequality(int64_t* row, int width);
// The same for an equation; kNever when the gcd does not divide the constant.
Reduced reduce_equation(int64_t* row, int width);

// row += factor * other; false on overflow, and then row is spoilt.
bool add_multiple(int64_t* row, int64_t factor, const int64_t* other, int width);

// The steps of solve(). Each is false when the system has no integer point.
bool eliminate_equations(System& system);
bool narrow(System& system);                      // the box to a fixpoint; drops implied rows
bool narrow(const Rows& inequalities, Box& box);  // the box only
bool compare_parallel_rows(System& system);       // two that pin a form become an equation
bool fourier_motzkin(const System& system);       // true also when it gave up
// A point of the reduced system; empty when none was found within the budget.
std::vector<int64_t> search_point(const System& system);

}  // namespace tenon::solver
