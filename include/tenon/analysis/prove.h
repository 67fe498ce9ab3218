// Does a condition hold at a place?
//
//   prove(facts, i * 12 + ii < m);          // kYes, kNo (it fails somewhere) or kUnknown
//   never(facts, {a < b, b < a});           // kYes: no values make all of them true
#pragma once

#include <vector>

#include "tenon/analysis/answer.h"
#include "tenon/analysis/facts.h"

namespace tenon {

// kYes: true for all values that the facts allow. kNo: false for some values of loops, sizes and
// scalar parameters, found concretely. What the elements of buffers are is never assumed, so a
// claim about them is proved from facts or not known.
Answer prove(const Facts& facts, const Expr& condition);
bool proved(const Facts& facts, const Expr& condition);  // prove == kYes, without a witness search

// Is the conjunction unsatisfiable?
Answer never(const Facts& facts, const std::vector<Expr>& conditions);

}  // namespace tenon
