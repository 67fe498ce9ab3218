// A masked store whose mask is known to leave one lane on becomes a store of that lane.
//
// Not for speed: LLVM does the same later, but stores the lane of a truncated vector in the width
// that it had before, and so writes behind the end (llvm/llvm-project#179489, seen in LLVM 22).
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

#include "codegen/llvm_compat.h"
#include "codegen/passes.h"

namespace tenon::codegen {

namespace {

std::optional<unsigned> only_lane(const llvm::Value* mask) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type) return std::nullopt;
  std::optional<unsigned> only;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const llvm::Constant* on = constant->getAggregateElement(lane);
    if (on && on->isNullValue()) continue;
    if (only || !on || !on->isOneValue()) return std::nullopt;
    only = lane;
  }
  return only;
}

}  // namespace

void store_single_lanes(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store) continue;
    const std::optional<unsigned> lane = only_lane(compat::mask_of_store(*store));
    if (!lane) continue;
    llvm::IRBuilder<> builder(store);
    llvm::Value* element = builder.CreateExtractElement(store->getArgOperand(0), *lane);
    llvm::Type* type = element->getType();
    llvm::Value* address = builder.CreateConstInBoundsGEP1_64(type, store->getArgOperand(1), *lane);
    // Less than the vector's alignment may be left at a lane.
    const uint64_t offset = *lane * function.getDataLayout().getTypeStoreSize(type).getFixedValue();
    builder.CreateAlignedStore(element, address,
                               llvm::commonAlignment(compat::align_of_store(*store), offset));
    store->eraseFromParent();
  }
}

}  // namespace tenon::codegen
