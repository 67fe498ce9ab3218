#include "analysis/extent.h"

#include <algorithm>

#include "analysis/text.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {

absl::StatusOr<Expr> extent_in_front(const For& loop, const Facts& facts, const Program& within) {
  for (const Expr& bound : {loop.lo, loop.hi}) {
    if (!touches_memory(bound)) continue;
    return refuse("the number of iterations of loop " + text_of(loop.var, within) +
                  " is read from memory: " + text_of(bound, within));
  }
  const Expr extent = simplify(loop.hi - loop.lo, facts);
  const std::optional<int64_t> count = as_int(extent);
  return count ? Expr(std::max<int64_t>(*count, 0)) : extent;
}

}  // namespace tenon
