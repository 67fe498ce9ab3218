#include "lower/thresholds.h"

#include <algorithm>

#include "lower/guards.h"
#include "lower/index_math.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/match.h"
#include "tenon/ir/fold.h"

namespace tenon {
namespace {

bool is_order(const Expr& condition) {
  const Binary* b = condition.as<Binary>();
  return b && b->a.type() == i64 && (b->op == BinaryOp::kLt || b->op == BinaryOp::kLe) &&
         !touches_memory(condition);
}

// --- Collecting.

class Collector {
 public:
  explicit Collector(const Var& loop) : loop_(loop) {}

  void statement(const Stmt& s) {
    match(
        s.node().kind, [&](const For& x) { loop(x); }, [&](const If& x) { guarded(x); },
        [&](const Seq& x) {
          for (const Stmt& part : x.stmts) statement(part);
        },
        [&](const Store& x) { leaf(x.indices, x.value, false); },
        [&](const Accumulate& x) {
          for (const Expr& value : x.values) leaf(x.indices, value, is_reduction(x));
        },
        [&](const Bind& x) {
          // It may report a fault, so it must not be lost.
          if (touches_memory(x.value)) leaf({}, x.value, false);
          names_.emplace(x.var, substitute(x.value, names_));
        },
        [&](const Alloc&) {},
        [&](const Call& x) {
          std::vector<Expr> ends;
          for (const CallRegion& part : regions_of(x)) {
            for (const CallRegion::Range& range : part.ranges) {
              ends.push_back(range.lo);
              if (range.hi) ends.push_back(range.hi);
            }
          }
          leaf(ends, constant_int(i64, 0), false);
        },
        [&](const Prefetch&) {});
  }

  GuardSites take() {
    size_t deepest = 0;
    for (const Leaf& l : leaves_) deepest = std::max(deepest, l.depth);
    for (GuardSite& site : found_.sites) {
      const Leaf& l = leaves_[site.leaf];
      site.hot = l.reduction || l.depth == deepest;
    }
    found_.leaves = leaves_.size();
    return std::move(found_);
  }

 private:
  struct Leaf {
    size_t depth;
    bool reduction;
  };

  void loop(const For& x) {
    // In front of the loop that is cut, a name that is bound inside of it means nothing.
    inner_.push_back({x.var, substitute(x.lo, names_), substitute(x.hi, names_)});
    const bool in_instruction = !kinds_.empty() && kinds_.back() == ForKind::kInstruction;
    kinds_.push_back(in_instruction ? ForKind::kInstruction : ForKind(x.kind));
    statement(x.body);
    inner_.pop_back();
    kinds_.pop_back();
  }

  void guarded(const If& x) {
    const size_t before = open_.size();
    for (const Expr& part : conjuncts_of(x.condition)) open_.push_back(part);
    statement(x.body);
    open_.resize(before);
  }

  // The target stays the same over some loop.
  bool is_reduction(const Accumulate& x) const {
    const auto used = [&](const Var& var) {
      return std::any_of(x.indices.begin(), x.indices.end(),
                         [&](const Expr& e) { return uses(e, var); });
    };
    return !used(loop_) || std::any_of(inner_.begin(), inner_.end(),
                                       [&](const LoopRange& r) { return !used(r.var); });
  }

  void leaf(const std::vector<Expr>& indices, const Expr& value, bool reduction) {
    for (const Expr& condition : open_) add(condition, false);
    const auto look = [&](const Expr& e) {
      const Select* s = e.as<Select>();
      if (!s) return;
      for (const Expr& part : conjuncts_of(s->condition)) add(part, true);
    };
    walk(value, look);
    for (const Expr& index : indices) walk(index, look);
    leaves_.push_back({inner_.size(), reduction});
  }

  void add(const Expr& condition, bool of_select) {
    if (!is_order(condition)) return;
    const Expr resolved = substitute(condition, names_);
    if (touches_memory(resolved)) return;
    found_.sites.push_back({condition, resolved, inner_, kinds_, leaves_.size(), of_select});
  }

