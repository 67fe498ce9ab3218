// The box of a buffer that a piece of program touches, as symbolic bounds.
//
//   std::optional<Region> r = region_of(body, linear, facts_at_loop);
//   r->lo[0], r->extent[0];              // expressions over what is in scope at the loop
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenon/analysis/facts.h"
#include "tenon/ir/stmt.h"

namespace tenon {

struct Region {
  std::vector<Expr> lo;      // first index per dimension
  std::vector<Expr> extent;  // number of indices per dimension; it may vary with the loops around
  std::vector<Expr>
      room;  // the most that it is in any of their iterations: what memory has to hold
};

// The hull of all reads (or of all accesses) of `buffer` in s. The loops inside s are eliminated
// innermost first by their end values. `facts` are those of the place where s stands. On failure
// the status says which dimension and why ("the first index of reads of t varies non-monotonically
// with r").
enum class Which : uint8_t { kReads, kWrites, kAll };
absl::StatusOr<Region> region_of(const Stmt& s, const Buffer& buffer, Which which,
                                 const Facts& facts);
// One box for several buffers of the same rank, the results of one reduction.
absl::StatusOr<Region> region_of(const Stmt& s, const std::vector<Buffer>& buffers, Which which,
                                 const Facts& facts);

}  // namespace tenon
