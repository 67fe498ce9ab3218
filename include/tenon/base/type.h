// Element types of tensors and of scalar expressions.
//
//   tenon::Type t = tenon::f32;
//   t.bits();                    // 32
//   tenon::to_string(t);         // "f32"
//   t.with_lanes(16);            // the type of a vector of 16 such elements, "f32x16"
//
// A Type is two small fields and is passed by value. How values of each type behave (wrapping,
// rounding, NaN) is written in docs/semantics.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

enum class Scalar : uint8_t {
  kF64,
  kF32,
  kF16,
  kBF16,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kBool,
};

struct Type {
  Scalar scalar = Scalar::kF32;
  int32_t lanes = 1;  // 1 outside of lowered vector code

  friend constexpr bool operator==(Type a, Type b) = default;

  constexpr bool is_float() const { return scalar <= Scalar::kBF16; }
  // f16 and bf16: stored in 16 bits, computed in f32 and rounded after every operation.
  constexpr bool is_small_float() const {
    return scalar == Scalar::kF16 || scalar == Scalar::kBF16;
  }
  constexpr bool is_signed_int() const { return scalar >= Scalar::kI8 && scalar <= Scalar::kI64; }
  constexpr bool is_unsigned_int() const { return scalar >= Scalar::kU8 && scalar <= Scalar::kU64; }
  constexpr bool is_int() const { return is_signed_int() || is_unsigned_int(); }
  constexpr bool is_bool() const { return scalar == Scalar::kBool; }
  constexpr bool is_vector() const { return lanes != 1; }

  // Bits that carry the value of one element: 1 for bool.
  int bits() const;
  // Bytes that one element takes in memory: 1 for bool (0 or 1).
  int bytes() const;

  constexpr Type with_lanes(int32_t n) const { return Type{scalar, n}; }
  constexpr Type element() const { return Type{scalar, 1}; }
};

inline constexpr Type f64{Scalar::kF64};
inline constexpr Type f32{Scalar::kF32};
inline constexpr Type f16{Scalar::kF16};
inline constexpr Type bf16{Scalar::kBF16};
inline constexpr Type i8{Scalar::kI8};
inline constexpr Type i16{Scalar::kI16};
inline constexpr Type i32{Scalar::kI32};
inline constexpr Type i64{Scalar::kI64};
inline constexpr Type u8{Scalar::kU8};
inline constexpr Type u16{Scalar::kU16};
inline constexpr Type u32{Scalar::kU32};
inline constexpr Type u64{Scalar::kU64};
inline constexpr Type boolean{Scalar::kBool};  // printed "bool"

// All thirteen element types, for tests and tables.
inline constexpr Type kAllTypes[] = {f64, f32, f16, bf16, i8,  i16,    i32,
                                     i64, u8,  u16, u32,  u64, boolean};

// "f32", "bool", "f32x16".
std::string to_string(Type type);
// The inverse of to_string; empty when the text names no type.
std::optional<Type> parse_type(std::string_view text);

// Of a dense tensor. Empty when a size is negative, or no process has so much memory.
std::optional<int64_t> bytes_of(Type type, const std::vector<int64_t>& shape);

// The Type of a C++ arithmetic type: type_of<float>() == f32.
template <class T>
constexpr Type type_of() {
  static_assert(sizeof(T) == 0,
                "no tenon::Type for this C++ type: pass a void* and the Type, as in "
                "View(pointer, tenon::f16, shape)");
  return {};
}
template <>
constexpr Type type_of<double>() {
  return f64;
}
template <>
constexpr Type type_of<float>() {
  return f32;
}
template <>
constexpr Type type_of<int8_t>() {
  return i8;
}
template <>
constexpr Type type_of<int16_t>() {
  return i16;
}
template <>
constexpr Type type_of<int32_t>() {
  return i32;
}
template <>
constexpr Type type_of<int64_t>() {
  return i64;
}
template <>
constexpr Type type_of<uint8_t>() {
  return u8;
}
template <>
constexpr Type type_of<uint16_t>() {
  return u16;
}
template <>
constexpr Type type_of<uint32_t>() {
  return u32;
}
template <>
constexpr Type type_of<uint64_t>() {
  return u64;
}
template <>
constexpr Type type_of<bool>() {
  return boolean;
}

}  // namespace tenon
