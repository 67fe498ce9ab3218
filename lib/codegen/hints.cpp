// What a kernel says about caches: lines that it will use, and vectors that nobody reads soon.
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Triple.h>

#include <numeric>
#include <vector>

#include "codegen/access.h"

namespace tenon::codegen {

using llvm::Value;

namespace {

// The least that goes past the caches at once.
constexpr int64_t kStreamBytes = 16;

}  // namespace

// Into all levels. An address that is none does not fault.
void Emitter::emit(const Prefetch& node) {
  const Access line = access(node.buffer, node.indices, 1);
  if (!status_.ok()) return;
  const uint32_t is_write = line.read_only ? 0 : 1;
  constexpr uint32_t kAllLevels = 3, kData = 1;
  b_.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {b_.getPtrTy()},
      {line.first, b_.getInt32(is_write), b_.getInt32(kAllLevels), b_.getInt32(kData)});
}

bool Emitter::may_stream(const Access& access, Value* mask) const {
  const int64_t bytes = access.bytes();
  const bool is_register = kStreamBytes <= bytes && bytes <= 64 && (bytes & (bytes - 1)) == 0;
  return access.streamed && !mask && access.kind == Access::kForward && is_register;
}

// Only what lies at a multiple of its size goes past the caches. Memory of the usual allocators is
// aligned to 16 bytes: then a wide register goes in parts of them, which the processor puts
// together to whole lines. What is not aligned to that is stored as usual.
void Emitter::stream(const Access& access, Value* value) {
  const auto bytes = static_cast<uint64_t>(access.bytes());
  Value* place = b_.CreatePtrToInt(access.first, b_.getInt64Ty());
  const auto is_aligned = [&](uint64_t to) {
    return b_.CreateICmpEQ(b_.CreateAnd(place, to - 1), b_.getInt64(0));
  };
  llvm::BasicBlock* join = new_block("stored");
  const auto otherwise = [&](uint64_t alignment, const char* name) {
    llvm::BasicBlock* aligned = new_block(name);
    llvm::BasicBlock* other = new_block("unaligned");
    b_.CreateCondBr(is_aligned(alignment), aligned, other);
    b_.SetInsertPoint(aligned);
    for (uint64_t at = 0; at < bytes; at += alignment) store_past(access, value, at, alignment);
    b_.CreateBr(join);
    b_.SetInsertPoint(other);
  };
  otherwise(bytes, "aligned");
  if (bytes > kStreamBytes) otherwise(kStreamBytes, "in_parts");
  b_.CreateAlignedStore(value, access.first, access.alignment());
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  scope_.streams = true;
}

// The part of the value that starts at this byte.
void Emitter::store_past(const Access& access, Value* value, uint64_t at, uint64_t bytes) {
  const auto size = static_cast<uint64_t>(access.type.bytes());
  if (bytes < static_cast<uint64_t>(access.bytes())) {
    std::vector<int> lanes(bytes / size);
    std::iota(lanes.begin(), lanes.end(), static_cast<int>(at / size));
    value = b_.CreateShuffleVector(value, lanes);
  }
  Value* to = at ? b_.CreateConstGEP1_64(b_.getInt8Ty(), access.first, at) : access.first;
  llvm::StoreInst* past = b_.CreateAlignedStore(value, to, llvm::Align(bytes));
  past->setMetadata(llvm::LLVMContext::MD_nontemporal,
                    llvm::MDNode::get(context_, llvm::ConstantAsMetadata::get(b_.getInt32(1))));
}

// Streamed stores pass others; whoever learns that the function is done has to see them.
void Emitter::finish_streams() {
  const bool is_x86 = llvm::Triple(module_.getTargetTriple()).isX86();
  if (!std::exchange(scope_.streams, false) || !is_x86) return;
  b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, llvm::ArrayRef<llvm::Type*>(),
                     llvm::ArrayRef<Value*>());
}

}  // namespace tenon::codegen
