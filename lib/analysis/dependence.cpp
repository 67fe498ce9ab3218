#include "tenon/analysis/dependence.h"

#include <algorithm>

#include "analysis/inspect.h"
#include "analysis/question.h"
#include "tenon/ir/reducer.h"

namespace tenon {
namespace {

size_t count_common(const Access& a, const Access& b) {
  size_t n = 0;
  while (n < a.loops.size() && n < b.loops.size() && a.loops[n].var == b.loops[n].var) ++n;
  return n;
}

// One direction per common loop. Empty when the accesses cannot be apart in this way: by a loop
// that they do not share, or in two iterations that have a buffer each.
std::optional<std::vector<Ordering>> effective(const Access& a, const Access& b,
                                               std::vector<Ordering> directions) {
  const size_t common = count_common(a, b);
  const size_t own_buffer = std::min(a.home.value_or(0), common);
  for (size_t i = 0; i < directions.size(); ++i) {
    const bool apart = directions[i] == Ordering::kLess || directions[i] == Ordering::kGreater;
    if (apart && (i >= common || i < own_buffer)) return std::nullopt;
  }
  directions.resize(common, Ordering::kAny);
  std::fill_n(directions.begin(), own_buffer, Ordering::kEqual);
  return directions;
}

// --- Guards that are disjunctions make several systems.

bool may_branch(const Expr& guard) {
  return any_in(guard, [](const Expr& e) {
    if (const Unary* u = e.as<Unary>()) return u->op == UnaryOp::kNot;
    const Binary* b = e.as<Binary>();
    return b && (b->op == BinaryOp::kBitOr || b->op == BinaryOp::kNe || b->op == BinaryOp::kMin ||
                 b->op == BinaryOp::kMax);
  });
}

std::vector<Case> guard_cases(const Access& a) {
  std::vector<Case> cases = {Case()};
  for (const Expr& guard : a.guards) {
    if (may_branch(guard)) {
      cases = combine(cases, cases_of(guard, true));
    } else {
      for (Case& c : cases) c.push_back({guard, true});
    }
  }
  return cases;
}

struct Asked {
  const Access& a;
  const Access& b;
  std::vector<Ordering> directions;
  const Facts& facts;
  std::vector<Case> cases_of_a, cases_of_b;
};

// --- Proving that they never meet.

// The first loop in any direction that a product of unknowns depends on: the sign of the distance
// says how the product lies to its factors.
std::optional<size_t> worth_splitting(const Asked& q, const std::vector<Expr>& open) {
  for (size_t i = 0; i < q.directions.size(); ++i) {
    if (q.directions[i] != Ordering::kAny) continue;
    const auto uses_loop = [&](const Expr& e) {
      const Binary* b = e.as<Binary>();
      return b && b->op == BinaryOp::kMul && any_in(e, [&](const Expr& x) {
               const VarRef* ref = x.as<VarRef>();
               return ref && ref->var == q.a.loops[i].var;
             });
    };
    if (std::any_of(open.begin(), open.end(), uses_loop)) return i;
  }
  return std::nullopt;
}

bool refuted(Asked& q, int splits_left, std::vector<Expr>* open) {
  std::optional<size_t> split;
  bool all = true;
  for (const Case& a : q.cases_of_a) {
    for (const Case& b : q.cases_of_b) {
      Question question(q.a, q.b, q.directions, q.facts);
      question.encode(a, b);
      if (question.refuted()) continue;
      all = false;
      if (open) *open = question.open();
      if (splits_left > 0 && !split) split = worth_splitting(q, question.open());
      if (!split) return false;
    }
  }
  if (all) return true;
  Ordering& d = q.directions[*split];
  for (Ordering sign : {Ordering::kLess, Ordering::kEqual, Ordering::kGreater}) {
    d = sign;
    const bool done = refuted(q, splits_left - 1, nullptr);
    d = Ordering::kAny;
    if (!done) return false;
  }
  return true;
}

constexpr int kMaxSplits = 2;

// --- Finding iterations where they do.

// The sizes get a value for a witness, all the same one.
constexpr int64_t kSizesToTry[] = {2, 3, 4, 1, 5, 6, 7};

std::optional<Meeting> find_witness(const Asked& q, std::optional<int64_t> size) {
  for (const Case& a : q.cases_of_a) {
    for (const Case& b : q.cases_of_b) {
      Question question(q.a, q.b, q.directions, q.facts);
      if (size) {
        for (const Var& var : q.facts.sizes()) question.fix(var, *size);
      }
      question.encode(a, b);
      if (auto found = question.witness()) return found;
    }
  }
  return std::nullopt;
}

std::optional<Meeting> find_witness(const Asked& q) {
  if (!q.facts.sizes().empty()) {
    for (int64_t size : kSizesToTry) {
      if (auto found = find_witness(q, size)) return found;
    }
  }
  return find_witness(q, std::nullopt);
}

}  // namespace

std::vector<For> common_loops(const Access& a, const Access& b) {
  const auto end = a.loops.begin() + static_cast<std::ptrdiff_t>(count_common(a, b));
  return {a.loops.begin(), end};
}

bool never_meet(const Access& a, const Access& b, const std::vector<Ordering>& directions,
                const Facts& facts) {
  auto asked = effective(a, b, directions);
  if (!asked) return true;
  Asked q{a, b, *std::move(asked), facts, guard_cases(a), guard_cases(b)};
  return refuted(q, kMaxSplits, nullptr);
}

Meeting meet(const Access& a, const Access& b, const std::vector<Ordering>& directions,
             const Facts& facts) {
  Meeting result;
  result.answer = Answer::kNo;
  auto asked = effective(a, b, directions);
  if (!asked) return result;
  Asked q{a, b, *std::move(asked), facts, guard_cases(a), guard_cases(b)};
  if (refuted(q, kMaxSplits, &result.open)) return result;
  if (auto found = find_witness(q)) return *std::move(found);
  result.answer = Answer::kUnknown;
  return result;
}

bool commute(const Access& a, const Access& b, bool exact) {
  if (a.kind == Access::Kind::kRead && b.kind == Access::Kind::kRead) return true;
  if (a.kind != Access::Kind::kAccumulate || b.kind != Access::Kind::kAccumulate) return false;
  const Accumulate& x = a.accumulation();
  const Accumulate& y = b.accumulation();
  if (!(x.by == y.by)) return false;
  // Results that are kept together change together, or not at all.
  if (x.by.functions()) {
    return !exact && x.by.functions()->updates_commute && x.buffers == y.buffers;
  }
  const bool selects = x.by.op() == Reducer::kMax || x.by.op() == Reducer::kMin;
  return !exact || selects || a.buffer.type().is_int() || a.buffer.type().is_bool();
}

}  // namespace tenon
