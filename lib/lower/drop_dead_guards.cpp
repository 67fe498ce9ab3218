// drop_dead_guards: lanes that nobody reads may hold anything.
//
//   alloc t: f32[32]
//   vector for j in 0..32 { if c + j < n { t[j] += w[c // 32, r, j] } }     w is padded to 32
//   vector for j in 0..32 { if c + j < n { out[c + j] = t[j] } }
//   ->
//   vector for j in 0..32 { t[j] += w[c // 32, r, j] }                      the second stays
//
// Needs: nothing. Gives: nothing new. A mask on an accumulator keeps it out of registers and a
// blend costs an instruction per update, so this is what makes ragged tiles fast.
//
// A guard on a write to a local is dropped when
// * the guard depends on a lane or an unrolled iteration (others skip whole tiles: that saves
// time),
// * no read touches an element that is written where the guard does not hold (by the solver),
// * the write stays inside of the local without the guard,
// * so do the loads of the guards behind it,
// * and all loads of the statement; one that does not, and differs between lanes, keeps the guard
//   for itself as a select with 0, which becomes a masked load.
// Statements are looked at in program order: what a dropped guard lets a statement read, an earlier
// one may have left undefined only where nobody looks.
#include <algorithm>

#include "lower/guards.h"
#include "lower/in_bounds.h"
#include "lower/passes.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/dependence.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// A store or accumulation with the guards directly around it.
struct Leaf {
  std::vector<Expr> guards;
  Stmt statement;
};

std::optional<Leaf> leaf_of(Stmt s) {
  Leaf leaf;
  while (const If* guard = s.as<If>()) {
    for (const Expr& part : conjuncts_of(guard->condition)) leaf.guards.push_back(part);
    s = Stmt(guard->body);
  }
  const Accumulate* update = s.as<Accumulate>();
  if (leaf.guards.empty() || !(s.is<Store>() || (update && !update->by.functions()))) {
    return std::nullopt;
  }
  leaf.statement = s;
  return leaf;
}

struct Write {
  Buffer buffer;
  const std::vector<Expr>* indices;
  Expr value;
};

Write target_of(const Stmt& s) {
  if (const Store* x = s.as<Store>()) return {x->buffer, &x->indices, x->value};
  const Accumulate& x = *s.as<Accumulate>();
  return {x.buffer(), &x.indices, x.value()};
}

bool has_check(const Expr& e) {
  bool found = false;
  walk(e, [&](const Expr& x) {
    const Binary* b = x.as<Binary>();
    found = found || (b && b->op == BinaryOp::kCheck);
  });
  return found;
}

class Dropper {
 public:
  explicit Dropper(const Program& program)
      : prover_(program), outermost_(facts_of(program)), accesses_(accesses_of(program->body)) {
    for (Access& a : accesses_) {
      std::vector<Expr> parts;
      for (const Expr& guard : a.guards) {
        for (const Expr& part : conjuncts_of(guard)) parts.push_back(part);
      }
      a.guards = std::move(parts);
    }
  }

  Stmt statement(const Stmt& s, const Facts& facts) {
    if (std::optional<Leaf> leaf = leaf_of(s)) return reduced(s, std::move(*leaf), facts);
    Facts inside = facts;
    const Var outer_lane = lane_;
    if (const For* loop = s.as<For>()) {
      inside = facts.inside(*loop);
      if (loop->kind == ForKind::kVector) lane_ = loop->var;
      if (loop->kind == ForKind::kVector || loop->kind == ForKind::kUnroll) {
        copies_.push_back(loop->var);
      }
    }
    if (const If* guard = s.as<If>()) inside = facts.given(guard->condition);
    const Stmt result = map_children(s, [&](const Stmt& child) {
      if (const Bind* name = child.as<Bind>()) inside = inside.bound(*name);
      return statement(child, inside);
    });
    if (const For* loop = s.as<For>(); loop && !copies_.empty() && copies_.back() == loop->var) {
      copies_.pop_back();
    }
    lane_ = outer_lane;
    return result;
  }

 private:
  Stmt reduced(const Stmt& s, Leaf leaf, const Facts& facts) {
    const StmtNode* id = leaf.statement.get();
    bool changed = false;
    for (size_t i = 0; i < leaf.guards.size();) {
      const Stmt without = dropped(leaf, i, id, facts);
      if (!without) {
        ++i;
        continue;
      }
      leaf.statement = without;
      leaf.guards.erase(leaf.guards.begin() + static_cast<std::ptrdiff_t>(i));
      changed = true;
    }
    if (!changed) return s;
    Stmt result = leaf.statement;
    for (size_t i = leaf.guards.size(); i-- > 0;) result = make_if(leaf.guards[i], result);
    return result;
  }

