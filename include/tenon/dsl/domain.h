// What a reduction or an update runs over: a box of indices, or a part of one.
//
//   sum(k, ...)   max_over({kh, kw}, ...)   sum(x.shape(), ...)      // boxes: [0, extent) each
//   sum(Domain(k).where([&](Expr r) { return r <= i; }), ...)        // a triangle
//   Domain({kh, kw}).where([&](Expr a, Expr b) { return inside(i + a - 1, h) & ...; })   // clipped
//   sum(at_most(lengths(i), k), ...)                                 // a length that is data
//
// Leaving an element out means what a select with the value that changes nothing would mean, and
// the element is not evaluated. Where the condition bounds an axis, the loop has these bounds:
// comparisons that are linear in the axis (`i + r - 1 < n`, `2 * r >= i`, also under a division by
// a constant, `(i - r) / 2 < n`) shrink it, and a residue class (`(i - r) % 2 == 0`, for constant
// divisors) makes it step. Conditions are joined with `&`; what bounds no axis stays a select.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "tenon/dsl/call.h"

namespace tenon {

// One extent, several in braces, or a list such as a tensor's shape; the last axis is the fastest.
class Domain {
 public:
  template <class T>
  requires std::convertible_to<T, Expr> Domain(const T& extent)
      : extents_{Expr(extent)} {}                                      // NOLINT
  Domain(std::initializer_list<Expr> extents) : extents_(extents) {}   // NOLINT
  Domain(std::vector<Expr> extents) : extents_(std::move(extents)) {}  // NOLINT

  // The elements for which the condition holds: a function of the indices, one by one or as an
  // Index. It is called when the domain is used. Of several, all have to hold.
  template <class F>
  Domain where(F condition) const {
    Domain part = *this;
    part.conditions_.push_back(
        [condition](const Index& at) { return dsl::call<Expr>(condition, at); });
    return part;
  }

  const std::vector<Expr>& extents() const { return extents_; }
  // Of all where(), at these indices; null when there are none.
  Expr condition(const Index& at) const;

 private:
  std::vector<Expr> extents_;
  std::vector<std::function<Expr(const Index&)>> conditions_;
};

// An extent that is data, promised to be in [0, most]. The promise is checked when the kernel runs,
// as that of an index that is data: a call that breaks it returns an error.
Expr at_most(const Expr& extent, const Expr& most);

// 0 <= i & i < extent.
Expr inside(const Expr& i, const Expr& extent);

namespace dsl {

// The axes of a domain with fresh variables, and which of their elements count.
struct Space {
  std::vector<ReduceAxis> axes;
  Expr condition;  // null: all
};

Space make_space(const Domain& domain);
Index indices_of(const Space& space);

}  // namespace dsl

}  // namespace tenon
