#include "lower/in_bounds.h"

#include "tenon/analysis/affine.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/prove.h"

namespace tenon {
namespace {

constexpr int kMaxFailures = 64;

}  // namespace

bool BoundsProver::in_bounds(const Buffer& buffer, const std::vector<Expr>& indices,
                             const Facts& facts) {
  const std::vector<Expr>& shape = declaration(buffer).shape;
  for (size_t d = 0; d < indices.size(); ++d) {
    Affine room = to_affine(shape[d]) - to_affine(indices[d]);
    room.constant -= 1;
    if (!not_negative(indices[d], facts) || !not_negative(to_expr(room), facts)) return false;
  }
  return true;
}

bool BoundsProver::not_negative(const Expr& e, const Facts& facts) {
  const Interval range = bounds(e, facts);
  if (range.lo && *range.lo >= 0) return true;
  if (failures_ >= kMaxFailures) return false;
  if (proved(facts, binary(BinaryOp::kLe, constant_int(i64, 0), e))) return true;
  ++failures_;
  return false;
}

}  // namespace tenon