  // The leaf's statement as it can stand without its i-th guard; null when it needs the guard.
  Stmt dropped(const Leaf& leaf, size_t i, const StmtNode* id, const Facts& facts) {
    const Expr guard = leaf.guards[i];
    const Write target = target_of(leaf.statement);
    if (!prover_.is_local(target.buffer) || touches_memory(guard) || !on_copies(guard)) return {};
    if (has_check(target.value)) return {};
    Facts others = facts;
    for (size_t k = 0; k < leaf.guards.size(); ++k) {
      if (k != i) others = others.given(leaf.guards[k]);
    }
    if (!prover_.in_bounds(target.buffer, *target.indices, others)) return {};
    if (!guards_are_safe_without(leaf, i, facts)) return {};
    const Stmt safe = with_safe_loads(leaf.statement, guard, others);
    if (!safe || !unread_without(guard, target.buffer, id)) return {};
    for (Access& a : accesses_) {
      if (a.statement == id) a.guards = removed(a.guards, guard);
    }
    return safe;
  }

  // The guards behind the i-th one are asked where it does not hold, too.
  bool guards_are_safe_without(const Leaf& leaf, size_t i, const Facts& facts) {
    Facts before = facts;
    for (size_t k = 0; k < leaf.guards.size(); ++k) {
      if (k == i) continue;
      if (k > i && (has_check(leaf.guards[k]) || !loads_in_bounds(leaf.guards[k], before))) {
        return false;
      }
      before = before.given(leaf.guards[k]);
    }
    return true;
  }

  bool loads_in_bounds(const Expr& e, const Facts& facts) {
    return !any_in(e, [&](const Expr& x) {
      const Load* l = x.as<Load>();
      return l && !prover_.in_bounds(l->buffer, l->indices, facts);
    });
  }

  bool on_copies(const Expr& guard) const {
    return std::any_of(copies_.begin(), copies_.end(),
                       [&](const Var& v) { return uses(guard, v); });
  }

  // Loads that would leave their buffers keep the guard for themselves. Null if that does not help.
  Stmt with_safe_loads(const Stmt& s, const Expr& guard, const Facts& facts) {
    bool possible = true;
    const Stmt result = map_children(
        s, [&](const Expr& e) { return safe(e, guard, facts, possible); },
        [](const Stmt& child) { return child; });
    return possible ? result : Stmt();
  }

  Expr safe(const Expr& e, const Expr& guard, const Facts& facts, bool& possible) {
    if (const Select* s = e.as<Select>()) {
      const Expr condition = safe(s->condition, guard, facts, possible);
      return make_select(condition, safe(s->on_true, guard, facts.given(s->condition), possible),
                         safe(s->on_false, guard, facts.given(negated(s->condition)), possible));
    }
    const Expr mapped =
        map_children(e, [&](const Expr& child) { return safe(child, guard, facts, possible); });
    const Load* l = mapped.as<Load>();
    if (!l || prover_.in_bounds(l->buffer, l->indices, facts)) return mapped;
    possible = possible && !l->mask && lane_ && uses(guard, lane_) && uses(e, lane_);
    return make_select(guard, mapped, constant_bits(e.type(), 0));
  }

  // No read touches an element that the statement writes where the guard does not hold.
  bool unread_without(const Expr& guard, const Buffer& buffer, const StmtNode* id) const {
    const auto is_write = [&](const Access& a) {
      return a.statement == id && a.kind != Access::Kind::kRead;
    };
    const auto write = std::find_if(accesses_.begin(), accesses_.end(), is_write);
    if (write == accesses_.end()) return false;
    Access dead = *write;
    dead.guards = removed(dead.guards, guard);
    if (dead.guards.size() == write->guards.size()) return false;  // it uses bound names
    dead.guards.push_back(negated(guard));
    return std::all_of(accesses_.begin(), accesses_.end(), [&](const Access& a) {
      return !reads(a) || !(a.buffer == buffer) || never_meet(dead, a, {}, outermost_);
    });
  }

  // A sum that nobody reads may hold anything; a reduction with several results decides about one
  // by the others.
  static bool reads(const Access& a) {
    if (a.kind == Access::Kind::kAccumulate) return a.accumulation().buffers.size() > 1;
    return a.kind == Access::Kind::kRead;
  }

  static std::vector<Expr> removed(const std::vector<Expr>& guards, const Expr& guard) {
    std::vector<Expr> left;
    for (const Expr& g : guards) {
      if (!equal(g, guard)) left.push_back(g);
    }
    return left;
  }

  BoundsProver prover_;
  const Facts outermost_;
  std::vector<Access> accesses_;
  Var lane_;                 // of the vector loop around; null: none
  std::vector<Var> copies_;  // vector and unrolled loops around
};

}  // namespace

absl::StatusOr<Program> drop_dead_guards(const Program& program, const Target&) {
  Dropper dropper(program);
  return program.with_body(dropper.statement(program->body, facts_of(program)));
}

}  // namespace tenon
