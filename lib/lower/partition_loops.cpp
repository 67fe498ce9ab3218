// partition_loops: a part of each loop without guards, and the rest.
//
//   for io in 0..11 { unroll for ii in 0..12 { if io*12 + ii < 127 { S } } }
//   ->
//   for io in 0..10 { unroll for ii in 0..12 { S } }
//   unroll for ii in 0..12 { if 120 + ii < 127 { S[io := 10] } }
//
// Needs: kVectorsCut. Gives: nothing new. The steady part is where a guard holds for all inner
// iterations; selects on indices (padding, causal masks) count as guards. Both ends may be cut off.
// Outer loops come first, so that inner loops of the rest can be cut at constants.
//
// Every cut doubles code, and machine code is what compiling costs, so cuts are made only where
// they pay: for guards of hot statements (the deepest ones and reductions) that nothing else can
// take out of the innermost loop, which are those on lanes and unrolled iterations and those of
// selects; at most kMaxCuts on the way down a nest (one more where there are instructions); and not
// in a loop whose bounds are a min or max already. A parallel loop stays one loop, with branches
// inside, so that its tasks stay together. Copies have loops, names and buffers of their own.
#include <algorithm>

#include "lower/guards.h"
#include "lower/index_math.h"
#include "lower/passes.h"
#include "lower/thresholds.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

constexpr int kMaxCuts = 2;
// A guard that is left costs an instruction, and not a mask: one for each dimension of a product.
constexpr int kMaxCutsForInstructions = 3;

struct Candidate {
  GuardSite site;
  Threshold threshold;
};

// The iterations without guards, as a part of the loop's range.
struct Cut {
  Range steady;             // null sides: as the loop
  std::vector<Expr> known;  // conditions that hold there
  // The guard at this end is a matter of inner loops too: they may be cut for it in the rest.
  bool inner_at_lo = false, inner_at_hi = false;
  int cuts() const { return (steady.lo ? 1 : 0) + (steady.hi ? 1 : 0); }
};

bool is_min_or_max(const Expr& e) {
  return any_in(e, [](const Expr& x) {
    const Binary* b = x.as<Binary>();
    return b && (b->op == BinaryOp::kMin || b->op == BinaryOp::kMax);
  });
}

// Loops that should be whole.
bool is_lane_like(ForKind kind) {
  return kind == ForKind::kVector || kind == ForKind::kUnroll || kind == ForKind::kInstruction;
}

// --- Where to cut a loop.

class Chooser {
 public:
  Chooser(const For& loop, const Facts& outside) : loop_(loop), outside_(outside) {}

  std::optional<Cut> run() {
    if (is_computed(loop_.lo) || is_computed(loop_.hi)) return std::nullopt;
    const Facts inside = outside_.inside(loop_);
    for (GuardSite& site : guards_in(loop_).sites) {
      if (!uses(site.resolved, loop_.var)) continue;
      std::optional<Threshold> t = threshold_of(site, loop_.var, inside);
      if (t) candidates_.push_back({std::move(site), *t});
    }
    Cut cut;
    for (const Candidate& c : candidates_) {
      if (pays(c)) tighten(cut, c);
    }
    if (cut.cuts() == 0) return std::nullopt;
    for (const Candidate& c : candidates_) {
      if (holds_in(c, cut.steady)) cut.known.push_back(c.site.condition);
    }
    return cut;
  }

 private:
  bool pays(const Candidate& c) const {
    if (!c.site.hot) return false;
    bool on_lanes = false;
    for (size_t i = 0; i < c.site.inner.size(); ++i) {
      on_lanes =
          on_lanes || (is_lane_like(c.site.kinds[i]) && uses(c.site.resolved, c.site.inner[i].var));
    }
    if (!on_lanes && !c.site.of_select) return false;
    // With loops in between, those can be cut instead; here only if that makes theirs constant.
    if (uses_inner_loops(c.site)) return on_lanes && is_constant_range(c.threshold.always);
    return true;
  }

  // A min or max that does not simplify here.
  bool is_computed(const Expr& e) const {
    return is_min_or_max(e) && is_min_or_max(simplify(e, outside_));
  }