  const Var loop_;
  std::vector<LoopRange> inner_;
  std::vector<ForKind> kinds_;
  std::vector<Expr> open_;
  VarMap names_;  // bound so far in the body
  std::vector<Leaf> leaves_;
  GuardSites found_;
};

// --- Thresholds.

// The condition as slack >= 0.
Expr slack_of(const Expr& condition) {
  const Binary& b = *condition.as<Binary>();
  const Expr slack = binary(BinaryOp::kSub, b.b, b.a);
  return b.op == BinaryOp::kLe ? slack : binary(BinaryOp::kSub, slack, constant_int(i64, 1));
}

Expr floor_div(const Affine& a, int64_t divisor, const Facts& facts) {
  const Expr quotient = binary(BinaryOp::kFloorDiv, to_expr(a), constant_int(i64, divisor));
  return simplify(fold(quotient), facts);
}

// Where slack >= 0, for a slack that is linear in the loop.
std::optional<Range> where_positive(const Affine& slack, const Var& loop, const Facts& facts) {
  if (!slack.is_linear_in(loop)) return std::nullopt;
  const int64_t c = slack.coefficient(loop);
  Affine rest = slack - c * to_affine(loop);
  if (c > 0) {
    // loop >= ceil(-rest / c)
    Affine negative = -1 * rest;
    negative.constant += c - 1;
    return Range{floor_div(negative, c, facts), Expr()};
  }
  if (c < 0) {
    // loop <= floor(rest / -c)
    return Range{Expr(), index_add(floor_div(rest, -c, facts), constant_int(i64, 1))};
  }
  return std::nullopt;
}

// --- Resolving.

using Known = std::vector<Expr>;

bool is_known(const Expr& condition, const Known& known) {
  return std::any_of(known.begin(), known.end(),
                     [&](const Expr& k) { return equal(k, condition); });
}

// What is left of a condition; null when nothing is.
Expr remaining(const Expr& condition, const Known& known) {
  std::vector<Expr> left;
  bool changed = false;
  for (const Expr& part : conjuncts_of(condition)) {
    if (is_known(part, known)) {
      changed = true;
    } else {
      left.push_back(part);
    }
  }
  return changed ? conjunction_of(left) : condition;
}

Expr resolve_selects(const Expr& e, const Known& known) {
  const Expr mapped =
      map_children(e, [&](const Expr& child) { return resolve_selects(child, known); });
  const Select* s = mapped.as<Select>();
  if (!s) return mapped;
  const Expr left = remaining(s->condition, known);
  if (!left) return s->on_true;
  return left.get() == s->condition.get() ? mapped : make_select(left, s->on_true, s->on_false);
}

}  // namespace

GuardSites guards_in(const For& loop) {
  Collector collector(loop.var);
  collector.statement(loop.body);
  return collector.take();
}

std::optional<Threshold> threshold_of(const GuardSite& site, const Var& loop, const Facts& inside) {
  const std::optional<SymbolicInterval> slack =
      bounds_over(slack_of(site.resolved), site.inner, inside);
  if (!slack) return std::nullopt;
  const std::optional<Range> always = where_positive(to_affine(slack->lo), loop, inside);
  const std::optional<Range> possible = where_positive(to_affine(slack->hi), loop, inside);
  if (!always || !possible) return std::nullopt;
  return Threshold{*always, *possible};
}

Stmt without_conditions(const Stmt& s, const std::vector<Expr>& known) {
  if (known.empty()) return s;
  const Stmt mapped = map_children(
      s, [&](const Expr& e) { return resolve_selects(e, known); },
      [&](const Stmt& child) { return without_conditions(child, known); });
  const If* guard = mapped.as<If>();
  if (!guard) return mapped;
  const Expr left = remaining(guard->condition, known);
  if (!left) return guard->body;
  return left.get() == guard->condition.get() ? mapped : make_if(left, guard->body);
}

}  // namespace tenon
