// exp, log, tanh ...: a call for each lane through the table that arrives with the arguments. A
// vector form of a function would stand here, before the loop over the lanes.
#include <cstddef>

#include "codegen/ops.h"
#include "tenon/runtime/abi.h"

namespace tenon::codegen {
namespace {

using llvm::Value;

struct Entry {
  size_t of_f32, of_f64;  // byte offsets in tenon_math
};

#define TENON_MATH_ENTRY(name) \
  Entry { offsetof(tenon_math, name##_f32), offsetof(tenon_math, name##_f64) }

Entry entry_of(UnaryOp op) {
  switch (op) {
    case UnaryOp::kExp: return TENON_MATH_ENTRY(exp);
    case UnaryOp::kExpm1: return TENON_MATH_ENTRY(expm1);
    case UnaryOp::kLog: return TENON_MATH_ENTRY(log);
    case UnaryOp::kLog1p: return TENON_MATH_ENTRY(log1p);
    case UnaryOp::kSin: return TENON_MATH_ENTRY(sin);
    case UnaryOp::kCos: return TENON_MATH_ENTRY(cos);
    case UnaryOp::kTan: return TENON_MATH_ENTRY(tan);
    case UnaryOp::kAsin: return TENON_MATH_ENTRY(asin);
    case UnaryOp::kAcos: return TENON_MATH_ENTRY(acos);
    case UnaryOp::kAtan: return TENON_MATH_ENTRY(atan);
    case UnaryOp::kSinh: return TENON_MATH_ENTRY(sinh);
    case UnaryOp::kCosh: return TENON_MATH_ENTRY(cosh);
    case UnaryOp::kTanh: return TENON_MATH_ENTRY(tanh);
    case UnaryOp::kAsinh: return TENON_MATH_ENTRY(asinh);
    case UnaryOp::kAcosh: return TENON_MATH_ENTRY(acosh);
    case UnaryOp::kAtanh: return TENON_MATH_ENTRY(atanh);
    case UnaryOp::kErf: return TENON_MATH_ENTRY(erf);
    default: llvm_unreachable("not a function of the table");
  }
}

Entry entry_of(BinaryOp op) {
  return op == BinaryOp::kPow ? TENON_MATH_ENTRY(pow) : TENON_MATH_ENTRY(fmod);
}

// The table never changes during a call, so its loads may be shared and moved.
Value* load_function(const Ops& ops, Entry entry, llvm::Type* element) {
  llvm::IRBuilder<>& b = ops.b;
  const size_t offset = element->isDoubleTy() ? entry.of_f64 : entry.of_f32;
  Value* slot = b.CreateConstGEP1_64(b.getInt8Ty(), ops.math_table, offset);
  llvm::LoadInst* function = b.CreateAlignedLoad(b.getPtrTy(), slot, llvm::Align(8));
  function->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(b.getContext(), {}));
  return function;
}

Value* call_per_lane(const Ops& ops, Entry entry, llvm::ArrayRef<Value*> arguments) {
  llvm::IRBuilder<>& b = ops.b;
  llvm::Type* type = arguments[0]->getType();
  llvm::Type* element = type->getScalarType();
  const std::vector<llvm::Type*> types(arguments.size(), element);
  llvm::FunctionType* signature = llvm::FunctionType::get(element, types, false);
  Value* function = load_function(ops, entry, element);
  const auto call = [&](const std::vector<Value*>& operands) {
    llvm::CallInst* result = b.CreateCall(signature, function, operands);
    result->setDoesNotAccessMemory();
    result->setDoesNotThrow();
    return result;
  };
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return call({arguments.begin(), arguments.end()});
  Value* result = llvm::PoisonValue::get(type);
  for (uint64_t lane = 0; lane < vector->getNumElements(); ++lane) {
    std::vector<Value*> operands;
    for (Value* argument : arguments) operands.push_back(b.CreateExtractElement(argument, lane));
    result = b.CreateInsertElement(result, call(operands), lane);
  }
  return result;
}

}  // namespace

bool is_call(UnaryOp op, Type type) {
  if (!type.is_float()) return false;
  switch (op) {
    case UnaryOp::kNeg:
    case UnaryOp::kNot:
    case UnaryOp::kAbs:
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
    case UnaryOp::kTrunc:
    case UnaryOp::kSqrt:
    case UnaryOp::kRsqrt: return false;
    default: return true;
  }
}

bool is_call(BinaryOp op, Type type) {
  return type.is_float() && (op == BinaryOp::kPow || op == BinaryOp::kTruncRem);
}

Value* Ops::math_unary(UnaryOp op, Value* a) const {
  return call_per_lane(*this, entry_of(op), {a});
}

Value* Ops::math_binary(BinaryOp op, Value* x, Value* y) const {
  return call_per_lane(*this, entry_of(op), {x, y});
}

}  // namespace tenon::codegen
