// Integer arithmetic that cannot overflow silently: 128-bit intermediates, checked narrowing.
#pragma once

#include <cstdint>
#include <limits>

namespace tenon {

__extension__ typedef __int128 Wide;

inline constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

// Coefficients up to here leave room for a difference of two forms and a little more.
inline constexpr int64_t kSmall = int64_t{1} << 61;

constexpr bool fits_int64(Wide value) { return value >= kInt64Min && value <= kInt64Max; }

constexpr Wide floor_div(Wide a, Wide b) {
  // Nearly always; a division of 64 bits is several times faster.
  if (fits_int64(a) && fits_int64(b) && b != -1) {
    const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    const int64_t q = x / y;
    return q * y != x && (x < 0) != (y < 0) ? q - 1 : q;
  }
  const Wide q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}
constexpr Wide ceil_div(Wide a, Wide b) { return -floor_div(-a, b); }
constexpr Wide floor_mod(Wide a, Wide b) { return a - b * floor_div(a, b); }

// The greatest common divisor of magnitudes; gcd(0, x) is |x|.
constexpr uint64_t gcd_of(uint64_t a, uint64_t b) {
  while (b != 0) {
    const uint64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}
constexpr uint64_t magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

}  // namespace tenon
