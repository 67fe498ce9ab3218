#include "tenon/ir/float8.h"

#include "tenon/ir/functions.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

// 1 sign bit, then the exponent with this bias, then the mantissa. What lies above the highest code
// is infinite or NaN.
struct Format {
  const char* name;
  int mantissa, bias;
  uint8_t highest;   // its code
  uint8_t overflow;  // the code of what is too large
};
constexpr Format kE4M3{"e4m3", 3, 7, 0x7e, 0x7f};
constexpr Format kE5M2{"e5m2", 2, 15, 0x7b, 0x7c};
constexpr uint8_t kNaN = 0x7f;
constexpr int kMantissaOfF32 = 23, kBiasOfF32 = 127;

Expr number(Type type, int64_t value) { return constant_int(type.element(), value); }

Expr as_u8(const char* what, const Format& format, const Expr& bits) {
  if (!bits || bits.is<Invalid>()) return bits + 0;  // the message of every operator
  if (bits.type().element() == u8) return bits;
  return invalid(std::string(what) + "_" + format.name + " of " + to_string(bits.type()) +
                 ": it takes the bits, as u8");
}

// The magnitude's bits at their place in an f32 stand for a number that is smaller by the
// difference of the biases, subnormal numbers included; the product is exact.
Expr decode(const Format& format, const Expr& bits) {
  const Expr byte = as_u8("decode", format, bits);
  if (byte.is<Invalid>()) return byte;
  const Type wide = u32.with_lanes(bits.type().lanes);
  const Expr code = cast(wide, byte), magnitude = code & number(u32, 0x7f);
  const Expr sign = (code & number(u32, 0x80)) << number(u32, 24);
  const Expr shifted = magnitude << number(u32, kMantissaOfF32 - format.mantissa);
  // 2^(127 - bias), as the bits of its exponent.
  const Expr scale =
      bitcast(f32, number(u32, int64_t{2 * kBiasOfF32 - format.bias} << kMantissaOfF32));
  const Type f = f32.with_lanes(bits.type().lanes);
  const Expr finite = bitcast(f, shifted) * scale;
  const Expr special = format.overflow == kNaN ? not_a_number(f)
                                               : select(magnitude == number(u32, format.overflow),
                                                        infinity(f), not_a_number(f));
  const Expr value = select(magnitude > number(u32, format.highest), special, finite);
  return bitcast(f, bitcast(wide, value) | sign);
}

Expr encode(const Format& format, const Expr& value, Overflow overflow) {
  if (!value || value.is<Invalid>()) return value + 0;
  if (!value.type().is_float()) {
    return invalid(std::string("encode_") + format.name + " of " + to_string(value.type()) +
                   ": it takes floats; cast first");
  }
  const Type f = f32.with_lanes(value.type().lanes), wide = u32.with_lanes(value.type().lanes);
  const Expr x = cast(f, value), a = abs(x), bits = bitcast(wide, a);
  const int dropped = kMantissaOfF32 - format.mantissa;
  // Half of the last place that stays, less one where that place is even: then a carry is a
  // rounding up, into the exponent too.
  const Expr last = (bits >> number(u32, dropped)) & number(u32, 1);
  const Expr rounded =
      (bits + number(u32, (int64_t{1} << (dropped - 1)) - 1) + last) >> number(u32, dropped);
  const Expr normal = rounded - number(u32, int64_t{kBiasOfF32 - format.bias} << format.mantissa);
  // Below 2^(1 - bias) codes count multiples of the smallest number, and round() ties to even.
  const auto power = [&](int exponent) {
    return bitcast(f32, number(u32, int64_t{kBiasOfF32 + exponent} << kMantissaOfF32));
  };
  const Expr subnormal = cast(wide, round(a * power(format.bias - 1 + format.mantissa)));
  const Expr code = select(a < power(1 - format.bias), subnormal, normal);
  const uint8_t too_large = overflow == Overflow::kSaturate ? format.highest : format.overflow;
  const Expr bounded = select(code > number(u32, format.highest), number(u32, too_large), code);
  const Expr magnitude = select(isnan(x), number(u32, kNaN), bounded);
  const Expr sign = (bitcast(wide, x) >> number(u32, 24)) & number(u32, 0x80);
  return cast(u8, magnitude | sign);
}

}  // namespace

Expr decode_e4m3(const Expr& bits) { return decode(kE4M3, bits); }
Expr decode_e5m2(const Expr& bits) { return decode(kE5M2, bits); }
Expr encode_e4m3(const Expr& value, Overflow overflow) { return encode(kE4M3, value, overflow); }
Expr encode_e5m2(const Expr& value, Overflow overflow) { return encode(kE5M2, value, overflow); }

}  // namespace tenon
