// Integers and bool: wrapping arithmetic, division without traps, shifts by any amount.
#include <llvm/IR/PatternMatch.h>

#include "codegen/ops.h"

namespace tenon::codegen {
namespace {

using llvm::Value;

// The divisor when it is the same constant in all lanes.
const llvm::APInt* constant_divisor(Value* v) {
  const llvm::APInt* value = nullptr;
  return llvm::PatternMatch::match(v, llvm::PatternMatch::m_APInt(value)) ? value : nullptr;
}

bool is_remainder(BinaryOp op) { return op == BinaryOp::kFloorMod || op == BinaryOp::kTruncRem; }
bool is_floor(BinaryOp op) { return op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod; }

// x // c for c > 0. For a negative x, ~((~x) / c) is the quotient rounded down.
Value* floor_quotient(const Ops& ops, Value* x, const llvm::APInt& c) {
  llvm::IRBuilder<>& b = ops.b;
  if (c.isPowerOf2()) return b.CreateAShr(x, ops.int_like(x, c.logBase2()));
  Value* sign = b.CreateAShr(x, ops.int_like(x, c.getBitWidth() - 1));
  Value* quotient = b.CreateSDiv(b.CreateXor(x, sign), llvm::ConstantInt::get(x->getType(), c));
  return b.CreateXor(quotient, sign);
}

// Signed division by a constant other than 0 and -1 cannot trap.
Value* divide_by_positive(const Ops& ops, BinaryOp op, Value* x, const llvm::APInt& c) {
  llvm::IRBuilder<>& b = ops.b;
  Value* divisor = llvm::ConstantInt::get(x->getType(), c);
  switch (op) {
    case BinaryOp::kTruncDiv: return b.CreateSDiv(x, divisor);
    case BinaryOp::kTruncRem: return b.CreateSRem(x, divisor);
    case BinaryOp::kFloorDiv: return floor_quotient(ops, x, c);
    default: break;
  }
  if (c.isPowerOf2()) return b.CreateAnd(x, llvm::ConstantInt::get(x->getType(), c - 1));
  return b.CreateSub(x, b.CreateMul(floor_quotient(ops, x, c), divisor));
}

Value* divide_unsigned(const Ops& ops, BinaryOp op, Value* x, Value* y) {
  llvm::IRBuilder<>& b = ops.b;
  const auto quotient = [&](Value* divisor) {
    return is_remainder(op) ? b.CreateURem(x, divisor) : b.CreateUDiv(x, divisor);
  };
  Value* zero = ops.int_like(x, 0);
  Value* when_zero = is_remainder(op) ? x : zero;
  if (const llvm::APInt* c = constant_divisor(y)) return c->isZero() ? when_zero : quotient(y);
  y = b.CreateFreeze(y);  // an undefined lane that nobody reads must not divide by zero
  Value* is_zero = b.CreateICmpEQ(y, zero);
  Value* result = quotient(b.CreateSelect(is_zero, ops.int_like(x, 1), y));
  return b.CreateSelect(is_zero, when_zero, result);
}

// The divisors 0 and -1 are replaced by 1 before the instruction and patched up after it.
Value* divide_signed(const Ops& ops, BinaryOp op, Value* x, Value* y) {
  llvm::IRBuilder<>& b = ops.b;
  const llvm::APInt* c = constant_divisor(y);
  if (c && c->isStrictlyPositive()) return divide_by_positive(ops, op, x, *c);
  y = b.CreateFreeze(y);
  Value* zero = ops.int_like(x, 0);
  Value* is_zero = b.CreateICmpEQ(y, zero);
  Value* is_minus_one = b.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(x->getType()));
  Value* divisor = b.CreateSelect(b.CreateOr(is_zero, is_minus_one), ops.int_like(x, 1), y);
  Value* remainder = b.CreateSRem(x, divisor);
  Value* round_down = nullptr;
  if (is_floor(op)) {
    Value* signs_differ = b.CreateICmpSLT(b.CreateXor(remainder, divisor), zero);
    round_down = b.CreateAnd(signs_differ, b.CreateICmpNE(remainder, zero));
  }
  if (is_remainder(op)) {
    if (round_down) {
      remainder = b.CreateAdd(remainder, b.CreateSelect(round_down, divisor, zero));
    }
    return b.CreateSelect(is_zero, x, remainder);
  }
  Value* quotient = b.CreateSDiv(x, divisor);
  if (round_down) quotient = b.CreateAdd(quotient, b.CreateSExt(round_down, x->getType()));
  quotient = b.CreateSelect(is_minus_one, b.CreateNeg(x), quotient);
  return b.CreateSelect(is_zero, zero, quotient);
}

// An amount outside of [0, bits) shifts everything out. LLVM's shift gives poison there, and a
// select does not look at the arm that it does not take.
Value* shift(const Ops& ops, BinaryOp op, Type type, Value* x, Value* amount) {
  llvm::IRBuilder<>& b = ops.b;
  const auto bits = static_cast<uint64_t>(type.bits());
  if (op == BinaryOp::kShr && type.is_signed_int()) {
    Value* last = ops.int_like(x, bits - 1);
    return b.CreateAShr(x, b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, last));
  }
  Value* in_range = b.CreateICmpULT(amount, ops.int_like(x, bits));
  Value* shifted = op == BinaryOp::kShl ? b.CreateShl(x, amount) : b.CreateLShr(x, amount);
  return b.CreateSelect(in_range, shifted, ops.int_like(x, 0));
}

}  // namespace

Value* Ops::divide(BinaryOp op, Type type, Value* x, Value* y) const {
  return type.is_signed_int() ? divide_signed(*this, op, x, y) : divide_unsigned(*this, op, x, y);
}

Value* Ops::int_unary(UnaryOp op, Type type, Value* a) const {
  switch (op) {
    case UnaryOp::kNeg: return b.CreateNeg(a);
    case UnaryOp::kNot: return b.CreateNot(a);
    case UnaryOp::kAbs:
      if (!type.is_signed_int()) return a;
      // false: the lowest value wraps to itself.
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, b.getFalse());
    default: return a;  // rounding an integer
  }
}

Value* Ops::int_binary(BinaryOp op, Type type, Value* x, Value* y) const {
  const bool is_signed = type.is_signed_int();
  switch (op) {
    case BinaryOp::kAdd: return b.CreateAdd(x, y);
    case BinaryOp::kSub: return b.CreateSub(x, y);
    case BinaryOp::kMul: return b.CreateMul(x, y);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncRem: return divide(op, type, x, y);
    case BinaryOp::kMin:
      return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x,
                                     y);
    case BinaryOp::kMax:
      return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x,
                                     y);
    case BinaryOp::kBitAnd: return b.CreateAnd(x, y);
    case BinaryOp::kBitOr: return b.CreateOr(x, y);
    case BinaryOp::kBitXor: return b.CreateXor(x, y);
    case BinaryOp::kShl:
    case BinaryOp::kShr: return shift(*this, op, type, x, y);
    case BinaryOp::kLt: return is_signed ? b.CreateICmpSLT(x, y) : b.CreateICmpULT(x, y);
    case BinaryOp::kLe: return is_signed ? b.CreateICmpSLE(x, y) : b.CreateICmpULE(x, y);
    case BinaryOp::kEq: return b.CreateICmpEQ(x, y);
    case BinaryOp::kNe: return b.CreateICmpNE(x, y);
    case BinaryOp::kCheck:
    case BinaryOp::kDiv:
    case BinaryOp::kPow: break;
  }
  llvm_unreachable("not an operator on integers");
}

}  // namespace tenon::codegen
