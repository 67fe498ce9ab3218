// add_unit_loop(i):
//
//                              for i1 in 0..1
//   for i in 0..n                for i in 0..n
//     out[i] = x[i]      ->        out[i] = x[i]
//
// A place for a stage, or for a loop that is to be split further.
// Obligation: none. Exact; squash takes the loop away again.
#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<OneLoop> add_unit_loop(const Program& program, const Var& loop) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Rewrite.
  const Var unit(loop.name() + "1");
  const Stmt around = make_for(unit, 0, 1, ForKind::kSerial, site.statement);
  Stmt body = replace_loop(program->body, loop, [&](const For&) { return around; });
  return OneLoop{program.with_body(std::move(body)), unit};
}

}  // namespace tenon::primitives
