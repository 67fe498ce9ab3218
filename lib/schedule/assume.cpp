// assume(n % 8 == 0):
//
//   size n                                  size n
//                                           require n % 8 == 0
//   for io in 0..(n + 7) // 8               for io in 0..n // 8
//     for ii in 0..8                  ->      for ii in 0..8
//       if io*8 + ii < n                        out[io*8 + ii] = x[io*8 + ii]
//         out[io*8 + ii] = x[io*8 + ii]
//
// The fact becomes a requirement, which every call is checked for. The only way past an obligation
// that cannot be proved.
// Obligation (may_assume): a condition over sizes that can be checked and that can hold. Exact for
// the calls that the requirement lets through.
#include "tenon/analysis/legality_facts.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

absl::StatusOr<Program> assume(const Program& program, const Expr& fact) {
  // Require.
  TENON_ASSIGN_OR_RETURN(const std::vector<Expr> facts, may_assume(program, fact));

  // Rewrite.
  ProgramData data = *program;
  data.requirements.insert(data.requirements.end(), facts.begin(), facts.end());
  const Program required(std::move(data));
  return simplify(required, KeepLoops::kYes);  // all of it: more is known
}

}  // namespace tenon::primitives
