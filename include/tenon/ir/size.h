// Sizes: the integer symbols of a Program's shapes, and values for them.
//
//   Size m("m"), n("n");
//   Expr half = n / 2;                        // shapes are expressions over sizes
//   Sizes values = {{m, 128}, {n, 768}};
//   values[m];                                // 128
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "tenon/ir/operators.h"

namespace tenon {

class Size : public Var {
 public:
  explicit Size(std::string name) : Var(std::move(name), i64) {}
  // Moving copies: a Size always names something.
  Size(const Size&) = default;
  Size& operator=(const Size&) = default;
};

// Var compares identities; between sizes the user means the comparison of their values.
inline Expr operator==(const Size& a, const Size& b) { return Expr(a) == Expr(b); }
inline Expr operator!=(const Size& a, const Size& b) { return Expr(a) != Expr(b); }
inline Expr operator<(const Size& a, const Size& b) { return Expr(a) < Expr(b); }

class Sizes {
 public:
  Sizes() = default;
  Sizes(std::initializer_list<std::pair<Var, int64_t>> values) : values_(values) {}
  explicit Sizes(std::vector<std::pair<Var, int64_t>> values) : values_(std::move(values)) {}

  std::optional<int64_t> find(const Var& size) const {
    for (const auto& [var, value] : values_) {
      if (var == size) return value;
    }
    return std::nullopt;
  }
  // -1 when the size has no value (it is kept symbolic): every real size is at least 0.
  int64_t operator[](const Var& size) const { return find(size).value_or(-1); }
  const std::vector<std::pair<Var, int64_t>>& values() const { return values_; }

 private:
  std::vector<std::pair<Var, int64_t>> values_;
};

}  // namespace tenon
