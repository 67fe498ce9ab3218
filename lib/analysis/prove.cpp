#include "tenon/analysis/prove.h"

#include <algorithm>

#include "analysis/bounds.h"
#include "analysis/cases.h"
#include "analysis/encode.h"
#include "analysis/inspect.h"
#include "analysis/witness.h"

namespace tenon {
namespace {

// Beyond this an expression is not one that a person or a schedule wrote, and only its constant
// range is looked at.
constexpr int kMaxDepth = 40;

bool is_known(const Facts& facts, const Expr& condition, bool value) {
  const auto same = [&](const Expr& known) {
    if (equal(known, condition)) return value;
    const Unary* negation = as_not(known);
    return !value && negation && equal(negation->a, condition);
  };
  return std::any_of(facts.conditions().begin(), facts.conditions().end(), same);
}

bool contradicts(const Facts& facts, const Literal& literal) {
  const Span span = span_of(literal.condition, facts);
  return (literal.value ? span.at_most(0) : span.at_least(1)) ||
         is_known(facts, literal.condition, !literal.value);
}

// No values that the facts allow satisfy all literals of the case.
bool impossible(const Facts& facts, const Case& literals) {
  for (const Literal& literal : literals) {
    if (contradicts(facts, literal)) return true;
  }
  Encoder encoder(facts);
  for (const Literal& literal : literals) {
    encoder.add_condition(literal.condition, literal.value, encoder.outer());
  }
  encoder.add_facts();
  const auto infeasible = [](const IntegerSystem& system) {
    return system.solve(false).answer == Answer::kNo;
  };
  if (infeasible(encoder.system())) return true;
  if (!encoder.has_choices()) return false;
  const std::vector<IntegerSystem> systems = encoder.systems();
  return std::all_of(systems.begin(), systems.end(), infeasible);
}

bool all_impossible(const Facts& facts, const std::vector<Case>& cases) {
  return std::all_of(cases.begin(), cases.end(),
                     [&](const Case& literals) { return impossible(facts, literals); });
}

// Facts that are disjunctions over variables of the question multiply its cases.
std::vector<Case> with_disjunctions(const Facts& facts, std::vector<Case> cases) {
  VarSet used;
  for (const Case& literals : cases) {
    for (const Literal& literal : literals) used.add(literal.condition);
  }
  for (size_t c = 0; c < facts.conditions().size(); ++c) {
    if (!used.may_meet(facts.condition_mask(c)) || !used.meets(facts.conditions()[c])) continue;
    std::vector<Case> choices = cases_of(facts.conditions()[c], true);
    if (choices.size() > 1) cases = combine(cases, choices);
  }
  return cases;
}

bool infeasible(const Facts& facts, const std::vector<Case>& cases) {
  if (all_impossible(facts, cases)) return true;
  const std::vector<Case> more = with_disjunctions(facts, cases);
  return more.size() > cases.size() && all_impossible(facts, more);
}

std::vector<Case> cases_of_all(const std::vector<Expr>& conditions) {
  std::vector<Case> cases = {Case()};
  for (const Expr& condition : conditions) cases = combine(cases, cases_of(condition, true));
  return cases;
}

}  // namespace

bool proved(const Facts& facts, const Expr& condition) {
  if (is_known(facts, condition, true)) return true;
  const Span span = span_of(condition, facts);
  if (span.at_least(1)) return true;
  if (span.at_most(0)) return false;
  return condition.node().depth <= kMaxDepth && infeasible(facts, cases_of(condition, false));
}

Answer prove(const Facts& facts, const Expr& condition) {
  if (proved(facts, condition)) return Answer::kYes;
  if (condition.node().depth > kMaxDepth) return Answer::kUnknown;
  const std::vector<Case> cases = with_disjunctions(facts, cases_of(condition, false));
  return has_witness(facts, cases, {Literal{condition, false}}) ? Answer::kNo : Answer::kUnknown;
}

Answer never(const Facts& facts, const std::vector<Expr>& conditions) {
  for (const Expr& condition : conditions) {
    if (condition.node().depth > kMaxDepth) return Answer::kUnknown;
  }
  const std::vector<Case> cases = cases_of_all(conditions);
  if (infeasible(facts, cases)) return Answer::kYes;
  Case all;
  for (const Expr& condition : conditions) all.push_back({condition, true});
  const bool found = has_witness(facts, with_disjunctions(facts, cases), all);
  return found ? Answer::kNo : Answer::kUnknown;
}

}  // namespace tenon
