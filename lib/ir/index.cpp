#include "tenon/ir/index.h"

#include <algorithm>
#include <string>

namespace tenon {

Expr Index::operator[](int position) const {
  const int at = resolve(position);
  if (at < 0 || at >= size()) {
    return invalid("index " + std::to_string(position) + " of an Index of " +
                   std::to_string(size()) + " entries");
  }
  return exprs_[static_cast<size_t>(at)];
}

Index Index::slice(int first, int last) const {
  const int from = std::clamp(resolve(first), 0, size());
  const int to = std::clamp(last < 0 ? last + size() : last, from, size());
  return Index(std::vector<Expr>(exprs_.begin() + from, exprs_.begin() + to));
}

Index Index::with(int position, const Expr& e) const {
  return slice(0, resolve(position)) + e + slice(resolve(position) + 1, size());
}

Index Index::inserted(int position, const Expr& e) const {
  return slice(0, resolve(position)) + e + slice(resolve(position), size());
}

Index Index::without(int position) const {
  return slice(0, resolve(position)) + slice(resolve(position) + 1, size());
}

Index operator+(const Index& a, const Index& b) {
  std::vector<Expr> exprs = a.exprs();
  exprs.insert(exprs.end(), b.begin(), b.end());
  return Index(std::move(exprs));
}

Index operator+(const Index& a, const Expr& b) { return a + Index({b}); }

Index operator+(const Expr& a, const Index& b) { return Index({a}) + b; }

}  // namespace tenon
