// f16 and bf16 in registers are bit patterns; every operation widens them to float, computes and
// rounds back. A target without the instructions would get library calls from LLVM, which a
// self-contained kernel cannot have, so the conversions are written out: bf16 always (the bf16
// instructions flush subnormals), f16 where F16C is missing. The formulas are those of
// base/half.cpp.
#include "codegen/ops.h"

namespace tenon::codegen {
namespace {

using llvm::Value;

// A type with the lanes of `like`.
llvm::Type* lanes_like(Value* like, llvm::Type* element) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
  return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
}

Value* bf16_to_float(const Ops& ops, Value* bits) {
  llvm::IRBuilder<>& b = ops.b;
  Value* wide = b.CreateZExt(bits, lanes_like(bits, b.getInt32Ty()));
  return b.CreateBitCast(b.CreateShl(wide, ops.int_like(wide, 16)),
                         lanes_like(bits, b.getFloatTy()));
}

Value* float_to_bf16(const Ops& ops, Value* value) {
  llvm::IRBuilder<>& b = ops.b;
  Value* bits = ops.to_bits(value);
  Value* odd = b.CreateAnd(b.CreateLShr(bits, ops.int_like(bits, 16)), ops.int_like(bits, 1));
  Value* rounded = b.CreateAdd(bits, b.CreateAdd(odd, ops.int_like(bits, 0x7fff)));
  Value* quiet = b.CreateOr(bits, ops.int_like(bits, 0x400000));
  Value* result = b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, rounded);
  return b.CreateTrunc(b.CreateLShr(result, ops.int_like(bits, 16)),
                       lanes_like(value, b.getInt16Ty()));
}

Value* f16_to_float(const Ops& ops, Value* half) {
  llvm::IRBuilder<>& b = ops.b;
  llvm::Type* float_type = lanes_like(half, b.getFloatTy());
  Value* bits = b.CreateZExt(half, lanes_like(half, b.getInt32Ty()));
  Value* magnitude = b.CreateAnd(bits, ops.int_like(bits, 0x7fff));
  Value* sign = b.CreateShl(b.CreateXor(bits, magnitude), ops.int_like(bits, 16));
  Value* shifted = b.CreateShl(magnitude, ops.int_like(bits, 13));
  // Zero and subnormals are multiples of 2^-24. Infinity and NaN get the largest exponent, the
  // rest is rebiased from 15 to 127.
  Value* scaled = b.CreateSIToFP(magnitude, float_type);
  Value* small = ops.to_bits(b.CreateFMul(scaled, ops.float_like(scaled, 0x1p-24)));
  // The instruction quiets a signalling NaN, and pow(NaN, 0) is 1 only if the NaN is quiet.
  Value* is_nan = b.CreateICmpUGT(magnitude, ops.int_like(bits, 0x7c00));
  Value* exponent =
      b.CreateSelect(is_nan, ops.int_like(bits, 0x7fc00000), ops.int_like(bits, 0x7f800000));
  Value* special = b.CreateOr(shifted, exponent);
  Value* normal = b.CreateAdd(shifted, ops.int_like(bits, 112u << 23));
  Value* is_special = b.CreateICmpUGE(magnitude, ops.int_like(bits, 0x7c00));
  Value* is_small = b.CreateICmpULT(magnitude, ops.int_like(bits, 0x0400));
  Value* result = b.CreateSelect(is_small, small, b.CreateSelect(is_special, special, normal));
  return b.CreateBitCast(b.CreateOr(result, sign), float_type);
}

Value* float_to_f16(const Ops& ops, Value* value) {
  llvm::IRBuilder<>& b = ops.b;
  Value* bits = ops.to_bits(value);
  const auto number = [&](uint64_t x) { return ops.int_like(bits, x); };
  Value* magnitude = b.CreateAnd(bits, number(0x7fffffff));
  Value* sign = b.CreateLShr(b.CreateXor(bits, magnitude), number(16));
  // Below 2^-14, adding 0.5 aligns the value to multiples of 2^-24 and rounds it.
  Value* positive = b.CreateBitCast(magnitude, value->getType());
  Value* aligned = b.CreateFAdd(positive, ops.float_like(value, 0.5));
  Value* small = b.CreateSub(ops.to_bits(aligned), number(0x3f000000));
  Value* odd = b.CreateAnd(b.CreateLShr(magnitude, number(13)), number(1));
  Value* rounded = b.CreateAdd(b.CreateAdd(magnitude, odd), number(0xfffu - 0x38000000u));
  Value* normal = b.CreateLShr(rounded, number(13));
  Value* is_nan = b.CreateICmpUGT(magnitude, number(0x7f800000));
  Value* special = b.CreateSelect(is_nan, number(0x7e00), number(0x7c00));
  Value* is_special = b.CreateICmpUGE(magnitude, number(0x477ff000));
  Value* is_small = b.CreateICmpULT(magnitude, number(0x38800000));
  Value* result = b.CreateSelect(is_special, special, b.CreateSelect(is_small, small, normal));
  return b.CreateTrunc(b.CreateOr(result, sign), lanes_like(value, b.getInt16Ty()));
}

}  // namespace

Value* Ops::widen(Type type, Value* bits) const {
  if (type.scalar == Scalar::kBF16) return bf16_to_float(*this, bits);
  if (!f16c) return f16_to_float(*this, bits);
  Value* half = b.CreateBitCast(bits, lanes_like(bits, b.getHalfTy()));
  return b.CreateFPExt(half, lanes_like(bits, b.getFloatTy()));
}

Value* Ops::narrow(Type type, Value* value) const {
  if (type.scalar == Scalar::kBF16) return float_to_bf16(*this, value);
  if (!f16c) return float_to_f16(*this, value);
  Value* half = b.CreateFPTrunc(value, lanes_like(value, b.getHalfTy()));
  return b.CreateBitCast(half, lanes_like(value, b.getInt16Ty()));
}

}  // namespace tenon::codegen
