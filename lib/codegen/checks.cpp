// check(i, n): the index itself in the good case. Reporting a bad one is a call out of the way.
#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "codegen/emitter.h"

namespace tenon::codegen {

using llvm::Value;

namespace {

// void report(fault, site, index, bound): the first report wins.
void fill_report(llvm::IRBuilder<>& b, llvm::Function* function) {
  llvm::LLVMContext& context = function->getContext();
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "entry", function);
  llvm::BasicBlock* first = llvm::BasicBlock::Create(context, "first", function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context, "done", function);
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(entry);
  Value* fault = function->getArg(0);
  const auto field = [&](size_t offset) {
    return b.CreateConstGEP1_64(b.getInt8Ty(), fault, offset);
  };
  Value* exchange = b.CreateAtomicCmpXchg(
      field(offsetof(tenon_fault, site)), b.getInt64(-1), function->getArg(1), llvm::Align(8),
      llvm::AtomicOrdering::AcquireRelease, llvm::AtomicOrdering::Acquire);
  b.CreateCondBr(b.CreateExtractValue(exchange, 1), first, done);
  b.SetInsertPoint(first);
  b.CreateAlignedStore(function->getArg(2), field(offsetof(tenon_fault, index)), llvm::Align(8));
  b.CreateAlignedStore(function->getArg(3), field(offsetof(tenon_fault, bound)), llvm::Align(8));
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
}

// The lane of a vector (or the scalar itself), also where the number is not a constant.
Value* lane_of(llvm::IRBuilder<>& b, Value* v, Value* lane) {
  return v->getType()->isVectorTy() ? b.CreateExtractElement(v, lane) : v;
}

}  // namespace

llvm::Function* Emitter::report_function() {
  if (report_) return report_;
  report_ = make_function(name_ + ".report",
                          {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty()},
                          /*external=*/false);
  report_->addFnAttr(llvm::Attribute::Cold);
  report_->addFnAttr(llvm::Attribute::NoInline);
  fill_report(b_, report_);
  return report_;
}

void Emitter::report(int64_t site, Value* index, Value* bound) {
  llvm::CallInst* call = b_.CreateCall(
      report_function(), {scope_.fault, b_.getInt64(static_cast<uint64_t>(site)), index, bound});
  call->addFnAttr(llvm::Attribute::Cold);
}

Value* Emitter::check(const Expr& e, const Binary& node) {
  Value* index = value(node.a);
  Value* bound = value(node.b);
  if (!index || !bound) return nullptr;
  const auto site = static_cast<int64_t>(checks_.size());
  checks_.push_back("index " + print(node.a) + (indexed_ ? " of " + indexed_->name() : ""));

  // An index below 0 is a large unsigned number; a bound below 1 has no index.
  Value* good = b_.CreateAnd(b_.CreateICmpULT(index, bound),
                             b_.CreateICmpSGT(bound, ops_.int_like(bound, 0)));
  Value* bad = b_.CreateNot(good);
  const bool is_vector = e.type().lanes != 1;

  llvm::BasicBlock* cold = new_block("bad_index");
  llvm::BasicBlock* join = new_block("good_index");
  b_.CreateCondBr(is_vector ? any(bad) : bad, cold, join,
                  llvm::MDBuilder(context_).createBranchWeights(1, 1 << 20));
  b_.SetInsertPoint(cold);
  Value* lane = nullptr;
  if (is_vector) {  // the first bad lane
    Value* bits = b_.CreateBitCast(bad, b_.getIntNTy(static_cast<unsigned>(e.type().lanes)));
    lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getTrue());
  }
  report(site, lane_of(b_, index, lane), lane_of(b_, bound, lane));
  // No index is right for an empty buffer, so the function ends here: the call fails anyway.
  b_.CreateRetVoid();
  b_.SetInsertPoint(join);
  return index;
}

}  // namespace tenon::codegen
