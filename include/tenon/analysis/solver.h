// A bounded integer system: is there an integer point that satisfies all of it?
//
//   IntegerSystem s;
//   int x = s.variable(0, 11), d = s.variable(-11, 11);
//   s.equal_zero({{{x, 12}, {d, 1}}, 0});              // 12 x + d == 0
//   s.solve().answer;                                  // kYes: feasible, with a witness
//
// Independence, guard removal, region inference and bounds all ask this one question. `kNo` means
// proved infeasible; `kYes` means a witness was found and checked; everything else is `kUnknown`.
// Method: substitution of equations with a unit coefficient and the gcd test, box narrowing to a
// fixpoint, Fourier-Motzkin elimination with gcd tightening and a cap on rows, then a bounded
// search for a witness.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tenon/analysis/answer.h"

namespace tenon {

class IntegerSystem {
 public:
  using Term = std::pair<int, int64_t>;  // (variable, coefficient)
  struct Row {
    std::vector<Term> terms;
    int64_t constant = 0;
  };

  // Adds an unknown with inclusive bounds; an empty bound is open. Returns its number.
  int variable(std::optional<int64_t> lo, std::optional<int64_t> hi);
  int variables() const { return static_cast<int>(bounds_.size()); }
  void equal_zero(const Row& row);     // row == 0
  void at_least_zero(const Row& row);  // row >= 0

  struct Solution {
    Answer answer = Answer::kUnknown;  // kYes: feasible
    std::vector<int64_t> witness;      // one value per variable when kYes
  };
  // `want_witness` false skips the search: the answer is then kNo or kUnknown. Ask the cheap
  // question first.
  Solution solve(bool want_witness = true) const;

 private:
  struct Bounds {
    int64_t lo, hi;  // the least and greatest int64 stand for open sides
  };
  struct StoredRow {
    int first, count;  // in terms_
    int64_t constant;
    bool equation;
  };
  void store(const Row& row, bool equation);
  bool refuted_row_by_row() const;
  bool satisfied_by(const std::vector<int64_t>& values) const;

  std::vector<Bounds> bounds_;
  std::vector<StoredRow> rows_;
  std::vector<Term> terms_;
};

}  // namespace tenon
