// Operators on LLVM values: what scalar_ops.h says, as instructions, for one lane or many.
//
// In registers an integer of n bits is an iN, a bool an i1, an f32 a float, an f64 a double; f16
// and bf16 are i16 bit patterns, widened to float for each operation. In memory a bool is an i8.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "tenon/ir/expr.h"
#include "tenon/target/target.h"

namespace tenon::codegen {

// Where instructions go, and what the target and the user allow.
struct Ops {
  llvm::IRBuilder<>& b;
  bool f16c = false;
  bool fma = false;
  bool contract = false;
  llvm::Value* math_table = nullptr;  // tenon_math of the function being emitted

  // types.cpp
  llvm::Type* value_type(Type type) const;
  llvm::Type* memory_type(Type type) const;
  llvm::Constant* constant(Type type, uint64_t bits) const;
  llvm::Value* splat(llvm::Value* value, int lanes) const;
  // 0, 1, 2 ... in lanes of an integer type.
  llvm::Constant* lane_numbers(llvm::Type* element, int lanes) const;
  llvm::Value* from_memory(Type type, llvm::Value* value) const;
  llvm::Value* to_memory(Type type, llvm::Value* value) const;
  // A constant of the same type as `like`.
  llvm::Constant* int_like(llvm::Value* like, uint64_t value, bool is_signed = false) const;
  llvm::Constant* float_like(llvm::Value* like, double value) const;
  llvm::Value* to_bits(llvm::Value* value) const;  // float lanes as integers of that width

  llvm::Value* unary(UnaryOp op, Type type, llvm::Value* a) const;
  llvm::Value* binary(BinaryOp op, Type type, llvm::Value* a, llvm::Value* b) const;
  llvm::Value* cast(CastMode mode, Type from, Type to, llvm::Value* a) const;
  // a * b + c, fused where allowed.
  llvm::Value* multiply_add(Type type, llvm::Value* a, llvm::Value* b, llvm::Value* c) const;

  // int_ops.cpp
  llvm::Value* int_unary(UnaryOp op, Type type, llvm::Value* a) const;
  llvm::Value* int_binary(BinaryOp op, Type type, llvm::Value* a, llvm::Value* b) const;
  llvm::Value* divide(BinaryOp op, Type type, llvm::Value* a, llvm::Value* b) const;

  // float_ops.cpp: on float and double
  llvm::Value* float_unary(UnaryOp op, llvm::Value* a) const;
  llvm::Value* float_binary(BinaryOp op, llvm::Value* a, llvm::Value* b) const;

  // small_float.cpp: f16 and bf16 bit patterns, and float
  llvm::Value* widen(Type type, llvm::Value* bits) const;
  llvm::Value* narrow(Type type, llvm::Value* value) const;

  // math.cpp
  llvm::Value* math_unary(UnaryOp op, llvm::Value* a) const;
  llvm::Value* math_binary(BinaryOp op, llvm::Value* a, llvm::Value* b) const;
};

// Is the operator, on this type, a call for each lane, too dear to be computed and thrown away?
bool is_call(UnaryOp op, Type type);
bool is_call(BinaryOp op, Type type);

}  // namespace tenon::codegen
