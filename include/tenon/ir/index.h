// A list of index expressions: for definitions that serve every rank, and for layouts.
//
//   Tensor y = compute("y", x.shape(), [&](Index i) { return relu(x(i)); });
//   x(i.first(2) + r)          // slices and concatenates
//   i[-1]                      // the last index
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "tenon/ir/operators.h"

namespace tenon {

class Index {
 public:
  Index() = default;
  Index(std::vector<Expr> exprs) : exprs_(std::move(exprs)) {}  // NOLINT: a list is a list
  Index(std::initializer_list<Expr> exprs) : exprs_(exprs) {}

  int size() const { return static_cast<int>(exprs_.size()); }
  // Counted from the end when negative. Outside of the list: an Invalid expression.
  Expr operator[](int position) const;
  // [first, last); both clamp to the list, and count from the end when negative.
  Index slice(int first, int last) const;
  Index first(int count) const { return slice(0, count); }
  Index last(int count) const { return slice(size() - count, size()); }
  // The same list with one entry replaced, inserted before a position, or removed.
  Index with(int position, const Expr& e) const;
  Index inserted(int position, const Expr& e) const;
  Index without(int position) const;

  const std::vector<Expr>& exprs() const { return exprs_; }
  std::vector<Expr>::const_iterator begin() const { return exprs_.begin(); }
  std::vector<Expr>::const_iterator end() const { return exprs_.end(); }

 private:
  int resolve(int position) const { return position < 0 ? position + size() : position; }
  std::vector<Expr> exprs_;
};

Index operator+(const Index& a, const Index& b);  // concatenation
Index operator+(const Index& a, const Expr& b);
Index operator+(const Expr& a, const Index& b);

}  // namespace tenon
