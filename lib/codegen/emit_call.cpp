// A call of an extern function, through the table that arrives with the arguments: the code names
// no symbol. The records of its arrays live on the stack.
//
//   status = externs[k].function(externs[k].user, arrays, count);
//   if (status != 0) { report; return }
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <cstddef>

#include "codegen/emitter.h"
#include "tenon/runtime/signature.h"

namespace tenon::codegen {

using llvm::Value;

// One allocation of the function that is emitted, however often the call runs.
Value* Emitter::call_slot(llvm::Type* type, uint64_t count) {
  llvm::BasicBlock& entry = scope_.function->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  return at_entry.CreateAlloca(llvm::ArrayType::get(type, std::max<uint64_t>(count, 1)), nullptr,
                               kCapturesName);
}

// Fills the tenon_array of a part.
void Emitter::put_array(const CallRegion& part, Value* record) {
  const auto found = scope_.buffers.find(part.buffer.id());
  if (found == scope_.buffers.end() || part.strides.size() != part.ranges.size()) {
    fail("a part of " + part.buffer.name() + " that is given to a function has no place");
    return;
  }
  const auto dimensions = static_cast<uint64_t>(
      std::count_if(part.ranges.begin(), part.ranges.end(),
                    [](const CallRegion::Range& range) { return static_cast<bool>(range.hi); }));
  Value* shape = call_slot(b_.getInt64Ty(), dimensions);
  Value* strides = call_slot(b_.getInt64Ty(), dimensions);
  Value* offset = b_.getInt64(0);
  uint64_t next = 0;
  for (size_t d = 0; d < part.ranges.size(); ++d) {
    Value* lo = value(part.ranges[d].lo);
    Value* stride = value(part.strides[d]);
    Value* hi = part.ranges[d].hi ? value(part.ranges[d].hi) : nullptr;
    if (!status_.ok()) return;
    offset = b_.CreateAdd(offset, b_.CreateMul(lo, stride));
    if (!hi) continue;
    Value* extent = b_.CreateSub(hi, lo);
    extent = b_.CreateSelect(b_.CreateICmpSLT(extent, b_.getInt64(0)), b_.getInt64(0), extent);
    b_.CreateStore(extent, b_.CreateConstGEP1_64(b_.getInt64Ty(), shape, next));
    b_.CreateStore(stride, b_.CreateConstGEP1_64(b_.getInt64Ty(), strides, next));
    ++next;
  }
  const auto put = [&](size_t field, Value* v) {
    b_.CreateStore(v, b_.CreateConstGEP1_64(b_.getInt8Ty(), record, field));
  };
  const Type type = part.buffer.type();
  put(offsetof(tenon_array, data), element_pointer(type, found->second.second.base, offset));
  put(offsetof(tenon_array, shape), shape);
  put(offsetof(tenon_array, strides), strides);
  put(offsetof(tenon_array, rank), b_.getInt32(static_cast<uint32_t>(dimensions)));
  put(offsetof(tenon_array, bits), b_.getInt32(static_cast<uint32_t>(8 * type.bytes())));
}

void Emitter::emit(const Call& node) {
  const auto known = std::find(externs_.begin(), externs_.end(), node.function);
  const std::vector<CallRegion> parts = regions_of(node);
  // In words of 8 bytes, so that the pointers are aligned.
  Value* arrays = call_slot(b_.getInt64Ty(), parts.size() * sizeof(tenon_array) / 8);
  for (size_t p = 0; p < parts.size(); ++p) {
    put_array(parts[p], b_.CreateConstGEP1_64(b_.getInt8Ty(), arrays, p * sizeof(tenon_array)));
    if (!status_.ok()) return;
  }
  const auto slot = static_cast<size_t>(known - externs_.begin()) * sizeof(tenon_extern_slot);
  Value* function =
      load_field(scope_.externs, slot + offsetof(tenon_extern_slot, function), b_.getPtrTy());
  Value* user = load_field(scope_.externs, slot + offsetof(tenon_extern_slot, user), b_.getPtrTy());
  auto* type = llvm::FunctionType::get(
      b_.getInt32Ty(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt32Ty()}, /*isVarArg=*/false);
  Value* status = b_.CreateCall(type, function,
                                {user, arrays, b_.getInt32(static_cast<uint32_t>(parts.size()))});

  const auto site = static_cast<int64_t>(checks_.size());
  checks_.push_back(kExternSite + node.function.name);
  llvm::BasicBlock* failed = new_block("call_failed");
  llvm::BasicBlock* join = new_block("called");
  b_.CreateCondBr(b_.CreateICmpEQ(status, b_.getInt32(0)), join, failed,
                  llvm::MDBuilder(context_).createBranchWeights(1 << 20, 1));
  b_.SetInsertPoint(failed);
  report(site, b_.CreateSExt(status, b_.getInt64Ty()), b_.getInt64(0));
  b_.CreateRetVoid();
  b_.SetInsertPoint(join);
}

}  // namespace tenon::codegen
