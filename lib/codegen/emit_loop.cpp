// Loops, and what they count in. An innermost loop that multiplies its variable, as in r * 16 in an
// index, counts in that multiple too: an addition per iteration in place of a product. LLVM's own
// strength reduction would take a sixth of the whole compile time to find the same.
#include <utility>

#include "codegen/emitter.h"
#include "codegen/loop_use.h"

namespace tenon::codegen {
namespace {

using llvm::Value;

// More counters than this would take the registers of the body.
constexpr size_t kMostCounters = 4;

// Whether a loop over [lo, hi) may count in multiples of the factor, without a wrap.
bool may_count_in(const Expr& factor, const Value* lo, const Value* hi) {
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(lo);
  const auto* end = llvm::dyn_cast<llvm::ConstantInt>(hi);
  const std::optional<int64_t> by = as_int(factor);
  int64_t product = 0;
  return first && end && by && *by > 0 &&
         !__builtin_mul_overflow(first->getSExtValue(), *by, &product) &&
         !__builtin_mul_overflow(end->getSExtValue(), *by, &product);
}

}  // namespace

// The counter of var * factor, of the loop around; null if it has none.
Value* Emitter::counted(const std::vector<Expr>& terms) const {
  if (scope_.counters.empty()) return nullptr;
  const Expr factor = common_factor(terms, scope_.loop);
  if (!factor) return nullptr;
  for (const Counter& c : scope_.counters) {
    if (c.factor && equal(c.factor, factor)) return c.phi;
  }
  return nullptr;
}

// The variable of a loop that counts in a multiple only.
Value* Emitter::counted_variable(const Var& var) {
  if (!(var == scope_.loop) || scope_.counters.empty()) return nullptr;
  const Counter& only = scope_.counters.front();
  return b_.CreateExactSDiv(only.phi, only.step);
}

// Rotated: the test stands at the end, and once before the loop where it may be empty.
void Emitter::emit_loop(const Var& var, Value* lo, Value* hi, const Stmt& body) {
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(lo);
  const auto* end = llvm::dyn_cast<llvm::ConstantInt>(hi);
  const bool known = first && end;
  if (known && first->getSExtValue() >= end->getSExtValue()) return;
  if (known && first->getSExtValue() + 1 == end->getSExtValue()) {
    scope_.vars[var.id()] = {var, lo};
    return emit(body);
  }
  llvm::BasicBlock* ahead = new_block("ahead");
  llvm::BasicBlock* loop = new_block(sanitized(var.name()).c_str());
  llvm::BasicBlock* after = new_block("after");
  if (known) {
    b_.CreateBr(ahead);
  } else {
    b_.CreateCondBr(b_.CreateICmpSLT(lo, hi), ahead, after);
  }

  b_.SetInsertPoint(ahead);
  LoopUse use = loop_use(var, body, [&](const Var& v) { return scope_.vars.count(v.id()) > 0; });
  if (!use.innermost || use.factors.size() >= kMostCounters) use.factors.clear();
  // The first counter ends the loop: the variable, or the only multiple that is used of it.
  const bool multiple_alone =
      !use.alone && use.factors.size() == 1 && may_count_in(use.factors.front(), lo, hi);
  std::vector<Counter> counters;
  if (!multiple_alone) counters.push_back({Expr(), lo, b_.getInt64(1)});
  for (const Expr& factor : use.factors) {
    Value* step = value(factor);
    counters.push_back({factor, b_.CreateMul(lo, step), step});
  }
  Value* last = multiple_alone ? b_.CreateMul(hi, counters.front().step) : hi;
  b_.CreateBr(loop);

  b_.SetInsertPoint(loop);
  for (Counter& c : counters) {
    c.phi = b_.CreatePHI(b_.getInt64Ty(), 2, sanitized(var.name()));
    c.phi->addIncoming(c.first, ahead);
  }
  if (!multiple_alone) scope_.vars[var.id()] = {var, counters.front().phi};
  const Var outer = std::exchange(scope_.loop, var);
  scope_.counters = counters;  // an innermost loop's, or none but the variable
  emit(body);
  scope_.counters.clear();
  scope_.loop = outer;
  std::vector<Value*> next;
  for (Counter& c : counters) {
    next.push_back(c.factor ? b_.CreateAdd(c.phi, c.step) : b_.CreateNSWAdd(c.phi, c.step));
    c.phi->addIncoming(next.back(), b_.GetInsertBlock());
  }
  b_.CreateCondBr(b_.CreateICmpSLT(next.front(), last), loop, after);
  b_.SetInsertPoint(after);
}

}  // namespace tenon::codegen
