// align_storage(t, 0, 16, 4):
//
//   alloc t: f32[m, n]      ->      alloc t: f32[m, (n + 11) // 16*16 + 4]
//
// The step from one index of a dimension to the next, in elements, gets a given remainder modulo
// `multiple`: rows that start at multiples of a vector's length, or that do not start at equal
// offsets of the cache's sets. The next dimension grows until it is so; its new elements belong to
// nobody.
// Obligation: the stage is a local buffer, the dimension is not its last one (which has the step
// 1), what stands behind the next dimension has constant extents, and the remainder can be reached.
// Nothing else: every access stays inside. Exact.
#include <numeric>

#include "schedule/common.h"
#include "schedule/resize.h"
#include "tenon/analysis/find.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// The elements behind one index of the dimension; empty when they are not a constant number.
std::optional<int64_t> elements_behind(const std::vector<Expr>& shape, size_t dim) {
  int64_t elements = 1;
  for (size_t d = dim + 1; d < shape.size(); ++d) {
    const std::optional<int64_t> extent = as_int(shape[d]);
    if (!extent || __builtin_mul_overflow(elements, *extent, &elements)) return std::nullopt;
  }
  return elements;
}

// The least k >= 0 with k * step % multiple == offset, and the distance to the next one.
struct Solution {
  int64_t first, distance;
};
std::optional<Solution> solve(int64_t step, int64_t multiple, int64_t offset) {
  const int64_t distance = multiple / std::gcd(step, multiple);
  const int64_t reduced = step % multiple;
  int64_t remainder = 0;
  for (int64_t k = 0; k < distance; ++k) {
    if (remainder == offset) return Solution{k, distance};
    remainder = (remainder + reduced) % multiple;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Program> align_storage(const Program& program, const Buffer& stage, int dim,
                                      int64_t multiple, int64_t offset) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const std::vector<Expr> shape, shape_of_local(program, stage, dim));

  // Require.
  const size_t next = static_cast<size_t>(dim) + 1;
  if (next == shape.size()) {
    return refuse("dimension " + std::to_string(dim) + " of " + stage.name() +
                  " is the last one, whose elements lie next to each other");
  }
  if (multiple < 1 || multiple > kMaxAlignment || offset < 0 || offset >= multiple) {
    return refuse(
        "the step of a dimension is offset modulo multiple, with 0 <= offset < multiple "
        "and multiple at most " +
        std::to_string(kMaxAlignment) + "; the multiple is " + std::to_string(multiple) +
        " and the offset " + std::to_string(offset));
  }
  const std::optional<int64_t> behind = elements_behind(shape, next);
  if (!behind) {
    return refuse("the dimensions of " + stage.name() + " behind dimension " +
                  std::to_string(next) + " have no constant extents");
  }
  const std::optional<Solution> extents = solve(*behind, multiple, offset);
  if (!extents) {
    return refuse("the step of dimension " + std::to_string(dim) + " of " + stage.name() +
                  " is a multiple of " + std::to_string(*behind) + ", which is never " +
                  std::to_string(offset) + " modulo " + std::to_string(multiple));
  }

  // Rewrite.
  const Expr first = extents->first, distance = extents->distance;
  const Expr grown = ceildiv(shape[next] - first, distance) * distance + first;
  return simplified(program, with_extent(program->body, stage, next, grown));
}

}  // namespace tenon::primitives
