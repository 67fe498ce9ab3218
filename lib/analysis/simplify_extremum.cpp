// min and max of indices: candidates that another one dominates are dropped, each pair looked at
// once.
#include <algorithm>

#include "analysis/linear.h"
#include "analysis/order.h"
#include "analysis/simplifier.h"
#include "tenon/analysis/prove.h"

namespace tenon {
namespace {

constexpr size_t kMaxCompared = 6;  // candidates that are compared with the solver

bool is_extremum(BinaryOp op) { return op == BinaryOp::kMin || op == BinaryOp::kMax; }

void collect(BinaryOp op, const Expr& e, std::vector<Affine>& candidates) {
  const Binary* b = e.as<Binary>();
  if (b && b->op == op) {
    collect(op, b->a, candidates);
    collect(op, b->b, candidates);
  } else {
    candidates.push_back(simple_form(e));
  }
}

void collect(BinaryOp op, const Affine& form, std::vector<Affine>& candidates) {
  if (form.terms.size() == 1 && form.terms[0].coefficient == 1 && form.constant == 0) {
    collect(op, form.terms[0].atom, candidates);
  } else {
    candidates.push_back(form);
  }
}

Expr joined(BinaryOp op, const std::vector<Affine>& candidates) {
  std::vector<Expr> parts;
  for (const Affine& candidate : candidates) parts.push_back(to_expr(candidate));
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Expr& a, const Expr& b) { return compare(a, b) < 0; });
  Expr result = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) result = binary(op, result, parts[i]);
  return result;
}

}  // namespace

bool Simplifier::at_most(const Affine& a, const Affine& b) const {
  const Span left = span_of(a), right = span_of(b);
  if (left.hi && right.lo && *left.hi <= *right.lo) return true;
  if (!exact(a) || !exact(b)) return equal(a, b);
  const Affine difference = b - a;
  const Span span = span_of(difference);
  if (span.at_least(0)) return true;
  if (difference.is_constant() || span.at_most(-1)) return false;
  return proved(facts_, binary(BinaryOp::kLe, to_expr(a), to_expr(b)));
}

Affine Simplifier::extremum(BinaryOp op, const Affine& a, const Affine& b) {
  std::vector<Affine> candidates;
  collect(op, a, candidates);
  collect(op, b, candidates);
  const auto dominates = [&](const Affine& x, const Affine& y) {
    if (candidates.size() > kMaxCompared) return equal(x, y);
    return op == BinaryOp::kMin ? at_most(x, y) : at_most(y, x);
  };
  for (size_t i = 0; i < candidates.size(); ++i) {
    for (size_t k = candidates.size(); k-- > i + 1;) {
      if (dominates(candidates[i], candidates[k])) {
        candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(k));
      } else if (dominates(candidates[k], candidates[i])) {
        candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(i--));
        break;
      }
    }
  }
  if (candidates.size() == 1) return candidates.front();
  return finished_atom(joined(op, candidates));
}

// min(a, b) + r = min(a + r, b + r) where that cancels terms: min(12*i + 11, n) - 12*i becomes
// min(11, n - 12*i).
void Simplifier::push_into_extremum(Affine& form) {
  if (form.terms.size() < 2) return;
  size_t place = form.terms.size();
  for (size_t t = 0; t < form.terms.size(); ++t) {
    const Binary* b = form.terms[t].atom.as<Binary>();
    const int64_t coefficient = form.terms[t].coefficient;
    if (!b || !is_extremum(b->op) || (coefficient != 1 && coefficient != -1)) continue;
    if (place != form.terms.size()) return;
    place = t;
  }
  if (place == form.terms.size()) return;
  const Affine::Term term = form.terms[place];
  BinaryOp op = term.atom.as<Binary>()->op;
  std::vector<Affine> candidates;
  collect(op, term.atom, candidates);
  Affine rest = form;
  rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(place));
  if (!exact(rest)) return;
  size_t terms_before = rest.terms.size(), terms_after = 0;
  for (Affine& candidate : candidates) {
    if (!exact(candidate)) return;
    terms_before += candidate.terms.size();
    candidate = rest + term.coefficient * candidate;
    terms_after += candidate.terms.size();
    if (!exact(candidate)) return;
  }
  if (terms_after >= terms_before) return;
  if (term.coefficient < 0) op = op == BinaryOp::kMin ? BinaryOp::kMax : BinaryOp::kMin;
  Affine result = candidates.front();
  for (size_t i = 1; i < candidates.size(); ++i) result = extremum(op, result, candidates[i]);
  form = std::move(result);
}

}  // namespace tenon