  static bool is_constant_range(const Range& r) {
    return (!r.lo || as_int(r.lo)) && (!r.hi || as_int(r.hi));
  }

  // Where the steady part would become empty, the candidate stays a guard.
  void tighten(Cut& cut, const Candidate& c) const {
    Range steady = cut.steady;
    const Expr& lo = c.threshold.always.lo;
    const Expr& hi = c.threshold.always.hi;
    if (lo && !proved(outside_, lo <= loop_.lo)) steady.lo = later(steady.lo, lo);
    if (hi && !proved(outside_, loop_.hi <= hi)) steady.hi = earlier(steady.hi, hi);
    const Expr from = steady.lo ? steady.lo : loop_.lo;
    const Expr to = steady.hi ? steady.hi : loop_.hi;
    if (touches_memory(from) || touches_memory(to) || proved(outside_, to <= from) ||
        proved(outside_, loop_.hi <= from) || proved(outside_, to <= loop_.lo)) {
      return;
    }
    cut.steady = steady;
    const bool inner = uses_inner_loops(c.site);
    if (lo) cut.inner_at_lo = cut.inner_at_lo || inner;
    if (hi) cut.inner_at_hi = cut.inner_at_hi || inner;
  }

  static bool uses_inner_loops(const GuardSite& site) {
    for (size_t i = 0; i < site.inner.size(); ++i) {
      if (!is_lane_like(site.kinds[i]) && uses(site.resolved, site.inner[i].var)) return true;
    }
    return false;
  }

  // Among ends whose order is not known, the first one found is kept.
  Expr later(const Expr& a, const Expr& b) const { return !a || proved(outside_, a <= b) ? b : a; }
  Expr earlier(const Expr& a, const Expr& b) const {
    return !a || proved(outside_, b <= a) ? b : a;
  }

  bool holds_in(const Candidate& c, const Range& steady) const {
    const Range& always = c.threshold.always;
    const Expr& from = steady.lo ? steady.lo : loop_.lo;
    const Expr& to = steady.hi ? steady.hi : loop_.hi;
    if (always.lo && !equal(always.lo, from) && !proved(outside_, always.lo <= from)) return false;
    return !always.hi || equal(always.hi, to) || proved(outside_, to <= always.hi);
  }

  const For& loop_;
  const Facts& outside_;
  std::vector<Candidate> candidates_;
};

// --- Cutting.

class Partitioner {
 public:
  Stmt statement(const Stmt& s, const Facts& facts, int budget) {
    if (const For* loop = s.as<For>()) return partition(s, *loop, facts, budget);
    Facts inside = facts;
    if (const If* guard = s.as<If>()) inside = facts.given(guard->condition);
    return map_children(s, [&](const Stmt& child) {
      if (const Bind* name = child.as<Bind>()) inside = inside.bound(*name);
      return statement(child, inside, budget);
    });
  }

 private:
  Stmt partition(const Stmt& s, const For& loop, const Facts& facts, int budget) {
    // An instruction is whole or no instruction; what is around it is cut.
    if (loop.kind == ForKind::kVector || loop.kind == ForKind::kInstruction) return s;
    std::optional<Cut> cut;
    if (budget > 0 && !is_lane_like(loop.kind)) cut = Chooser(loop, facts).run();
    if (cut && cut->cuts() > budget) {
      cut->steady.lo = Expr();  // one end is better than none
      cut->known.clear();
    }
    if (!cut) return whole(loop, facts, budget);
    clamp(*cut, loop, facts);
    return loop.kind == ForKind::kParallel ? branches(loop, *cut, facts, budget)
                                           : parts(loop, *cut, facts, budget);
  }

  Stmt whole(const For& loop, const Facts& facts, int budget) {
    return make_for(loop.var, loop.lo, loop.hi, loop.kind,
                    statement(loop.body, facts.inside(loop), budget));
  }

  // The cuts within the loop's range.
  static void clamp(Cut& cut, const For& loop, const Facts& facts) {
    Range& steady = cut.steady;
    if (steady.lo) steady.lo = clamped(steady.lo, loop.lo, loop.hi, facts);
    const Expr from = steady.lo ? steady.lo : loop.lo;
    if (steady.hi) steady.hi = clamped(steady.hi, from, loop.hi, facts);
  }

