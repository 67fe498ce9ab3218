// Can two accesses touch the same element, in which iterations?
//
// For accesses a and b of the same buffer with common loops l1..ln (outermost first), the question
// is: do iterations v (of a) and v + d (of b) exist, with d in the given box of directions, such
// that all guards and bounds hold for both and the indices are equal? One integer system answers
// it: the unknowns are v and d (never v and v'), x // c is an unknown with its two inequalities, x
// % c is x - c*(x // c). Loads, checks and products of unknowns are free unknowns: they never prove
// that accesses meet. What is known about loops outside of both accesses (facts) holds for both,
// and those loops are in the same iteration.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tenon/analysis/access.h"
#include "tenon/analysis/answer.h"
#include "tenon/analysis/facts.h"

namespace tenon {

enum class Ordering : uint8_t { kLess, kEqual, kGreater, kAny };  // sign of d: <0, 0, >0, any

struct Meeting {
  Answer answer = Answer::kUnknown;  // kNo: they never meet. kYes: they do, see the witness
  // With kYes: values of the loops of a and of b, and of sizes, as "i = 3".
  std::vector<std::pair<Var, int64_t>> a_values, b_values, sizes;
  std::vector<int64_t> element;  // the cell that both touch
  // With kUnknown: expressions of a and b that the question had to leave open (data, products of
  // unknowns), each once.
  std::vector<Expr> open;
};

// The loops that enclose both: the longest common prefix by variable.
std::vector<For> common_loops(const Access& a, const Access& b);

// `directions` has one entry per common loop (missing ones are kAny). A buffer that is declared
// inside common loops is another one in each of their iterations. kYes is given only with a witness
// that was checked by evaluation; on symbolic sizes the values 1 to 7 are tried.
Meeting meet(const Access& a, const Access& b, const std::vector<Ordering>& directions,
             const Facts& facts);
// The same without looking for a witness: proved that they never meet?
bool never_meet(const Access& a, const Access& b, const std::vector<Ordering>& directions,
                const Facts& facts);

// Two accesses that may be exchanged freely: both reads, or accumulations with the same reducer
// (`exact`: only if that reducer is exact for the type - integers, max, min). Functions of the
// user's own are never exact, and commute if elements may come in any order.
bool commute(const Access& a, const Access& b, bool exact);

}  // namespace tenon
