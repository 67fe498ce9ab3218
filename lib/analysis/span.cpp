#include "analysis/span.h"

#include <algorithm>

namespace tenon {
namespace {

// Beyond this an end cannot come from index arithmetic on sizes.
constexpr int64_t kFar = int64_t{1} << 62;
constexpr int64_t kFarFactor = int64_t{1} << 40;

bool is_empty(const Span& a) { return a.lo && a.hi && *a.lo > *a.hi; }
bool has_open(const Span& a) { return !a.lo || !a.hi; }
bool has_far_end(const Span& a, int64_t limit) {
  return (a.lo && (*a.lo > limit || *a.lo < -limit)) || (a.hi && (*a.hi > limit || *a.hi < -limit));
}

// An end of a result: a number, or open.
struct End {
  bool open = false;
  Wide value = 0;
};
Span made_of(End lo, End hi) {
  if ((!lo.open && !fits_int64(lo.value)) || (!hi.open && !fits_int64(hi.value))) {
    return Span::whole();
  }
  Span span;
  if (!lo.open) span.lo = static_cast<int64_t>(lo.value);
  if (!hi.open) span.hi = static_cast<int64_t>(hi.value);
  return span;
}

End end_of(const std::optional<int64_t>& side) { return side ? End{false, *side} : End{true, 0}; }
End plus(End a, End b) { return {a.open || b.open, a.value + b.value}; }

// An end with the sign of its infinity, for products.
struct Signed {
  int infinite = 0;  // -1, 0, 1
  Wide value = 0;
};
Signed times(Signed a, Signed b) {
  const auto sign = [](Signed x) {
    return x.infinite ? x.infinite : (x.value > 0) - (x.value < 0);
  };
  if (a.infinite || b.infinite) return {sign(a) * sign(b), 0};
  return {0, a.value * b.value};
}
bool less(Signed a, Signed b) {
  return a.infinite != b.infinite ? a.infinite < b.infinite : a.value < b.value;
}
Signed low_of(const Span& a) { return a.lo ? Signed{0, *a.lo} : Signed{-1, 0}; }
Signed high_of(const Span& a) { return a.hi ? Signed{0, *a.hi} : Signed{1, 0}; }

// The quotient of an end by a divisor of at least 1; an open divisor sends it to 0 or -1.
Wide divided(Wide end, const std::optional<int64_t>& divisor) {
  if (divisor) return floor_div(end, *divisor);
  return end < 0 ? -1 : 0;
}

}  // namespace

Span Span::of(Type type) {
  if (type.is_bool()) return {0, 1};
  if (!type.is_int() || type.bits() == 64) return whole();
  if (type.is_unsigned_int()) return {0, (int64_t{1} << type.bits()) - 1};
  const int64_t half = int64_t{1} << (type.bits() - 1);
  return {-half, half - 1};
}

bool Span::inside(const Span& outer) const {
  const bool lo_inside = !outer.lo || *outer.lo == kInt64Min || (lo && *lo >= *outer.lo);
  const bool hi_inside = !outer.hi || *outer.hi == kInt64Max || (hi && *hi <= *outer.hi);
  return lo_inside && hi_inside;
}

Span operator+(const Span& a, const Span& b) {
  if ((has_open(a) && has_far_end(b, kFar)) || (has_open(b) && has_far_end(a, kFar))) {
    return Span::whole();
  }
  return made_of(plus(end_of(a.lo), end_of(b.lo)), plus(end_of(a.hi), end_of(b.hi)));
}

Span operator-(const Span& a) {
  const auto negated = [](const std::optional<int64_t>& side) {
    return side ? End{false, -Wide{*side}} : End{true, 0};
  };
  return made_of(negated(a.hi), negated(a.lo));
}

Span operator-(const Span& a, const Span& b) {
  if (a.is_whole() || b.is_whole()) return Span::whole();
  // Not a + (-b): the negation alone may leave i64 where the difference does not.
  if ((has_open(a) && has_far_end(b, kFar)) || (has_open(b) && has_far_end(a, kFar))) {
    return Span::whole();
  }
  const End lo{!a.lo || !b.hi, Wide{a.lo.value_or(0)} - b.hi.value_or(0)};
  const End hi{!a.hi || !b.lo, Wide{a.hi.value_or(0)} - b.lo.value_or(0)};
  return made_of(lo, hi);
}

Span operator*(const Span& a, const Span& b) {
  if (a.is_point() && *a.lo == 1) return b;
  if (b.is_point() && *b.lo == 1) return a;
  if ((has_open(a) && has_far_end(b, kFarFactor)) || (has_open(b) && has_far_end(a, kFarFactor))) {
    return Span::whole();
  }
  const Signed corners[] = {times(low_of(a), low_of(b)), times(low_of(a), high_of(b)),
                            times(high_of(a), low_of(b)), times(high_of(a), high_of(b))};
  const auto [lo, hi] = std::minmax_element(std::begin(corners), std::end(corners), less);
  return made_of({lo->infinite != 0, lo->value}, {hi->infinite != 0, hi->value});
}

Span floor_div(const Span& a, const Span& b) {
  if (is_empty(a) || is_empty(b)) return Span::whole();  // at a place that is never reached
  if (!b.at_least(1)) {
    if (b.at_least(0)) return join(floor_div(a, {1, b.hi}), Span::point(0));  // x // 0 is 0
    if (b.at_most(-1) && !a.is_whole() && !b.is_whole()) return floor_div(-a, -b);
    // The quotient is nowhere larger than the number, except that it may wrap at the very end.
    if (!a.lo || *a.lo == kInt64Min || !a.hi) return Span::whole();
    const int64_t most = std::max(*a.lo < 0 ? -*a.lo : *a.lo, *a.hi < 0 ? -*a.hi : *a.hi);
    return {-most, most};
  }
  End lo = end_of(a.lo), hi = end_of(a.hi);
  if (a.lo) lo.value = *a.lo >= 0 ? divided(*a.lo, b.hi) : divided(*a.lo, b.lo);
  if (a.hi) hi.value = *a.hi >= 0 ? divided(*a.hi, b.lo) : divided(*a.hi, b.hi);
  return made_of(lo, hi);
}

Span floor_mod(const Span& a, const Span& b) {
  if (is_empty(a) || is_empty(b)) return Span::whole();
  if (!b.at_least(1)) {
    if (b.at_least(0)) return join(floor_mod(a, {1, b.hi}), a);  // x % 0 is x
    if (!b.lo || *b.lo == kInt64Min) return Span::whole();
    if (b.at_most(-1)) return {*b.lo + 1, 0};
    if (!b.hi) return Span::whole();
    return join(join({*b.lo, *b.hi}, Span::point(0)), a);
  }
  if (a.at_least(0) && a.hi && *a.hi < *b.lo) return a;
  if (b.is_point() && a.lo && a.hi) {
    const Wide q = floor_div(Wide{*a.lo}, *b.lo);
    if (q == floor_div(Wide{*a.hi}, *b.lo)) {
      return made_of({false, *a.lo - q * *b.lo}, {false, *a.hi - q * *b.lo});
    }
  }
  Span result{0, std::nullopt};
  if (b.hi) result.hi = *b.hi - 1;
  if (a.at_least(0) && a.hi && (!result.hi || *a.hi < *result.hi)) result.hi = a.hi;
  return result;
}

namespace {

// The larger of two upper ends. An open end is far below the numbers that only data can have.
std::optional<int64_t> larger(const std::optional<int64_t>& a, const std::optional<int64_t>& b) {
  if (a && b) return std::max(*a, *b);
  const std::optional<int64_t>& closed = a ? a : b;
  return closed && *closed > kFar ? closed : std::nullopt;
}
std::optional<int64_t> smaller(const std::optional<int64_t>& a, const std::optional<int64_t>& b) {
  if (a && b) return std::min(*a, *b);
  const std::optional<int64_t>& closed = a ? a : b;
  return closed && *closed < -kFar ? closed : std::nullopt;
}

// The end that says more: of two closed upper ends the smaller, and an open one rather than one
// that only data can have.
std::optional<int64_t> tighter_upper(const std::optional<int64_t>& a,
                                     const std::optional<int64_t>& b) {
  if (a && b) return std::min(*a, *b);
  const std::optional<int64_t>& closed = a ? a : b;
  return closed && *closed <= kFar ? closed : std::nullopt;
}
std::optional<int64_t> tighter_lower(const std::optional<int64_t>& a,
                                     const std::optional<int64_t>& b) {
  if (a && b) return std::max(*a, *b);
  const std::optional<int64_t>& closed = a ? a : b;
  return closed && *closed >= -kFar ? closed : std::nullopt;
}

}  // namespace

Span min(const Span& a, const Span& b) { return {smaller(a.lo, b.lo), tighter_upper(a.hi, b.hi)}; }
Span max(const Span& a, const Span& b) { return {tighter_lower(a.lo, b.lo), larger(a.hi, b.hi)}; }
Span join(const Span& a, const Span& b) { return {smaller(a.lo, b.lo), larger(a.hi, b.hi)}; }
Span intersect(const Span& a, const Span& b) {
  return {tighter_lower(a.lo, b.lo), tighter_upper(a.hi, b.hi)};
}

}  // namespace tenon
