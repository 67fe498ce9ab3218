// Arithmetic on float and double: IEEE, NaN propagates, -0 is below +0.
#include <llvm/IR/PatternMatch.h>

#include "codegen/ops.h"

namespace tenon::codegen {
namespace {

using llvm::Value;

// The one relaxation that may ever be allowed: a * b + c with a single rounding.
void allow_contraction(const Ops& ops, Value* value) {
  if (!ops.contract) return;
  if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
    instruction->setHasAllowContract(true);
  }
}

// The constant when it is the same in all lanes.
const llvm::APFloat* constant_of(Value* v) {
  const llvm::APFloat* value = nullptr;
  return llvm::PatternMatch::match(v, llvm::PatternMatch::m_APFloat(value)) ? value : nullptr;
}

// a < b ? a : b and a > b ? a : b: one instruction each on x86, which gives b when the operands are
// equal or one of them is NaN.
Value* lower_of(const Ops& ops, Value* a, Value* b) {
  return ops.b.CreateSelect(ops.b.CreateFCmpOLT(a, b), a, b);
}
Value* higher_of(const Ops& ops, Value* a, Value* b) {
  return ops.b.CreateSelect(ops.b.CreateFCmpOGT(a, b), a, b);
}

// Next to a constant c that is not NaN, x as the second operand keeps NaN. Only zeros of the
// opposite sign need care: max(-0, +0) must be +0, and adding +0 turns -0 into +0 and changes no
// other value. min(+0, -0) has no such addition and takes the general form (null).
Value* max_with_constant(const Ops& ops, Value* x, Value* constant, const llvm::APFloat& c) {
  if (c.isNaN()) return constant;
  if (c.isPosZero()) x = ops.b.CreateFAdd(x, constant);
  return higher_of(ops, constant, x);
}
Value* min_with_constant(const Ops& ops, Value* x, Value* constant, const llvm::APFloat& c) {
  if (c.isNaN()) return constant;
  return c.isNegZero() ? nullptr : lower_of(ops, constant, x);
}

// Both orders of the instruction agree except for zeros of different signs and next to NaN. Their
// bitwise or is then -0, and NaN.
Value* minimum(const Ops& ops, Value* x, Value* y) {
  llvm::IRBuilder<>& b = ops.b;
  Value* either = b.CreateOr(ops.to_bits(lower_of(ops, x, y)), ops.to_bits(lower_of(ops, y, x)));
  return b.CreateBitCast(either, x->getType());
}

// As above; `differs` is -0 for zeros of different signs, and -0 - -0 is +0. Where both orders
// agree it is +0, which changes nothing when subtracted.
Value* maximum(const Ops& ops, Value* x, Value* y) {
  llvm::IRBuilder<>& b = ops.b;
  Value* first = ops.to_bits(higher_of(ops, x, y));
  Value* second = ops.to_bits(higher_of(ops, y, x));
  Value* either = b.CreateBitCast(b.CreateOr(first, second), x->getType());
  Value* differs = b.CreateBitCast(b.CreateXor(first, second), x->getType());
  return b.CreateFSub(either, differs);
}

Value* min_or_max(const Ops& ops, bool is_max, Value* x, Value* y) {
  if (constant_of(x)) std::swap(x, y);
  if (const llvm::APFloat* c = constant_of(y)) {
    Value* result = is_max ? max_with_constant(ops, x, y, *c) : min_with_constant(ops, x, y, *c);
    if (result) return result;
  }
  return is_max ? maximum(ops, x, y) : minimum(ops, x, y);
}

Value* reciprocal(const Ops& ops, Value* a) { return ops.b.CreateFDiv(ops.float_like(a, 1.0), a); }

}  // namespace

Value* Ops::float_unary(UnaryOp op, Value* a) const {
  const auto intrinsic = [&](llvm::Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, a); };
  switch (op) {
    case UnaryOp::kNeg: return b.CreateFNeg(a);
    case UnaryOp::kAbs: return intrinsic(llvm::Intrinsic::fabs);
    case UnaryOp::kFloor: return intrinsic(llvm::Intrinsic::floor);
    case UnaryOp::kCeil: return intrinsic(llvm::Intrinsic::ceil);
    case UnaryOp::kRound: return intrinsic(llvm::Intrinsic::roundeven);
    case UnaryOp::kTrunc: return intrinsic(llvm::Intrinsic::trunc);
    case UnaryOp::kSqrt: return intrinsic(llvm::Intrinsic::sqrt);
    case UnaryOp::kRsqrt: return reciprocal(*this, intrinsic(llvm::Intrinsic::sqrt));
    case UnaryOp::kSigmoid: {
      Value* power = math_unary(UnaryOp::kExp, b.CreateFNeg(a));
      return reciprocal(*this, b.CreateFAdd(float_like(a, 1.0), power));
    }
    default: return math_unary(op, a);
  }
}

Value* Ops::float_binary(BinaryOp op, Value* x, Value* y) const {
  Value* result = nullptr;
  switch (op) {
    case BinaryOp::kAdd: result = b.CreateFAdd(x, y); break;
    case BinaryOp::kSub: result = b.CreateFSub(x, y); break;
    case BinaryOp::kMul: result = b.CreateFMul(x, y); break;
    case BinaryOp::kDiv: return b.CreateFDiv(x, y);
    case BinaryOp::kMin: return min_or_max(*this, false, x, y);
    case BinaryOp::kMax: return min_or_max(*this, true, x, y);
    case BinaryOp::kPow:
    case BinaryOp::kTruncRem: return math_binary(op, x, y);
    case BinaryOp::kLt: return b.CreateFCmpOLT(x, y);
    case BinaryOp::kLe: return b.CreateFCmpOLE(x, y);
    case BinaryOp::kEq: return b.CreateFCmpOEQ(x, y);
    case BinaryOp::kNe: return b.CreateFCmpUNE(x, y);
    default: llvm_unreachable("not an operator on floats");
  }
  allow_contraction(*this, result);
  return result;
}

Value* Ops::multiply_add(Type type, Value* x, Value* y, Value* z) const {
  if (contract && fma && !type.is_small_float()) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  }
  return binary(BinaryOp::kAdd, type, z, binary(BinaryOp::kMul, type, x, y));
}

Value* Ops::unary(UnaryOp op, Type type, Value* a) const {
  if (!type.is_float()) return int_unary(op, type, a);
  if (!type.is_small_float()) return float_unary(op, a);
  const uint64_t sign = 0x8000;
  if (op == UnaryOp::kNeg) return b.CreateXor(a, int_like(a, sign));
  if (op == UnaryOp::kAbs) return b.CreateAnd(a, int_like(a, sign - 1));
  return narrow(type, float_unary(op, widen(type, a)));
}

Value* Ops::binary(BinaryOp op, Type type, Value* x, Value* y) const {
  if (!type.is_float()) return int_binary(op, type, x, y);
  if (!type.is_small_float()) return float_binary(op, x, y);
  // Rounding after every operation: no contraction in between.
  Ops exact = *this;
  exact.contract = false;
  Value* result = exact.float_binary(op, widen(type, x), widen(type, y));
  return is_comparison(op) ? result : narrow(type, result);
}

}  // namespace tenon::codegen