  static Expr clamped(Expr e, const Expr& lo, const Expr& hi, const Facts& facts) {
    if (!proved(facts, lo <= e)) e = max(e, lo);
    return proved(facts, e <= hi) ? e : min(e, hi);
  }

  static int budget_of_rest(bool inner, const Cut& cut, int budget) {
    return inner ? budget : budget - cut.cuts();
  }

  // One loop after the other.
  Stmt parts(const For& loop, const Cut& cut, const Facts& facts, int budget) {
    const Expr from = cut.steady.lo ? cut.steady.lo : loop.lo;
    const Expr to = cut.steady.hi ? cut.steady.hi : loop.hi;
    const int below = budget_of_rest(cut.inner_at_lo, cut, budget);
    const int above = budget_of_rest(cut.inner_at_hi, cut, budget);
    std::vector<Stmt> all;
    if (cut.steady.lo) all.push_back(rest_of(loop, loop.lo, from, facts, below));
    const Stmt body = without_conditions(loop.body, cut.known);
    all.push_back(whole({loop.var, from, to, loop.kind, body}, facts, budget - cut.cuts()));
    if (cut.steady.hi) all.push_back(rest_of(loop, to, loop.hi, facts, above));
    return seq(std::move(all));
  }

  // A copy of the loop for a part of its range.
  Stmt rest_of(const For& loop, const Expr& lo, const Expr& hi, const Facts& facts, int budget) {
    const Stmt copy = with_fresh_names(make_for(loop.var, lo, hi, loop.kind, loop.body));
    const For& part = *copy.as<For>();
    const std::optional<int64_t> extent = as_int(index_sub(hi, lo));
    if (extent && *extent <= 0) return seq({});
    if (extent && *extent == 1) {
      return statement(substitute_folded(part.body, {{part.var, lo}}), facts, budget);
    }
    return whole(part, facts, budget);
  }

  // One parallel loop: each iteration finds its part.
  Stmt branches(const For& loop, const Cut& cut, const Facts& facts, int budget) {
    const Facts inside = facts.inside(loop);
    const int below = budget_of_rest(cut.inner_at_lo, cut, budget);
    const int above = budget_of_rest(cut.inner_at_hi, cut, budget);
    std::vector<Expr> steady;
    std::vector<Stmt> all;
    if (cut.steady.lo) {
      steady.push_back(cut.steady.lo <= Expr(loop.var));
      all.push_back(
          branch(loop, Expr(loop.var) < cut.steady.lo, loop.lo, cut.steady.lo, inside, below));
    }
    if (cut.steady.hi) {
      steady.push_back(Expr(loop.var) < cut.steady.hi);
      all.push_back(
          branch(loop, cut.steady.hi <= Expr(loop.var), cut.steady.hi, loop.hi, inside, above));
    }
    const Expr condition = conjunction_of(steady);
    const Stmt body = statement(without_conditions(loop.body, cut.known), inside.given(condition),
                                budget - cut.cuts());
    all.insert(all.begin(), make_if(condition, body));
    return make_for(loop.var, loop.lo, loop.hi, loop.kind, seq(std::move(all)));
  }

  // The body for the iterations [lo, hi), which are those with the condition.
  Stmt branch(const For& loop, const Expr& condition, const Expr& lo, const Expr& hi,
              const Facts& inside, int budget) {
    Stmt copy = with_fresh_names(loop.body);
    const std::optional<int64_t> extent = as_int(index_sub(hi, lo));
    if (extent && *extent == 1) copy = substitute_folded(copy, {{loop.var, lo}});
    return make_if(condition, statement(copy, inside.given(condition), budget));
  }
};

}  // namespace

absl::StatusOr<Program> partition_loops(const Program& program, const Target&) {
  Partitioner partitioner;
  const bool plain = instructions_of(program->body).empty();
  return program.with_body(partitioner.statement(program->body, facts_of(program),
                                                 plain ? kMaxCuts : kMaxCutsForInstructions));
}

}  // namespace tenon
