// May a condition become a requirement, or choose between two forms of the body?
#include "tenon/analysis/legality_facts.h"

#include <algorithm>
#include <string>

#include "analysis/inspect.h"
#include "analysis/text.h"
#include "tenon/analysis/facts.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// A bool of one lane over sizes (and scalar parameters), without data. `what` as in "the fact".
absl::Status is_condition(const Program& program, const Expr& e, const std::string& what,
                          bool with_scalars) {
  if (!e) return refuse(what + " is empty");
  if (const Invalid* wrong = e.as<Invalid>()) return refuse(what + ": " + wrong->message);
  if (!(e.type() == boolean)) {
    return refuse(what + " " + text_of(e, program) + " has type " + to_string(e.type()) +
                  "; it must be bool");
  }
  if (touches_memory(e)) {
    return refuse(what + " " + text_of(e, program) + " depends on the contents of a buffer");
  }
  const Facts facts = facts_of(program);
  for (const Var& var : free_vars(e)) {
    if (facts.is_size(var) || (with_scalars && facts.is_fixed(var))) continue;
    return refuse(what + " uses " + text_of(var, program) + ", which is not a size" +
                  (with_scalars ? " or scalar parameter" : "") + " of the program");
  }
  return absl::OkStatus();
}

void take_apart(const Expr& e, std::vector<Expr>& parts) {
  const Binary* both = as_bool(e, BinaryOp::kBitAnd);
  if (!both) return parts.push_back(e);
  take_apart(both->a, parts);
  take_apart(both->b, parts);
}

// What the check of a call evaluates.
bool is_checkable(const Expr& e) {
  return !any_in(e, [](const Expr& x) {
    if (x.is<Const>() || x.is<VarRef>() || x.is<Select>()) return false;
    const Binary* b = x.as<Binary>();
    if (!b || !(b->a.type() == i64)) return true;
    switch (b->op) {
      case BinaryOp::kAdd:
      case BinaryOp::kSub:
      case BinaryOp::kMul:
      case BinaryOp::kFloorDiv:
      case BinaryOp::kFloorMod:
      case BinaryOp::kMin:
      case BinaryOp::kMax: return false;
      default: return !is_comparison(b->op);
    }
  });
}

}  // namespace

absl::StatusOr<std::vector<Expr>> may_assume(const Program& program, const Expr& fact) {
  TENON_RETURN_IF_ERROR(is_condition(program, fact, "the fact", false));
  std::vector<Expr> parts, unknown;
  take_apart(fact, parts);
  Facts facts = facts_of(program);
  for (const Expr& part : parts) {
    const Expr simple = simplify(part, facts);
    if (is_constant(simple, 1) || proved(facts, part)) continue;
    if (is_constant(simple, 0) || never(facts, {part}) == Answer::kYes) {
      return refuse("the fact " + text_of(part, program) +
                    " never holds for sizes that the program allows");
    }
    if (!is_checkable(part)) {
      return refuse("the fact " + text_of(part, program) +
                    " cannot be checked when a kernel is called: it must be made of sizes and "
                    "constants with + - * // % min max select and comparisons, joined by &");
    }
    unknown.push_back(part);
    facts = facts.given(part);
  }
  return unknown;
}

absl::StatusOr<Expr> may_specialize(const Program& program, const Expr& condition) {
  TENON_RETURN_IF_ERROR(is_condition(program, condition, "the condition", true));
  const Facts facts = facts_of(program);
  const Expr simple = simplify(condition, facts);
  const bool always = is_constant(simple, 1) || proved(facts, simple);
  if (always || is_constant(simple, 0) || never(facts, {simple}) == Answer::kYes) {
    return refuse("the condition " + text_of(condition, program) + (always ? " always" : " never") +
                  " holds: there is nothing to choose between");
  }
  return simple;
}

}  // namespace tenon
