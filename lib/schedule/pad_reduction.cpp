// pad_reduction(r, 4):
//
//   for r in 0..k                    for r in 0..(k + 3) // 4*4
//     c[i] += x[i, r]        ->        c[i] += select(r < k, x[i, r], -0.0)
//
// The number of iterations becomes a multiple, so that a split by it leaves no tail. What is behind
// the old end contributes the identity of the operator, and reads nothing.
// Obligation: under the loop stands one accumulation by a built-in operator, in loops and guards
// that do not use the loop, and its target does not use it either: then an iteration more goes
// where others go already, and changes nothing. Exact.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

bool uses_any(const std::vector<Expr>& list, const Var& var) {
  return std::any_of(list.begin(), list.end(), [&](const Expr& e) { return uses(e, var); });
}

// One accumulation is all that the body does.
absl::Status pads_one_sum(const Program& program, const Var& loop, const Stmt& body) {
  const auto varies = [&](const std::string& what) {
    return refuse(what + " under loop " + name_in(program, loop) +
                  " uses it, and would be asked for iterations that the loop does not have");
  };
  if (const For* inner = body.as<For>()) {
    if (uses_any({inner->lo, inner->hi}, loop)) {
      return varies("the number of iterations of loop " + name_in(program, inner->var));
    }
    return pads_one_sum(program, loop, inner->body);
  }
  if (const If* guard = body.as<If>()) {
    if (uses(guard->condition, loop)) {
      return varies("the guard " + print(guard->condition, program));
    }
    return pads_one_sum(program, loop, guard->body);
  }
  const Accumulate* sum = body.as<Accumulate>();
  if (body.is<Seq>()) {
    return refuse("loop " + name_in(program, loop) +
                  " holds several statements, and one accumulation is padded: fission first");
  }
  if (!sum) {
    return refuse("one iteration more of loop " + name_in(program, loop) + " would run `" +
                  headline_in(program, body) + "`, which is no accumulation");
  }
  if (sum->by.functions()) {
    return refuse(sum->by.functions()->name +
                  " is a reduction by functions: no element is known that changes nothing");
  }
  if (uses_any(sum->indices, loop)) {
    return refuse("the iterations of loop " + name_in(program, loop) +
                  " accumulate into elements of their own: there is no element for one more");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Program> pad_reduction(const Program& program, const Var& loop, int64_t multiple) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "pad_reduction"));
  if (multiple < 1 || multiple > kMaxFactor) {
    return refuse("a reduction is padded to a multiple of at least 1 and at most " +
                  std::to_string(kMaxFactor) + ", and it is " + std::to_string(multiple));
  }
  if (touches_memory(site.loop.lo) || touches_memory(site.loop.hi)) {
    return refuse("the bounds of loop " + name_in(program, loop) + " are read from memory");
  }
  TENON_RETURN_IF_ERROR(pads_one_sum(program, loop, site.loop.body));

  // Rewrite.
  const Expr &lo = site.loop.lo, &hi = site.loop.hi;
  const Expr end = lo + ceildiv(hi - lo, Expr(multiple)) * Expr(multiple);
  const Stmt body = rewrite_stmts(site.loop.body, [&](const Stmt& s) {
    const Accumulate* sum = s.as<Accumulate>();
    if (!sum) return s;
    const Expr value =
        select(Expr(loop) < hi, sum->value(), identity_of(sum->by, 0, sum->value().type()));
    return accumulate(sum->buffers, sum->indices, sum->by, {value}, sum->mask);
  });
  const Stmt padded = make_for(loop, lo, end, site.loop.kind, body);
  return simplified(program, replace_loop(program->body, loop, [&](const For&) { return padded; }));
}

}  // namespace tenon::primitives
