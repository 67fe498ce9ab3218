#include <algorithm>

#include "analysis/simplifier.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/match.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

bool has_loop(const Stmt& s) {
  return any_in(s, [](const Stmt& t) { return t.is<For>(); });
}

// A loop nest that does nothing: every loop of s, and none of its other statements.
Stmt hollow(const Stmt& s) {
  return rewrite_stmts(s, [](const Stmt& t) {
    if (t.is<For>() || t.is<Seq>() || t.is<Alloc>() || t.is<Bind>()) return t;
    const If* guard = t.as<If>();
    return guard ? guard->body : seq({});
  });
}

class StmtSimplifier {
 public:
  explicit StmtSimplifier(KeepLoops keep) : keep_(keep) {}

  // `before` stood in the place of s, is simple and has the same facts; null if nothing has.
  Stmt run(const Stmt& s, const Facts& facts, const Stmt& before = {}) {
    if (s.get() == before.get()) return s;
    return match(
        s.node().kind,  //
        [&](const Store& x) { return leaf(s, x.mask, facts); },
        [&](const Accumulate& x) { return leaf(s, x.mask, facts); },
        [&](const For& x) { return loop(s, x, facts, before.as<For>()); },
        [&](const If& x) { return guarded(s, x, facts, before.as<If>()); },
        [&](const Seq& x) { return sequence(s, x, facts, statements_of(before)); },
        [&](const Alloc&) { return expressions(s, facts); },
        [&](const Bind&) { return expressions(s, facts); },
        [&](const Call&) { return expressions(s, facts); },
        [&](const Prefetch&) { return expressions(s, facts); });
  }

 private:
  static Stmt expressions(const Stmt& s, const Facts& facts) {
    Simplifier simplifier(facts);
    return map_children(
        s, [&](const Expr& e) { return simplifier.run(e); }, [](const Stmt& t) { return t; });
  }

  static Stmt without_mask(const Stmt& s) {
    if (const Store* x = s.as<Store>()) return store(x->buffer, x->indices, x->value);
    const Accumulate& x = *s.as<Accumulate>();
    return accumulate(x.buffers, x.indices, x.by, x.values);
  }
  static Expr mask_of(const Stmt& s) {
    if (const Store* x = s.as<Store>()) return x->mask;
    return s.as<Accumulate>()->mask;
  }

  // A Store or Accumulate. A mask of one lane is known to hold in the rest of the statement.
  Stmt leaf(const Stmt& s, const Expr& mask, const Facts& facts) {
    if (!mask) return expressions(s, facts);
    const Expr simple = Simplifier(facts).run(mask);
    if (is_constant(simple, 0)) return seq({});
    if (is_constant(simple, 1)) return expressions(without_mask(s), facts);
    const Facts holds = mask.type() == boolean ? facts.given(simple) : facts;
    Simplifier inside(holds);
    return map_children(
        s, [&](const Expr& e) { return e.get() == mask.get() ? simple : inside.run(e); },
        [](const Stmt& t) { return t; });
  }

  Stmt loop(const Stmt& s, const For& x, const Facts& facts, const For* before) {
    Simplifier simplifier(facts);
    const Expr lo = simplifier.run(x.lo), hi = simplifier.run(x.hi);
    if (keep_ == KeepLoops::kNo) {
      const Affine extent = to_affine(hi) - to_affine(lo);
      if (extent.is_constant() && extent.constant == 1) {
        return run(substitute(x.body, {{x.var, lo}}), facts);
      }
      if (proved(facts, binary(BinaryOp::kLe, hi, lo))) return seq({});
    }
    const bool same_range =
        before && before->var == x.var && equal(before->lo, lo) && equal(before->hi, hi);
    const Stmt body =
        run(x.body, facts.inside(LoopRange{x.var, lo, hi}), same_range ? before->body : Stmt());
    if (keep_ == KeepLoops::kNo && is_empty(body)) return body;
    const bool same =
        lo.get() == x.lo.get() && hi.get() == x.hi.get() && body.get() == x.body.get();
    return same ? s : make_for(x.var, lo, hi, x.kind, body);
  }

