// The two 16-bit float formats as storage types.
//
//   tenon::Float16 h(1.5f);
//   float back = h.to_float();    // exact
//   std::vector<tenon::BFloat16> weights(n);   // a buffer of type tenon::bf16
//
// Conversion from float rounds to nearest, ties to even; overflow gives infinity; a NaN stays a NaN
// (quiet, upper payload bits kept). Arithmetic is done in float.
#pragma once

#include <cstdint>

#include "tenon/base/type.h"

namespace tenon {

uint16_t f16_bits_from_float(float value);
float f16_bits_to_float(uint16_t bits);
uint16_t bf16_bits_from_float(float value);
float bf16_bits_to_float(uint16_t bits);

struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  explicit Float16(float value) : bits(f16_bits_from_float(value)) {}
  float to_float() const { return f16_bits_to_float(bits); }
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) : bits(bf16_bits_from_float(value)) {}
  float to_float() const { return bf16_bits_to_float(bits); }
};

template <>
constexpr Type type_of<Float16>() {
  return f16;
}
template <>
constexpr Type type_of<BFloat16>() {
  return bf16;
}

}  // namespace tenon
