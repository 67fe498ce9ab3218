// trim_loops: loops end where their guards do.
//
//   unroll for i in 0..12 { if 120 + i < 127 { S } }   ->   unroll for i in 0..7 { S }
//   for jo in 0..8 { vector for j in 0..32 { if jo*32 + j < 29 { T } } }
//   ->
//   for jo in 0..1 { vector for j in 0..32 { if jo*32 + j < 29 { T } } }
//
// Needs: kVectorsCut. Gives: nothing new. A bound moves to where some guard of every statement in
// the body stops to hold for all inner iterations; a guard that holds wherever the loop still runs
// is dropped. Serial and parallel loops may get a bound that is computed. Unrolled loops are
// trimmed only to constants: a bound that is not constant would make them serial loops, and the
// buffers that they index would leave the registers. Vector loops are trimmed only to a constant
// power of two, and never when they fold: lanes that are off are cheaper than odd lanes.
#include <optional>

#include "lower/index_math.h"
#include "lower/passes.h"
#include "lower/thresholds.h"
#include "lower/vector_loops.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

struct Candidate {
  const GuardSite* site;
  Threshold threshold;
};

class Trimmer {
 public:
  Trimmer(const For& loop, const Facts& outside)
      : loop_(loop), outside_(outside), inside_(outside.inside(loop)) {}

  // The loop with tighter bounds, or the same one.
  Stmt run(const Stmt& s) {
    const GuardSites guards = guards_in(loop_);
    for (const GuardSite& site : guards.sites) {
      if (site.of_select || !uses(site.resolved, loop_.var)) continue;
      if (std::optional<Threshold> t = threshold_of(site, loop_.var, inside_)) {
        candidates_.push_back({&site, *t});
      }
    }
    if (candidates_.empty()) return s;
    Range range{loop_.lo, loop_.hi};
    if (const Expr hi = common(&Range::hi, guards.leaves)) range.hi = smaller(loop_.hi, hi);
    if (const Expr lo = common(&Range::lo, guards.leaves)) range.lo = larger(loop_.lo, lo);
    if (!allowed(range)) return s;
    if (as_int(index_sub(range.hi, range.lo)).value_or(1) <= 0) return seq({});
    return make_for(loop_.var, range.lo, range.hi, loop_.kind,
                    without_conditions(loop_.body, settled(range)));
  }

 private:
  // Beyond it no statement runs: the furthest of the statements' own ends where these are numbers,
  // else one that all of them share. Null when there is none.
  Expr common(Expr Range::*side, size_t leaves) const {
    std::vector<std::optional<int64_t>> ends(leaves);
    for (const Candidate& c : candidates_) {
      const Expr end = c.threshold.possible.*side;
      const std::optional<int64_t> value = end ? as_int(end) : std::nullopt;
      if (!value) continue;
      std::optional<int64_t>& own = ends[c.site->leaf];
      const bool tighter = !own || (side == &Range::hi ? *value < *own : *value > *own);
      if (tighter) own = value;
    }
    std::optional<int64_t> furthest;
    for (const std::optional<int64_t>& end : ends) {
      if (!end) return shared(side, leaves);
      const bool further = !furthest || (side == &Range::hi ? *end > *furthest : *end < *furthest);
      if (further) furthest = end;
    }
    return furthest ? constant_int(i64, *furthest) : Expr();
  }

  Expr shared(Expr Range::*side, size_t leaves) const {
    for (const Candidate& first : candidates_) {
      const Expr end = first.threshold.possible.*side;
      if (!end || first.site->leaf != 0) continue;
      std::vector<bool> has(leaves, false);
      for (const Candidate& c : candidates_) {
        if (c.threshold.possible.*side && equal(c.threshold.possible.*side, end)) {
          has[c.site->leaf] = true;
        }
      }
      if (std::find(has.begin(), has.end(), false) == has.end()) return end;
    }
    return {};
  }

  Expr smaller(const Expr& a, const Expr& b) const {
    if (proved(outside_, a <= b)) return a;
    if (proved(outside_, b <= a)) return b;
    return min(a, b);
  }

  Expr larger(const Expr& a, const Expr& b) const {
    if (proved(outside_, b <= a)) return a;
    if (proved(outside_, a <= b)) return b;
    return max(a, b);
  }

  bool allowed(const Range& range) const {
    if (loop_.kind == ForKind::kSerial || loop_.kind == ForKind::kParallel) return true;
    if (equal(range.lo, loop_.lo) && equal(range.hi, loop_.hi)) return true;
    const std::optional<int64_t> extent = as_int(index_sub(range.hi, range.lo));
    if (!extent || loop_.kind == ForKind::kInstruction) return false;
    if (loop_.kind == ForKind::kUnroll) return true;
    return (*extent <= 0 || is_power_of_two(*extent)) && !has_fold(loop_);
  }

  // Guards that hold in all of the range.
  std::vector<Expr> settled(const Range& range) const {
    std::vector<Expr> known;
    for (const Candidate& c : candidates_) {
      const Range& always = c.threshold.always;
      const bool from = !always.lo || proved(outside_, always.lo <= range.lo);
      const bool to = !always.hi || proved(outside_, range.hi <= always.hi);
      if (from && to) known.push_back(c.site->condition);
    }
    return known;
  }

  const For& loop_;
  const Facts& outside_;
  const Facts inside_;
  std::vector<Candidate> candidates_;
};

// Outer loops first: what they lose, inner loops need not look at. Loops inside a vector loop keep
// bounds that are the same for all lanes, and the loops of an instruction are whole.
Stmt trim(const Stmt& s, const Facts& facts) {
  Stmt trimmed = s;
  Facts inside = facts;
  if (const For* loop = s.as<For>()) {
    trimmed = Trimmer(*loop, facts).run(s);
    if (!trimmed.is<For>()) return trimmed;
    if (loop->kind == ForKind::kVector || loop->kind == ForKind::kInstruction) return trimmed;
    inside = facts.inside(*trimmed.as<For>());
  } else if (const If* guard = s.as<If>()) {
    inside = facts.given(guard->condition);
  }
  return map_children(trimmed, [&](const Stmt& child) {
    if (const Bind* name = child.as<Bind>()) inside = inside.bound(*name);
    return trim(child, inside);
  });
}

}  // namespace

absl::StatusOr<Program> trim_loops(const Program& program, const Target&) {
  return program.with_body(trim(program->body, facts_of(program)));
}

}  // namespace tenon
