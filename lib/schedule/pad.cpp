// pad(t, 1, 16):
//
//   alloc t: f32[m, n]      ->      alloc t: f32[m, (n + 15) // 16*16]
//
// The elements behind the old extent belong to nobody, so that whole vectors may be stored to a
// local buffer, and rows start at multiples of the vector's length.
// Obligation: the stage is a local buffer. Nothing else: every access stays inside. Exact.
#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// Keeps extent + multiple far from overflow.
constexpr int64_t kMaxMultiple = int64_t{1} << 31;

}  // namespace

absl::StatusOr<Program> pad(const Program& program, const Buffer& stage, int dim,
                            int64_t multiple) {
  // Find.
  std::optional<std::vector<Expr>> shape = shape_of(program, stage);
  if (!shape) return refuse("the program has no buffer " + stage.name());

  // Require.
  if (find_param(program, stage)) {
    return refuse(stage.name() + " is a parameter: its shape belongs to the caller");
  }
  if (dim < 0 || static_cast<size_t>(dim) >= shape->size()) {
    return refuse(stage.name() + " has " + std::to_string(shape->size()) +
                  (shape->size() == 1 ? " dimension" : " dimensions") + ", and dimension " +
                  std::to_string(dim) + " was asked for");
  }
  if (multiple < 1 || multiple > kMaxMultiple) {
    return refuse("an extent is padded to a multiple of at least 1 and at most " +
                  std::to_string(kMaxMultiple) + ", and it is " + std::to_string(multiple));
  }

  // Rewrite.
  Expr& extent = (*shape)[static_cast<size_t>(dim)];
  extent = ceildiv(extent, Expr(multiple)) * Expr(multiple);
  return simplified(program, rewrite_stmts(program->body, [&](const Stmt& s) {
                      const Alloc* a = s.as<Alloc>();
                      if (!a || !(a->buffer == stage)) return s;
                      return alloc(stage, *shape, a->memory, a->offset);
                    }));
}

}  // namespace tenon::primitives
