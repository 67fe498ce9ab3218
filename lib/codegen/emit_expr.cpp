// Expressions. A null value means that an error was recorded.
#include <optional>

#include "codegen/emitter.h"
#include "tenon/base/match.h"
#include "tenon/ir/visit.h"

namespace tenon::codegen {
namespace {

using llvm::Value;

// Must not, or should not, be evaluated in vain: a load, a check, a call.
bool is_dear(const Expr& e) {
  if (const Unary* u = e.as<Unary>()) return is_call(u->op, e.type());
  if (const Binary* b = e.as<Binary>()) {
    return b->op == BinaryOp::kCheck || is_call(b->op, e.type());
  }
  return e.is<Load>();
}

// The number of this type that e widens, keeping its value; null for another expression.
const Expr* widened(const Expr& e, Type from) {
  const Cast* c = e.as<Cast>();
  if (!c || c->mode != CastMode::kValue || !(c->a.type() == from)) return nullptr;
  const bool keeps_sign = e.type().is_signed_int() || !from.is_signed_int();
  return e.type().is_int() && e.type().bits() > from.bits() && keeps_sign ? &c->a : nullptr;
}

// saturate<T>(wide(x) + wide(y)) of x and y in T, or the difference: one instruction.
struct SaturatingSum {
  llvm::Intrinsic::ID id;
  const Expr *x, *y;
};
std::optional<SaturatingSum> saturating_sum(Type type, const Cast& node) {
  const Binary* sum = node.mode == CastMode::kSaturate ? node.a.as<Binary>() : nullptr;
  if (!sum || !type.is_int() || (sum->op != BinaryOp::kAdd && sum->op != BinaryOp::kSub)) return {};
  const Expr *x = widened(sum->a, type), *y = widened(sum->b, type);
  const bool adds = sum->op == BinaryOp::kAdd, is_signed = type.is_signed_int();
  // Without a sign the difference would wrap before it saturates.
  if (!x || !y || !(adds || node.a.type().is_signed_int())) return {};
  if (is_signed) return {{adds ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::ssub_sat, x, y}};
  return {{adds ? llvm::Intrinsic::uadd_sat : llvm::Intrinsic::usub_sat, x, y}};
}

}  // namespace

Value* Emitter::value(const Expr& e) {
  if (!status_.ok()) return nullptr;
  return match(e.node().kind, [&](const auto& node) { return value(e, node); });
}

Value* Emitter::value(const Expr& e, const Const& node) {
  return ops_.constant(e.type(), node.bits);
}

Value* Emitter::value(const Expr&, const VarRef& node) {
  const auto found = scope_.vars.find(node.var.id());
  if (found != scope_.vars.end()) return found->second.second;
  Value* counted = counted_variable(node.var);
  return counted ? counted : fail("variable " + node.var.name() + " has no value");
}

Value* Emitter::value(const Expr& e, const Unary& node) {
  Value* a = value(node.a);
  return a ? ops_.unary(node.op, e.type(), a) : nullptr;
}

Value* Emitter::value(const Expr& e, const Binary& node) {
  if (node.op == BinaryOp::kCheck) return check(e, node);
  if (Value* multiple = counted({e})) return multiple;
  Value* x = value(node.a);
  Value* y = value(node.b);
  return x && y ? ops_.binary(node.op, node.a.type(), x, y) : nullptr;
}

Value* Emitter::value(const Expr& e, const Cast& node) {
  if (const auto sum = saturating_sum(e.type(), node)) {
    Value *x = value(*sum->x), *y = value(*sum->y);
    return x && y ? b_.CreateBinaryIntrinsic(sum->id, x, y) : nullptr;
  }
  Value* a = value(node.a);
  return a ? ops_.cast(node.mode, node.a.type(), e.type(), a) : nullptr;
}

Value* Emitter::value(const Expr& e, const Ramp& node) {
  if (e.type().is_float() || e.type().is_bool()) return fail("a ramp that is not of integers");
  Value* base = value(node.base);
  Value* stride = value(node.stride);
  if (!base || !stride) return nullptr;
  const int lanes = e.type().lanes;
  Value* offsets =
      b_.CreateMul(ops_.splat(stride, lanes), ops_.lane_numbers(stride->getType(), lanes));
  return b_.CreateAdd(ops_.splat(base, lanes), offsets);
}

Value* Emitter::value(const Expr& e, const Broadcast& node) {
  Value* a = value(node.a);
  return a ? ops_.splat(a, e.type().lanes) : nullptr;
}

Value* Emitter::value(const Expr&, const Reduce&) { return fail("a reduction in an expression"); }
Value* Emitter::value(const Expr&, const Invalid& node) { return fail(node.message); }

Value* Emitter::any(Value* mask) { return b_.CreateOrReduce(mask); }

Value* Emitter::branch(Value* condition, const std::function<Value*()>& on_true,
                       const std::function<Value*()>& on_false) {
  if (!condition) return nullptr;
  llvm::BasicBlock* yes = new_block("yes");
  llvm::BasicBlock* no = new_block("no");
  llvm::BasicBlock* join = new_block("join");
  b_.CreateCondBr(condition, yes, no);
  b_.SetInsertPoint(yes);
  Value* a = on_true();
  llvm::BasicBlock* after_yes = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(no);
  Value* b = on_false();
  llvm::BasicBlock* after_no = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  if (!a || !b) return nullptr;
  llvm::PHINode* result = b_.CreatePHI(a->getType(), 2);
  result->addIncoming(a, after_yes);
  result->addIncoming(b, after_no);
  return result;
}

// With one condition, an arm that loads, checks or costs a call is behind a branch. With a
// condition for each lane both arms are computed: lowering has made them harmless where they are
// not chosen.
Value* Emitter::value(const Expr& e, const Select& node) {
  const Broadcast* same = node.condition.as<Broadcast>();
  const bool one_condition = same || node.condition.type().lanes == 1;
  Value* condition = value(same ? same->a : node.condition);
  if (!condition) return nullptr;
  if (one_condition && (any_in(node.on_true, is_dear) || any_in(node.on_false, is_dear))) {
    return branch(
        condition, [&] { return value(node.on_true); }, [&] { return value(node.on_false); });
  }
  Value* on_true = value(node.on_true);
  Value* on_false = value(node.on_false);
  if (!on_true || !on_false) return nullptr;
  on_true = ops_.splat(on_true, e.type().lanes);
  on_false = ops_.splat(on_false, e.type().lanes);
  return b_.CreateSelect(condition, on_true, on_false);
}

}  // namespace tenon::codegen
