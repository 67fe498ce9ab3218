#include "analysis/bounds.h"
#include "analysis/inspect.h"
#include "analysis/rules.h"
#include "analysis/simplifier.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/fold.h"

namespace tenon {
namespace {

// Changes that follow from changes, far beyond what any real expression needs: rules that ran in
// circles would end here instead of never.
constexpr int kMaxNestedChanges = 200;

bool is_index(const Expr& e) { return e.type() == i64; }

}  // namespace

Expr Simplifier::walk(const Expr& e) {
  if (e.is<Const>() || e.node().depth < kWorthRemembering) return walk_kind(e);
  if (const auto found = seen_.find(e.get()); found != seen_.end()) return found->second.second;
  Expr simple = walk_kind(e);
  seen_.emplace(e.get(), std::pair(e, simple));
  return simple;
}

Expr Simplifier::walk_kind(const Expr& e) {
  if (e.is<Const>()) return e;
  if (is_index(e)) return index(e);
  if (const Binary* x = e.as<Binary>()) {
    if (is_comparison(x->op) && is_index(x->a)) return compare(e, *x);
    if (e.type() == boolean && (x->op == BinaryOp::kBitAnd || x->op == BinaryOp::kBitOr)) {
      return walk_both(e, *x);
    }
  }
  if (const Select* s = e.as<Select>()) return walk_select(e, *s);
  if (const Load* l = e.as<Load>()) return walk_load(e, *l);
  return finish(map_children(e, [&](const Expr& child) { return walk(child); }));
}

namespace {

void collect_parts(BinaryOp op, const Expr& e, std::vector<Expr>& parts) {
  const Binary* x = as_bool(e, op);
  if (!x) return parts.push_back(e);
  collect_parts(op, x->a, parts);
  collect_parts(op, x->b, parts);
}

// A part may have become several.
void flatten(BinaryOp op, std::vector<Expr>& parts) {
  std::vector<Expr> flat;
  for (const Expr& part : parts) collect_parts(op, part, flat);
  parts = std::move(flat);
}

// A part that is worth a second look with the facts that the others give.
bool is_shallow(const Expr& e) { return e.node().depth <= 8; }

}  // namespace

// In a & b & c each part matters only where all the others hold, in a | b | c where none does. Each
// part is walked once knowing those before it; then small parts once more, knowing all the others,
// as long as something becomes simpler. But all of them are evaluated: an index that only the
// others keep inside stays checked, so a part that touches memory learns nothing from them.
Expr Simplifier::walk_both(const Expr& e, const Binary& x) {
  constexpr size_t kMaxCompared = 8, kMaxKnown = 32;
  constexpr int kMaxRounds = 5;
  const auto given = [&](const Facts& facts, const Expr& part) {
    return facts.given(x.op == BinaryOp::kBitAnd ? part : unary(UnaryOp::kNot, part));
  };
  std::vector<Expr> parts;
  collect_parts(x.op, e, parts);
  Facts known = facts_;
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = touches_memory(parts[i]) ? walk(parts[i]) : Simplifier(known).run(parts[i]);
    if (i < kMaxKnown) known = given(known, parts[i]);
  }
  flatten(x.op, parts);
  bool changed = parts.size() <= kMaxCompared;
  for (int round = 0; round < kMaxRounds && changed; ++round) {
    changed = false;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!is_shallow(parts[i]) || touches_memory(parts[i])) continue;
      Facts others = facts_;
      for (size_t k = 0; k < parts.size(); ++k) {
        if (k != i) others = given(others, parts[k]);
      }
      const Expr simple = Simplifier(others).run(parts[i]);
      changed = changed || simple.get() != parts[i].get();
      parts[i] = simple;
    }
    flatten(x.op, parts);
  }
  Expr joined = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) joined = finish(binary(x.op, joined, parts[i]));
  return equal(joined, e) ? e : joined;
}

// The arms are evaluated only where the condition says so.
Expr Simplifier::walk_select(const Expr& e, const Select& s) {
  const Expr condition = walk(s.condition);
  if (const std::optional<int64_t> known = as_int(condition)) {
    return walk(*known ? s.on_true : s.on_false);
  }
  const bool scalar = condition.type() == boolean;
  const Facts holds = scalar ? facts_.given(condition) : facts_;
  const Facts fails = scalar ? facts_.given(unary(UnaryOp::kNot, condition)) : facts_;
  const Expr on_true = Simplifier(holds).run(s.on_true);
  const Expr on_false = Simplifier(fails).run(s.on_false);
  const bool same = condition.get() == s.condition.get() && on_true.get() == s.on_true.get() &&
                    on_false.get() == s.on_false.get();
  return finish(same ? e : make_select(condition, on_true, on_false));
}

// A lane that is off is not read and gives 0.
Expr Simplifier::walk_load(const Expr& e, const Load& l) {
  const Expr simple = map_children(e, [&](const Expr& child) { return walk(child); });
  const Load& x = *simple.as<Load>();
  if (!x.mask || !is_constant(x.mask)) return simple;
  if (is_constant(x.mask, 0)) return constant_bits(e.type(), 0);
  const Expr whole = load(l.buffer, x.indices);
  return whole.type() == e.type() ? whole : simple;
}

Expr Simplifier::finish(const Expr& e) {
  if (nested_changes_ > kMaxNestedChanges) return e;
  const Expr changed = step(e);
  if (!changed) return e;
  ++nested_changes_;
  Expr simple = walk(changed);
  --nested_changes_;
  return simple;
}

Expr Simplifier::step(const Expr& e) const {
  if (Expr folded = fold(e); folded.get() != e.get()) return folded;
  if (const Binary* x = e.as<Binary>()) {
    // Not for floats: of two NaN operands the first one's bits survive.
    const bool commutes = rules::is_commutative(x->op) && !x->a.type().is_float();
    if (commutes && is_constant(x->a) && !is_constant(x->b)) {
      return binary(x->op, x->b, x->a);
    }
  }
  if (Expr simpler = rules::apply_once(e, facts_)) return simpler;
  if (const Cast* x = e.as<Cast>()) {
    if (Expr simpler = simplify_cast(e, *x, facts_)) return simpler;
  }
  if (Expr simpler = simplify_vector(e, facts_)) return simpler;
  if (e.type() == boolean && !e.is<Const>() && !facts_.conditions().empty()) {
    for (const Expr& known : facts_.conditions()) {
      if (equal(known, e)) return Expr(true);
      const Unary* negation = as_not(known);
      if (negation && equal(negation->a, e)) return Expr(false);
    }
  }
  return {};
}

std::optional<bool> Simplifier::decide(const Expr& condition) const {
  if (const std::optional<int64_t> known = as_int(condition)) return *known != 0;
  if (proved(facts_, condition)) return true;
  if (proved(facts_, unary(UnaryOp::kNot, condition))) return false;
  return std::nullopt;
}

Expr simplify(const Expr& e, const Facts& facts) { return Simplifier(facts).run(e); }

}  // namespace tenon
