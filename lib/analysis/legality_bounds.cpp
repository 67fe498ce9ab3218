// The predicates about the bounds of a loop.
#include "analysis/loop_bounds.h"
#include "analysis/missing.h"
#include "analysis/text.h"
#include "tenon/analysis/legality.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

Expr extent_of(const LoopSite& site) { return simplify(site.loop.hi - site.loop.lo, site.facts); }

// The refusal of a claim about the number of iterations. What is known to be wrong is not missing.
Verdict refused(const LoopSite& site, std::string reason, const Expr& claim) {
  return Verdict{refuse(std::move(reason), missing_fact(claim, site.facts, site.program))};
}

}  // namespace

Buffer read_by(const Expr& e) {
  Buffer found;
  walk(e, [&](const Expr& x) {
    if (const Load* l = x.as<Load>()) found = l->buffer;
  });
  return found;
}

absl::Status bounds_read_nothing_written(const std::vector<For>& nest,
                                         const std::vector<Access>& accesses,
                                         const Program& within) {
  absl::Status status;
  const auto check = [&](const Expr& e) {
    const Load* l = e.as<Load>();
    if (!l) return;
    for (const Access& a : accesses) {
      if (a.kind == Access::Kind::kRead || !(a.buffer == l->buffer)) continue;
      status = refuse("the bounds of the loops read " + text_of(l->buffer, within) +
                      ", which their body writes");
    }
  };
  for (const For& loop : nest) walk(loop.lo, check), walk(loop.hi, check);
  return status;
}

Verdict may_repeat_bounds(const LoopSite& site) {
  if (!read_by(site.loop.lo) && !read_by(site.loop.hi)) return {};
  return Verdict{
      bounds_read_nothing_written({site.loop}, accesses_of(site.loop.body), site.program)};
}

Verdict may_split_evenly(const LoopSite& site, int64_t factor) {
  const Expr extent = extent_of(site);
  const Expr claim = extent % Expr(factor) == Expr(0);
  if (proved(site.facts, claim)) return {};
  const std::string count = text_of(extent, site.program) + ", the number of iterations of loop " +
                            text_of(site.loop.var, site.program);
  const std::string text = std::to_string(factor);
  return refused(site,
                 as_int(extent) ? text + " does not divide " + count
                                : "cannot prove that " + text + " divides " + count,
                 claim);
}

Verdict may_squash(const LoopSite& site) {
  const Expr extent = extent_of(site);
  const Expr claim = extent == Expr(1);
  if (!proved(site.facts, claim)) {
    return refused(site,
                   "loop " + text_of(site.loop.var, site.program) + " has " +
                       text_of(extent, site.program) + " iterations; only a loop of one goes away",
                   claim);
  }
  return may_repeat_bounds(site);
}

}  // namespace tenon
