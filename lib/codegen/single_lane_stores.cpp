// A store whose mask is known to leave one lane on becomes a store of that lane: a masked store,
// and a store that takes every other lane from memory.
//
// Not for speed: LLVM makes one store of both later, but stores the lane of a truncated vector in
// the width that it had before, and so writes over the lanes behind it (llvm/llvm-project#179489,
// seen in LLVM 22).
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

// The one lane in which a constant mask is `on`.
std::optional<unsigned> only_lane(const llvm::Value* mask, bool on = true) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type) return std::nullopt;
  std::optional<unsigned> only;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const llvm::Constant* value = constant->getAggregateElement(lane);
    if (!value || !(value->isNullValue() || value->isOneValue())) return std::nullopt;
    if (value->isOneValue() != on) continue;
    if (only) return std::nullopt;
    only = lane;
  }
  return only;
}

// Writes one lane of a vector whose first lane is at `first`.
void store_lane(llvm::Instruction* before, llvm::Value* vector, unsigned lane, llvm::Value* first,
                llvm::Align align) {
  llvm::IRBuilder<> builder(before);
  llvm::Value* element = builder.CreateExtractElement(vector, lane);
  llvm::Type* type = element->getType();
  llvm::Value* address = builder.CreateConstInBoundsGEP1_64(type, first, lane);
  const llvm::DataLayout& layout = before->getModule()->getDataLayout();
  // Less than the vector's alignment may be left at a lane.
  const uint64_t offset = lane * layout.getTypeStoreSize(type).getFixedValue();
  builder.CreateAlignedStore(element, address, llvm::commonAlignment(align, offset));
}

void split_masked(llvm::IntrinsicInst& store) {
  const std::optional<unsigned> lane = only_lane(compat::mask_of_store(store));
  if (!lane) return;
  store_lane(&store, store.getArgOperand(0), *lane, store.getArgOperand(1),
             compat::align_of_store(store));
  store.eraseFromParent();
}

void split_blended(llvm::StoreInst& store) {
  auto* blend = llvm::dyn_cast<llvm::SelectInst>(store.getValueOperand());
  if (!blend) return;
  llvm::Value* value = blend->getTrueValue();
  llvm::Value* old = blend->getFalseValue();
  std::optional<unsigned> lane = only_lane(blend->getCondition());
  if (!lane) {
    lane = only_lane(blend->getCondition(), false);
    std::swap(value, old);
  }
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(old);
  if (!lane || !load || load->getPointerOperand() != store.getPointerOperand()) return;
  // What was loaded goes back first: memory might have changed since, and where it has not, LLVM
  // drops this store.
  llvm::IRBuilder<>(&store).CreateAlignedStore(old, store.getPointerOperand(), store.getAlign());
  store_lane(&store, value, *lane, store.getPointerOperand(), store.getAlign());
  store.eraseFromParent();
}

}  // namespace

void store_single_lanes(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      split_blended(*store);
    } else if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
               call && call->getIntrinsicID() == llvm::Intrinsic::masked_store) {
      split_masked(*call);
    }
  }
}

}  // namespace tenon::codegen
