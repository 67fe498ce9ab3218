// Loads and stores of one lane or many. A masked access never touches the memory of lanes that are
// off.
#include "codegen/access.h"

namespace tenon::codegen {

using llvm::Value;

namespace {

Value* zero_of(llvm::Type* type) { return llvm::Constant::getNullValue(type); }

}  // namespace

Value* Emitter::value(const Expr& e, const Load& node) {
  const int lanes = e.type().lanes;
  if (lanes == 1) {
    const auto load = [&] { return read(access(node.buffer, node.indices, 1), nullptr); };
    if (!node.mask) return load();
    return branch(value(node.mask), load, [&] { return ops_.constant(e.type(), 0); });
  }
  Value* mask = node.mask ? value(node.mask) : nullptr;
  return read(access(node.buffer, node.indices, lanes), mask);
}

Value* Emitter::read(const Access& access, Value* mask) {
  if (!status_.ok()) return nullptr;
  const bool blend = mask && access.inside_stack;
  Value* result = ops_.from_memory(access.type, read_memory(access, blend ? nullptr : mask));
  return blend ? b_.CreateSelect(mask, result, zero_of(result->getType())) : result;
}

Value* Emitter::read_memory(const Access& access, Value* mask) {
  llvm::Type* type = ops_.memory_type(access.type);
  llvm::Type* element = ops_.memory_type(access.type.element());
  const llvm::Align align = access.alignment();
  const auto load = [&](llvm::Type* loaded) -> Value* {
    llvm::LoadInst* result = b_.CreateAlignedLoad(loaded, access.first, align);
    if (access.read_only) {
      result->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    }
    return result;
  };
  const auto neighbours = [&](Value* m) -> Value* {
    if (!m) return load(type);
    return b_.CreateMaskedLoad(type, access.first, align, m, zero_of(type));
  };
  switch (access.kind) {
    case Access::kOne: return load(type);
    case Access::kForward: return neighbours(mask);
    case Access::kBackward:
      return b_.CreateVectorReverse(neighbours(mask ? b_.CreateVectorReverse(mask) : nullptr));
    case Access::kSame: {
      if (!mask) return ops_.splat(load(element), access.type.lanes);
      Value* one = branch(
          any(mask), [&] { return load(element); }, [&] { return zero_of(element); });
      return b_.CreateSelect(mask, ops_.splat(one, access.type.lanes), zero_of(type));
    }
    case Access::kStrided:
    case Access::kAny: break;
  }
  Value* passthrough = mask ? zero_of(type) : nullptr;
  return b_.CreateMaskedGather(type, access.lanes, align, mask, passthrough);
}

void Emitter::write(const Access& access, Value* value, Value* mask) {
  if (!status_.ok() || !value) return;
  // Where all lanes share an element, one that is off would put the old value back.
  if (mask && access.inside_stack && access.kind != Access::kSame) {
    Value* old = ops_.from_memory(access.type, read_memory(access, nullptr));
    value = b_.CreateSelect(mask, value, old);
    mask = nullptr;
  }
  write_memory(access, ops_.to_memory(access.type, value), mask);
}

void Emitter::write_memory(const Access& access, Value* value, Value* mask) {
  const llvm::Align align = access.alignment();
  if (access.kind == Access::kBackward) {
    value = b_.CreateVectorReverse(value);
    if (mask) mask = b_.CreateVectorReverse(mask);
  }
  switch (access.kind) {
    case Access::kOne: b_.CreateAlignedStore(value, access.first, align); return;
    case Access::kForward:
    case Access::kBackward:
      if (mask) {
        b_.CreateMaskedStore(value, access.first, align, mask);
      } else {
        b_.CreateAlignedStore(value, access.first, align);
      }
      return;
    case Access::kSame:  // the last lane that is on stays: a scatter writes in the order of lanes
    case Access::kStrided:
    case Access::kAny: b_.CreateMaskedScatter(value, lane_addresses(access), align, mask);
  }
}

void Emitter::emit(const Store& node) {
  Value* mask = node.mask ? value(node.mask) : nullptr;
  if (!status_.ok()) return;
  if (mask && !mask->getType()->isVectorTy()) {
    emit_if(mask, [&] { emit_store(node, nullptr); });
  } else {
    emit_store(node, mask);
  }
}

void Emitter::emit_store(const Store& node, Value* mask) {
  int lanes = std::max(node.indices.front().type().lanes, node.value.type().lanes);
  if (mask) lanes = node.mask.type().lanes;
  Value* stored = value(node.value);
  const Access to = access(node.buffer, node.indices, lanes);
  if (!status_.ok() || !stored) return;
  stored = ops_.splat(stored, lanes);
  may_stream(to, mask) ? stream(to, ops_.to_memory(to.type, stored)) : write(to, stored, mask);
}

}  // namespace tenon::codegen
