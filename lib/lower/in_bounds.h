// Does an access stay inside of its buffer?
#pragma once

#include "lower/guards.h"
#include "tenon/analysis/facts.h"

namespace tenon {

// Knows the buffers of one Program. Proofs by ranges are cheap; the solver is asked when these do
// not suffice, and no longer once it has failed often: where masks are needed, hundreds of unrolled
// statements need them.
class BoundsProver {
 public:
  explicit BoundsProver(const Program& program) : declared_(declarations_of(program)) {}

  bool in_bounds(const Buffer& buffer, const std::vector<Expr>& indices, const Facts& facts);
  const Declaration& declaration(const Buffer& buffer) const { return declared_.at(buffer); }
  bool is_local(const Buffer& buffer) const { return declaration(buffer).local; }

 private:
  bool not_negative(const Expr& e, const Facts& facts);

  const Declarations declared_;
  int failures_ = 0;
};

}  // namespace tenon
