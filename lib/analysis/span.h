// Constant ranges of i64 values, and how the operators move them.
//
// A side is open for index variables whose size is a symbol. Their arithmetic is taken not to
// overflow (see facts.h), so open sides stay open. Where a closed end leaves i64, or where an open
// side meets numbers so large that only data can have them, the operation may wrap, and the result
// is the whole range of the type: closed on both sides, so that it spreads.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/wide.h"
#include "tenon/base/type.h"

namespace tenon {

struct Span {
  std::optional<int64_t> lo, hi;  // inclusive; empty: open

  static Span point(int64_t value) { return {value, value}; }
  static Span whole() { return {kInt64Min, kInt64Max}; }
  static Span of(Type type);  // every value; whole() for u64, whose upper half does not fit

  bool is_point() const { return lo && hi && *lo == *hi; }
  bool is_whole() const { return lo == kInt64Min && hi == kInt64Max; }
  bool at_least(int64_t value) const { return lo && *lo >= value; }
  bool at_most(int64_t value) const { return hi && *hi <= value; }
  bool within(int64_t least, int64_t most) const { return at_least(least) && at_most(most); }
  // Open sides count as far from the ends of i64.
  bool inside(const Span& outer) const;
};

Span operator+(const Span& a, const Span& b);
Span operator-(const Span& a, const Span& b);
Span operator-(const Span& a);
Span operator*(const Span& a, const Span& b);
Span floor_div(const Span& a, const Span& b);
Span floor_mod(const Span& a, const Span& b);
Span min(const Span& a, const Span& b);
Span max(const Span& a, const Span& b);
Span join(const Span& a, const Span& b);  // the hull of both
// May be empty: lo > hi. For "not known" give an end of i64: an open side would say "an index".
Span intersect(const Span& a, const Span& b);

}  // namespace tenon
