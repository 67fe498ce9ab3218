// pad(t, 1, 16):
//
//   alloc t: f32[m, n]      ->      alloc t: f32[m, (n + 15) // 16*16]
//
// The elements behind the old extent belong to nobody, so that whole vectors may be stored to a
// local buffer, and rows start at multiples of the vector's length.
// Obligation: the stage is a local buffer. Nothing else: every access stays inside. Exact.
#include "schedule/common.h"
#include "schedule/resize.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// Keeps extent + multiple far from overflow.
constexpr int64_t kMaxMultiple = int64_t{1} << 31;

}  // namespace

absl::StatusOr<Program> pad(const Program& program, const Buffer& stage, int dim,
                            int64_t multiple) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const std::vector<Expr> shape, shape_of_local(program, stage, dim));

  // Require.
  if (multiple < 1 || multiple > kMaxMultiple) {
    return refuse("an extent is padded to a multiple of at least 1 and at most " +
                  std::to_string(kMaxMultiple) + ", and it is " + std::to_string(multiple));
  }

  // Rewrite.
  const auto d = static_cast<size_t>(dim);
  const Expr padded = ceildiv(shape[d], Expr(multiple)) * Expr(multiple);
  return simplified(program, with_extent(program->body, stage, d, padded));
}

}  // namespace tenon::primitives