  Stmt guarded(const Stmt& s, const If& x, const Facts& facts, const If* before) {
    const Expr condition = Simplifier(facts).run(x.condition);
    if (is_constant(condition, 1)) return run(x.body, facts);
    if (is_constant(condition, 0)) return never_run(x.body, facts);
    const bool same_guard = before && equal(before->condition, condition);
    const Stmt body = run(x.body, facts.given(condition), same_guard ? before->body : Stmt());
    if (is_empty(body)) return body;
    const bool same = condition.get() == x.condition.get() && body.get() == x.body.get();
    return same ? s : make_if(condition, body);
  }

  Stmt never_run(const Stmt& body, const Facts& facts) {
    if (keep_ == KeepLoops::kNo || !has_loop(body)) return seq({});
    return run(hollow(body), facts);
  }

  Stmt sequence(const Stmt& s, const Seq& x, const Facts& facts, const std::vector<Stmt>& before) {
    std::vector<Stmt> stmts;
    Facts here = facts;
    bool changed = false;
    for (const Stmt& part : x.stmts) {
      Stmt simple = run(part, here, counterpart(part, before));
      changed = changed || simple.get() != part.get();
      if (const Bind* name = simple.as<Bind>()) here = here.bound(*name);
      if (!is_empty(simple)) stmts.push_back(std::move(simple));
    }
    const size_t size = stmts.size();
    if (keep_ == KeepLoops::kNo) drop_unused(stmts);
    changed = changed || stmts.size() != size;
    return changed ? seq(std::move(stmts)) : s;
  }

  // The statement itself, or the loop that it was.
  static Stmt counterpart(const Stmt& s, const std::vector<Stmt>& before) {
    const For* loop = s.as<For>();
    for (const Stmt& other : before) {
      if (other.get() == s.get()) return other;
      const For* old = loop ? other.as<For>() : nullptr;
      if (old && old->var == loop->var) return other;
    }
    return {};
  }

  // Allocs and Binds that no later statement of their sequence mentions.
  static void drop_unused(std::vector<Stmt>& stmts) {
    for (size_t i = stmts.size(); i-- > 0;) {
      const Alloc* a = stmts[i].as<Alloc>();
      const Bind* b = stmts[i].as<Bind>();
      if (!a && !b) continue;
      bool used = false;
      for (size_t k = i + 1; k < stmts.size() && !used; ++k) {
        used = a ? uses(stmts[k], a->buffer) : uses(stmts[k], b->var);
      }
      if (!used) stmts.erase(stmts.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  const KeepLoops keep_;
};

bool same_facts(const ProgramData& a, const ProgramData& b) {
  const auto same = [](const Expr& x, const Expr& y) { return x.get() == y.get(); };
  return a.sizes == b.sizes && std::equal(a.requirements.begin(), a.requirements.end(),
                                          b.requirements.begin(), b.requirements.end(), same);
}

// Elements of tables at constant places are constants.
Stmt with_table_values(const Program& program, const Stmt& body) {
  if (program->tables.empty()) return body;
  return rewrite(body, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    const Table* table = l && !l->mask ? find_table(program, l->buffer) : nullptr;
    const Expr value = table ? table->at(l->indices) : Expr();
    return value ? value : e;
  });
}

}  // namespace

Stmt simplify(const Stmt& s, const Facts& facts, KeepLoops keep) {
  return StmtSimplifier(keep).run(s, facts);
}

Program simplify(const Program& program, KeepLoops keep, const Program& before) {
  const Facts facts = facts_of(program);
  ProgramData data = *program;
  bool changed = false;
  for (Param& param : data.params) {
    for (Expr& extent : param.shape) {
      const Expr simple = simplify(extent, facts);
      // An extent that is never possible is the caller's to hear of, as it was written.
      if (as_int(simple).value_or(0) < 0) continue;
      changed = changed || simple.get() != extent.get();
      extent = simple;
    }
  }
  const bool comparable = before && same_facts(*before, *program);
  data.body = StmtSimplifier(keep).run(program->body, facts, comparable ? before->body : Stmt());
  const Stmt known = with_table_values(program, data.body);
  if (known.get() != data.body.get()) data.body = simplify(known, facts, keep);
  changed = changed || data.body.get() != program->body.get();
  return changed ? Program(std::move(data)) : program;
}

}  // namespace tenon
