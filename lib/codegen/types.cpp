// The LLVM form of element types and constants.
#include <llvm/ADT/APFloat.h>

#include <numeric>

#include "codegen/ops.h"

namespace tenon::codegen {
namespace {

llvm::Type* with_lanes(llvm::Type* element, int lanes) {
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}

unsigned bits_of(Type type) { return static_cast<unsigned>(type.bits()); }

}  // namespace

llvm::Type* Ops::value_type(Type type) const {
  llvm::Type* element = type.scalar == Scalar::kF64   ? b.getDoubleTy()
                        : type.scalar == Scalar::kF32 ? b.getFloatTy()
                                                      : b.getIntNTy(bits_of(type));
  return with_lanes(element, type.lanes);
}

llvm::Type* Ops::memory_type(Type type) const {
  return type.is_bool() ? with_lanes(b.getInt8Ty(), type.lanes) : value_type(type);
}

llvm::Constant* Ops::constant(Type type, uint64_t bits) const {
  llvm::Type* t = value_type(type);
  const llvm::APInt pattern(64, bits);
  const llvm::APInt value = pattern.trunc(bits_of(type));
  if (!t->isFPOrFPVectorTy()) return llvm::ConstantInt::get(t, value);
  const llvm::fltSemantics& semantics = t->getScalarType()->getFltSemantics();
  return llvm::ConstantFP::get(t, llvm::APFloat(semantics, value));
}

llvm::Value* Ops::splat(llvm::Value* value, int lanes) const {
  if (lanes == 1 || value->getType()->isVectorTy()) return value;
  return b.CreateVectorSplat(static_cast<unsigned>(lanes), value);
}

llvm::Constant* Ops::lane_numbers(llvm::Type* element, int lanes) const {
  std::vector<llvm::Constant*> numbers;
  for (int i = 0; i < lanes; ++i) {
    numbers.push_back(llvm::ConstantInt::get(element, static_cast<uint64_t>(i)));
  }
  return llvm::ConstantVector::get(numbers);
}

llvm::Value* Ops::from_memory(Type type, llvm::Value* value) const {
  return type.is_bool() ? b.CreateICmpNE(value, int_like(value, 0)) : value;
}

llvm::Value* Ops::to_memory(Type type, llvm::Value* value) const {
  return type.is_bool() ? b.CreateZExt(value, memory_type(type)) : value;
}

llvm::Constant* Ops::int_like(llvm::Value* like, uint64_t value, bool is_signed) const {
  llvm::APInt wide(64, value);
  const unsigned bits = like->getType()->getScalarSizeInBits();
  return llvm::ConstantInt::get(like->getType(),
                                is_signed ? wide.sextOrTrunc(bits) : wide.zextOrTrunc(bits));
}

llvm::Constant* Ops::float_like(llvm::Value* like, double value) const {
  return llvm::ConstantFP::get(like->getType(), value);
}

llvm::Value* Ops::to_bits(llvm::Value* value) const {
  llvm::Type* type = value->getType();
  llvm::Type* element = b.getIntNTy(type->getScalarSizeInBits());
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return b.CreateBitCast(
      value, with_lanes(element, vector ? static_cast<int>(vector->getNumElements()) : 1));
}

}  // namespace tenon::codegen
