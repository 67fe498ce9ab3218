#include "analysis/cases.h"

#include <algorithm>

#include "analysis/inspect.h"

namespace tenon {
namespace {

constexpr size_t kMaxCases = 16;

bool is_anything(const std::vector<Case>& cases) {
  return std::any_of(cases.begin(), cases.end(), [](const Case& c) { return c.empty(); });
}

std::vector<Case> either(std::vector<Case> a, const std::vector<Case>& b) {
  if (a.size() + b.size() > kMaxCases || is_anything(a) || is_anything(b)) return {Case()};
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Binary* as_i64(const Expr& e, BinaryOp op) {
  const Binary* b = e.as<Binary>();
  return b && b->op == op && e.type() == i64 ? b : nullptr;
}

// a < b or a <= b: a minimum on the left or a maximum on the right is a choice.
std::vector<Case> cases_of_order(BinaryOp op, const Expr& a, const Expr& b) {
  if (const Binary* x = as_i64(a, BinaryOp::kMin)) {
    return either(cases_of_order(op, x->a, b), cases_of_order(op, x->b, b));
  }
  if (const Binary* x = as_i64(b, BinaryOp::kMax)) {
    return either(cases_of_order(op, a, x->a), cases_of_order(op, a, x->b));
  }
  return {{Literal{binary(op, a, b), true}}};
}

}  // namespace

std::vector<Case> combine(const std::vector<Case>& a, const std::vector<Case>& b) {
  if (a.size() * b.size() > kMaxCases) return a.size() < b.size() ? b : a;
  std::vector<Case> result;
  for (const Case& x : a) {
    for (const Case& y : b) {
      result.push_back(x);
      result.back().insert(result.back().end(), y.begin(), y.end());
    }
  }
  return result;
}

std::vector<Case> cases_of(const Expr& condition, bool value) {
  if (const Unary* negation = as_not(condition)) return cases_of(negation->a, !value);
  if (const Binary* x = as_bool(condition, value ? BinaryOp::kBitAnd : BinaryOp::kBitOr)) {
    return combine(cases_of(x->a, value), cases_of(x->b, value));
  }
  if (const Binary* x = as_bool(condition, value ? BinaryOp::kBitOr : BinaryOp::kBitAnd)) {
    return either(cases_of(x->a, value), cases_of(x->b, value));
  }
  const Binary* x = condition.as<Binary>();
  if (!x || !is_comparison(x->op) || x->a.type() != i64) return {{Literal{condition, value}}};
  switch (x->op) {
    case BinaryOp::kLt:
      return value ? cases_of_order(BinaryOp::kLt, x->a, x->b)
                   : cases_of_order(BinaryOp::kLe, x->b, x->a);
    case BinaryOp::kLe:
      return value ? cases_of_order(BinaryOp::kLe, x->a, x->b)
                   : cases_of_order(BinaryOp::kLt, x->b, x->a);
    default: break;
  }
  if ((x->op == BinaryOp::kEq) == value) return {{Literal{condition, value}}};
  return either(cases_of_order(BinaryOp::kLt, x->a, x->b),
                cases_of_order(BinaryOp::kLt, x->b, x->a));
}

bool is_disjunction(const Expr& condition, bool value) {
  return cases_of(condition, value).size() > 1;
}

}  // namespace tenon
