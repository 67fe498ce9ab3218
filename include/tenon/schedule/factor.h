// A number that a step takes: how far to split, unroll, skew or pad. With a name, the trace shows
// it and replay can give it another value, which is what a tuner does.
//
//   s.split(i, Factor::named("rows", 12));                      // 1 split(i, rows=12) -> io, ii
//   replay(t, s.trace().to_string(), {{"rows", 6}});            // split(i, rows=6)
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tenon {

class Factor {
 public:
  Factor() = default;
  template <std::integral T>
  requires(!std::same_as<T, bool>) Factor(T value)  // NOLINT: a number is a factor
      : value_(static_cast<int64_t>(value)) {}
  // The name is an identifier: characters that stand in none become underscores. Factors of one
  // name are one parameter of the trace.
  static Factor named(const std::string& name, int64_t value);

  int64_t value() const { return value_; }
  const std::string& name() const { return name_; }  // empty without one
  Factor with_value(int64_t value) const;
  std::string text() const;  // "12", "rows=12"

 private:
  std::string name_;
  int64_t value_ = 0;
};

// In a list of factors: the one that follows from the extent and the others.
inline constexpr int64_t kInferred = -1;

// Several: {14, 32}, {kInferred, Factor::named("rows", 14)}, or a vector of either.
class Factors {
 public:
  Factors() = default;
  Factors(std::initializer_list<Factor> list) : list_(list) {}
  Factors(std::vector<Factor> list) : list_(std::move(list)) {}  // NOLINT: a list is a list
  template <std::integral T>
  Factors(const std::vector<T>& values) : list_(values.begin(), values.end()) {}  // NOLINT

  std::vector<int64_t> values() const;
  std::string text() const;  // "{inferred, rows=14}"

 private:
  std::vector<Factor> list_;
};

// The values of named factors.
using FactorValues = std::map<std::string, int64_t>;

}  // namespace tenon
