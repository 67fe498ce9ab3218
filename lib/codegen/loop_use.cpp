#include "codegen/loop_use.h"

#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon::codegen {
namespace {

bool is_var(const Expr& e, const Var& var) {
  const VarRef* ref = e.as<VarRef>();
  return ref && ref->var == var;
}

Expr factor_in(const Expr& term, const Var& var) {
  if (is_var(term, var)) return Expr(1);
  const Binary* product = term.as<Binary>();
  if (!product || product->op != BinaryOp::kMul) return Expr();
  if (is_var(product->a, var)) return product->b;
  return is_var(product->b, var) ? product->a : Expr();
}

class Finder {
 public:
  Finder(const Var& var, const std::function<bool(const Var&)>& is_known)
      : var_(var), is_known_(is_known) {}

  LoopUse find(const Stmt& body) {
    visit(body);
    return std::move(use_);
  }

 private:
  void visit(const Stmt& s) {
    const For* inner = s.as<For>();
    if (inner && inner->kind != ForKind::kInstruction) use_.innermost = false;
    if (!use_.innermost) return;
    for_each_child(
        s, [&](const Expr& e) { visit(e); }, [&](const Stmt& part) { visit(part); });
  }

  // An index is a sum; its terms with the variable are looked at together.
  void visit(const Expr& e) {
    if (e.is<VarRef>() || e.is<Const>()) {
      use_.alone |= is_var(e, var_);
      return;
    }
    if (!e.is<Binary>() || e.type().is_vector()) return visit_children(e);
    std::vector<Expr> varying;
    for (const Expr& term : sum_of(e).terms) {
      if (uses(term, var_)) varying.push_back(term);
    }
    const Expr factor = common_factor(varying, var_);
    if (factor && !is_constant(factor, 1) && is_fixed(factor)) {
      add(factor);
    } else if (varying.size() == 1 && varying.front().get() == e.get()) {
      visit_children(e);
    } else {
      for (const Expr& term : varying) visit(term);
    }
  }

  void visit_children(const Expr& e) {
    for_each_child(e, [&](const Expr& child) { visit(child); });
  }

  // Of what is known before the loop, and may be computed there.
  bool is_fixed(const Expr& factor) const {
    return !touches_memory(factor) && !any_in(factor, [&](const Expr& part) {
      const VarRef* ref = part.as<VarRef>();
      return ref && (ref->var == var_ || !is_known_(ref->var));
    });
  }

  void add(const Expr& factor) {
    for (const Expr& known : use_.factors) {
      if (equal(known, factor)) return;
    }
    use_.factors.push_back(factor);
  }

  const Var& var_;
  const std::function<bool(const Var&)>& is_known_;
  LoopUse use_;
};

}  // namespace

LoopUse loop_use(const Var& var, const Stmt& body,
                 const std::function<bool(const Var&)>& is_known) {
  return Finder(var, is_known).find(body);
}

Sum sum_of(const Expr& e) {
  Sum result;
  std::vector<Expr> open = {e};
  while (!open.empty()) {
    const Expr part = std::move(open.back());
    open.pop_back();
    const Binary* sum = part.as<Binary>();
    if (sum && sum->op == BinaryOp::kAdd) {
      open.push_back(sum->b);
      open.push_back(sum->a);
    } else if (const std::optional<int64_t> value = as_int(part)) {
      result.constant = static_cast<int64_t>(static_cast<uint64_t>(result.constant) +
                                             static_cast<uint64_t>(*value));
    } else {
      result.terms.push_back(part);
    }
  }
  return result;
}

Expr common_factor(const std::vector<Expr>& terms, const Var& var) {
  Expr total;
  for (const Expr& term : terms) {
    const Expr factor = factor_in(term, var);
    if (!factor) return Expr();
    total = total ? total + factor : factor;
  }
  return total;
}

}  // namespace tenon::codegen
