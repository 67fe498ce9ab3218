// vectorize(i):
//
//   for i in 0..8 { S }   ->   vector for i in 0..8 { S }
//
// The iterations become the lanes of a vector and run in lock step, statement by statement.
// Obligation (may_vectorize): a constant number of lanes, and no dependence from one lane to
// another. Exact, except where lanes fold a floating-point accumulation: then the Program is marked
// as reassociated.
#include "schedule/common.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

// Says what would help where the number of lanes is the trouble.
absl::Status with_advice(const absl::Status& refusal, const Program& program,
                         const LoopSite& site) {
  const std::optional<int64_t> extent = constant_extent(site.loop, site.facts);
  std::optional<Diagnostic> d = diagnostic_of(refusal);
  if ((extent && *extent <= kMaxVectorLanes) || !d || !d->legal.empty()) return refusal;
  if (!externs_of(site.loop.body).empty()) return refusal;  // no number of lanes would do
  d->legal.push_back(split_first(program, site.loop.var, 16, "vectorize"));
  return make_status(*d);
}

}  // namespace

absl::StatusOr<Program> vectorize(const Program& program, const Var& loop) {
  // Find.
  TENON_ASSIGN_OR_RETURN(const LoopSite site, site_of(program, loop));

  // Require.
  TENON_RETURN_IF_ERROR(require_serial(program, site.loop, "vectorize"));
  const Verdict verdict = may_vectorize(site);
  if (!verdict.ok()) return with_advice(verdict.status, program, site);

  // Rewrite.
  return with_kind(program, loop, ForKind::kVector, verdict);
}

}  // namespace tenon::primitives
