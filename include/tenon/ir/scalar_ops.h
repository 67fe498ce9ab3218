// What every operator computes on one element, on bit patterns. The interpreter, the constant
// folder and the tests share this one definition; docs/semantics.md says the same in words.
//
//   apply_binary(BinaryOp::kAdd, u8, 200, 200);                      // 144
//   apply_binary(BinaryOp::kFloorDiv, i64, bits_of_int(i64, -1), 10) // the bits of -1
//
// A bit pattern is what Const holds: the value of one lane, zero-extended to 64 bits (integers:
// two's complement truncated to the type; bool: 0 or 1). Lanes of the types are ignored.
#pragma once

#include <cstdint>

#include "tenon/ir/expr.h"

namespace tenon {

// `a` has type `type`, and so has the result.
uint64_t apply_unary(UnaryOp op, Type type, uint64_t a);
// Both operands have type `type`; so has the result, but for comparisons, which give 0 or 1. A
// check(i, n) gives i where 0 <= i < n, and 0 elsewhere; reporting it is the caller's work.
uint64_t apply_binary(BinaryOp op, Type type, uint64_t a, uint64_t b);
uint64_t apply_cast(CastMode mode, Type from, Type to, uint64_t a);

// Whether the operator is defined on operands of this type. The functions above need not be.
bool accepts(UnaryOp op, Type type);
bool accepts(BinaryOp op, Type type);
// What the operator takes, for messages: "numbers", "integers", "integers or bool" ...
const char* operands_of(UnaryOp op);
const char* operands_of(BinaryOp op);

// --- Values and bit patterns.

// The value of an integer or bool; a u64 above the largest int64_t wraps.
int64_t int_of_bits(Type type, uint64_t bits);
// Wraps into an integer type; for bool, whether the value is not 0.
uint64_t bits_of_int(Type type, int64_t value);
// The value of a float of any width, exactly.
double float_of_bits(Type type, uint64_t bits);
// Rounds to the float type (f16 and bf16: to f32 first).
uint64_t bits_of_float(Type type, double value);

}  // namespace tenon
