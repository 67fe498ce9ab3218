// unroll(i):
//
//   for i in 0..4 { S }   ->   unroll for i in 0..4 { S }
//
// Lowering writes the iterations one after the other.
// Obligation: a constant number of iterations; with the unrolled loops around and inside, no more
// than kMaxUnrolledCopies copies of a statement; each copy repeats the first bound, so the body
// writes nothing that it reads (may_repeat_bounds). Exact.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {

int64_t copies_in(const Stmt& s, const Facts& facts) {
  int64_t most = 1;
  for_each_child(
      s, [](const Expr&) {},
      [&](const Stmt& child) { most = std::max(most, copies_in(child, facts)); });
  const For* loop = s.as<For>();
  if (!loop || loop->kind != ForKind::kUnroll) return most;
  const int64_t own = std::max<int64_t>(constant_extent(*loop, facts).value_or(1), 1);
  int64_t copies = 0;
  return __builtin_mul_overflow(most, own, &copies) ? INT64_MAX : copies;
}

namespace {

int64_t copies_around(const LoopSite& site) {
  int64_t copies = 1;
  for (const For& loop : site.outer) {
    if (loop.kind == ForKind::kUnroll) copies *= constant_extent(loop, site.facts).value_or(1);
  }
  return std::max<int64_t>(copies, 1);
}

}  // namespace

absl::StatusOr<Program> unroll(const Program& program, const Var& loop) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "unroll"));
  TENON_RETURN_IF_ERROR(may_repeat_bounds(site).status);
  const std::optional<int64_t> extent = constant_extent(site.loop, site.facts);
  if (!extent) {
    return refuse("loop " + name_in(program, loop) + " has " +
                      print(extent_of(site.loop, site.facts), program) +
                      " iterations; only a constant number can be unrolled",
                  {}, {split_first(program, loop, 4, "unroll")});
  }
  const int64_t others = copies_in(site.loop.body, site.facts) * copies_around(site);
  if (*extent > kMaxUnrolledCopies / others) {
    const std::string beside = others > 1 ? " (with the unrolled loops around and inside it, " +
                                                std::to_string(others) + " times as many)"
                                          : "";
    return refuse("unrolling loop " + name_in(program, loop) + " makes " + std::to_string(*extent) +
                      " copies of its body" + beside + ", and the limit is " +
                      std::to_string(kMaxUnrolledCopies),
                  {}, {split_first(program, loop, 4, "unroll")});
  }

  // Rewrite.
  return with_kind(program, loop, ForKind::kUnroll);
}

}  // namespace tenon::primitives
