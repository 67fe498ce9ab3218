// Conversions between element types.
#include <llvm/ADT/APFloat.h>

#include <cmath>

#include "codegen/ops.h"

namespace tenon::codegen {
namespace {

using llvm::Value;

llvm::APInt lowest(Type type, unsigned bits) {
  return type.is_signed_int() ? llvm::APInt::getSignedMinValue(type.bits()).sext(bits)
                              : llvm::APInt(bits, 0);
}
llvm::APInt highest(Type type, unsigned bits) {
  return type.is_signed_int() ? llvm::APInt::getSignedMaxValue(type.bits()).zext(bits)
                              : llvm::APInt::getMaxValue(type.bits()).zext(bits);
}

// Truncates towards zero; out of range gives the nearest value of the type, NaN gives 0. The
// instruction is undefined out of range, so it sees 0 there.
Value* float_to_int(const Ops& ops, Type to, Value* x) {
  llvm::IRBuilder<>& b = ops.b;
  // Both bounds, the upper one exclusive, are powers of two: floats hold them exactly.
  const bool is_signed = to.is_signed_int();
  const int exponent = is_signed ? to.bits() - 1 : to.bits();
  Value* above = ops.float_like(x, std::ldexp(1.0, exponent));
  Value* below = ops.float_like(x, is_signed ? -std::ldexp(1.0, exponent) : 0.0);
  Value* not_below = b.CreateFCmpOGE(x, below);
  Value* not_above = b.CreateFCmpOLT(x, above);
  Value* inside = b.CreateSelect(b.CreateAnd(not_below, not_above), x, ops.float_like(x, 0.0));
  // Narrow integers are made by way of i32, for which there are instructions.
  const Type via = to.bits() < 32 ? i32.with_lanes(to.lanes) : to;
  llvm::Type* via_type = ops.value_type(via);
  Value* value =
      via.is_signed_int() ? b.CreateFPToSI(inside, via_type) : b.CreateFPToUI(inside, via_type);
  value = b.CreateTrunc(value, ops.value_type(to));
  const auto bits = static_cast<unsigned>(to.bits());
  Value* largest = llvm::ConstantInt::get(value->getType(), highest(to, bits));
  value = b.CreateSelect(b.CreateFCmpOGE(x, above), largest, value);
  if (!is_signed) return value;  // below 0, and NaN: 0
  Value* smallest = llvm::ConstantInt::get(value->getType(), lowest(to, bits));
  return b.CreateSelect(b.CreateFCmpOLT(x, below), smallest, value);
}

Value* int_to_float(const Ops& ops, Type from, Type to, Value* x) {
  llvm::IRBuilder<>& b = ops.b;
  const Type wide = to.scalar == Scalar::kF64 ? to : f32.with_lanes(to.lanes);
  llvm::Type* type = ops.value_type(wide);
  Value* value = from.is_signed_int() ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type);
  return to.is_small_float() ? ops.narrow(to, value) : value;
}

Value* float_to_float(const Ops& ops, Type to, Value* x) {
  llvm::Type* element = x->getType()->getScalarType();
  if (to.scalar == Scalar::kF64) return ops.b.CreateFPExt(x, ops.value_type(to));
  if (element->isDoubleTy()) x = ops.b.CreateFPTrunc(x, ops.value_type(f32.with_lanes(to.lanes)));
  return to.is_small_float() ? ops.narrow(to, x) : x;
}

// Clamps to the range of the other type, where it ends inside the own range.
Value* clamp(const Ops& ops, Type from, Type to, Value* x) {
  llvm::IRBuilder<>& b = ops.b;
  const auto bits = static_cast<unsigned>(from.bits());
  const unsigned wide = 66;
  const auto bound = [&](const llvm::APInt& value) {
    return llvm::ConstantInt::get(x->getType(), value.trunc(bits));
  };
  const bool is_signed = from.is_signed_int();
  if (lowest(from, wide).slt(lowest(to, wide))) {
    x = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, bound(lowest(to, wide)));
  }
  if (highest(to, wide).slt(highest(from, wide))) {
    x = b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x,
                                bound(highest(to, wide)));
  }
  return x;
}

Value* int_to_int(const Ops& ops, CastMode mode, Type from, Type to, Value* x) {
  if (mode == CastMode::kSaturate && !from.is_bool()) x = clamp(ops, from, to, x);
  return ops.b.CreateIntCast(x, ops.value_type(to), from.is_signed_int());
}

// Same size, same bits. bool has no instruction-level form of 8 bits.
Value* same_bits(const Ops& ops, Type from, Type to, Value* x) {
  if (to.is_bool()) return ops.b.CreateTrunc(x, ops.value_type(to));
  if (from.is_bool()) return ops.b.CreateZExt(x, ops.value_type(to));
  return ops.b.CreateBitCast(x, ops.value_type(to));
}

}  // namespace

Value* Ops::cast(CastMode mode, Type from, Type to, Value* x) const {
  if (from.scalar == to.scalar) return x;
  if (mode == CastMode::kBits) return same_bits(*this, from, to, x);
  if (from.is_small_float()) {
    x = widen(from, x);
    from = f32.with_lanes(from.lanes);
    if (from == to) return x;
  }
  if (to.is_bool()) {
    return from.is_float() ? b.CreateFCmpUNE(x, float_like(x, 0.0))
                           : b.CreateICmpNE(x, int_like(x, 0));
  }
  if (!from.is_float()) {
    return to.is_float() ? int_to_float(*this, from, to, x) : int_to_int(*this, mode, from, to, x);
  }
  return to.is_float() ? float_to_float(*this, to, x) : float_to_int(*this, to, x);
}

}  // namespace tenon::codegen
