// A hardware instruction: registers from memory, an intrinsic or inline assembly, and the result
// back to memory.
//
// In the registers of an instruction f16 and bf16 are LLVM's types, and an operand of the same size
// in another type (an intrinsic on i32 that takes four bytes in each) is the same bits.
#include <llvm/IR/InlineAsm.h>

#include "codegen/emitter.h"
#include "codegen/llvm_compat.h"
#include "tenon/ir/visit.h"
#include "tenon/lower/instruction_call.h"

namespace tenon::codegen {

using llvm::Value;
using Register = InstructionCall::Register;

namespace {

llvm::Type* with_lanes(llvm::Type* element, int64_t lanes) {
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}

uint64_t bits_of(llvm::Type* type) { return type->getPrimitiveSizeInBits().getFixedValue(); }

}  // namespace

llvm::Type* Emitter::register_type(Type type, int64_t lanes) {
  llvm::Type* element = type == f16    ? b_.getHalfTy()
                        : type == bf16 ? b_.getBFloatTy()
                                       : ops_.value_type(type);
  return with_lanes(element, lanes);
}

// Of the elements that lie next to each other: one number where a general register holds them.
llvm::Type* Emitter::run_type(const Register& r) {
  llvm::Type* run = register_type(r.buffer.type(), r.run);
  const uint64_t bits = bits_of(run);
  const bool fits = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  return fits ? b_.getIntNTy(static_cast<unsigned>(bits)) : run;
}

Value* Emitter::load_register(const Register& r) {
  const auto place = scope_.buffers.find(r.buffer.id());
  if (place == scope_.buffers.end()) return fail("buffer " + r.buffer.name() + " has no place");
  const Type type = r.buffer.type();
  const llvm::Align align(static_cast<uint64_t>(type.bytes()));
  const auto load = [&](const Expr& start, llvm::Type* loaded) -> Value* {
    Value* at = address(type, place->second.second.base, start);
    if (!at) return nullptr;
    llvm::LoadInst* result = b_.CreateAlignedLoad(loaded, at, align);
    if (place->second.second.read_only) {
      result->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    }
    return result;
  };
  llvm::Type* whole = register_type(type, r.elements);
  llvm::Type* run = run_type(r);
  if (!r.repeats && r.starts.size() == 1) return load(r.starts[0], whole);
  const auto runs = static_cast<unsigned>(r.elements / r.run);
  if (r.repeats) {
    Value* one = load(r.starts[0], run);
    if (!one) return nullptr;
    if (!run->isVectorTy()) return b_.CreateBitCast(b_.CreateVectorSplat(runs, one), whole);
    std::vector<int> lanes;
    for (int64_t i = 0; i < r.elements; ++i) lanes.push_back(static_cast<int>(i % r.run));
    return b_.CreateShuffleVector(one, lanes);
  }
  Value* all = llvm::PoisonValue::get(run->isVectorTy() ? whole : with_lanes(run, runs));
  for (size_t i = 0; i < r.starts.size(); ++i) {
    Value* part = load(r.starts[i], run);
    if (!part) return nullptr;
    const uint64_t first = i * static_cast<uint64_t>(r.run);
    all = run->isVectorTy() ? b_.CreateInsertVector(whole, all, part, b_.getInt64(first))
                            : b_.CreateInsertElement(all, part, i);
  }
  return b_.CreateBitCast(all, whole);
}

void Emitter::store_register(const Register& r, Value* value) {
  const auto place = scope_.buffers.find(r.buffer.id());
  if (place == scope_.buffers.end())
    return void(fail("buffer " + r.buffer.name() + " has no place"));
  const Type type = r.buffer.type();
  const llvm::Align align(static_cast<uint64_t>(type.bytes()));
  llvm::Type* run = run_type(r);
  if (r.starts.size() > 1 && !run->isVectorTy()) {
    value = b_.CreateBitCast(value, with_lanes(run, static_cast<unsigned>(r.starts.size())));
  }
  for (size_t i = 0; i < r.starts.size(); ++i) {
    Value* at = address(type, place->second.second.base, r.starts[i]);
    if (!at) return;
    const uint64_t first = i * static_cast<uint64_t>(r.run);
    Value* part = r.starts.size() == 1 ? value
                  : run->isVectorTy()  ? b_.CreateExtractVector(run, value, b_.getInt64(first))
                                       : b_.CreateExtractElement(value, i);
    b_.CreateAlignedStore(part, at, align);
  }
}

Value* Emitter::wrong_instruction(const InstructionData& instruction, const std::string& reason) {
  if (status_.ok()) status_ = refuse("instruction " + instruction.name + ": " + reason);
  return nullptr;
}

// The intrinsic, which may take and give other types of the same size.
llvm::FunctionCallee Emitter::intrinsic_of(const InstructionData& instruction,
                                           llvm::FunctionType* wanted) {
  const auto id = compat::find_intrinsic(instruction.intrinsic);
  if (id == llvm::Intrinsic::not_intrinsic) {
    wrong_instruction(instruction, "LLVM has no intrinsic " + instruction.intrinsic);
    return {};
  }
  // LLVM ends the process where it finds one that the processor does not have.
  if (compat::is_target_intrinsic(id) && !instruction.intrinsic.starts_with("llvm.x86.")) {
    wrong_instruction(instruction, instruction.intrinsic + " is one of another processor");
    return {};
  }
  llvm::SmallVector<llvm::Type*, 4> types;
  if (llvm::Intrinsic::isOverloaded(id) && !compat::overloads_of(id, wanted, types)) {
    wrong_instruction(instruction,
                      instruction.intrinsic + " does not take registers of these types");
    return {};
  }
  llvm::Function* found = compat::declare_intrinsic(module_, id, types);
  if (found->getName() != instruction.intrinsic) {
    wrong_instruction(instruction, "the intrinsic on these registers is " + found->getName().str());
    return {};
  }
  return found;
}

Value* Emitter::call_instruction(const InstructionData& instruction,
                                 const std::vector<Value*>& operands, llvm::Type* result) {
  std::vector<llvm::Type*> types;
  for (Value* operand : operands) types.push_back(operand->getType());
  llvm::FunctionType* wanted = llvm::FunctionType::get(result, types, false);
  llvm::FunctionCallee callee;
  if (instruction.intrinsic.empty()) {
    if (llvm::Error bad = llvm::InlineAsm::verify(wanted, instruction.constraints)) {
      return wrong_instruction(instruction, "its constraints \"" + instruction.constraints +
                                                "\" do not fit: " + llvm::toString(std::move(bad)));
    }
    callee = {wanted, llvm::InlineAsm::get(wanted, instruction.assembly, instruction.constraints,
                                           /*hasSideEffects=*/false)};
  } else {
    callee = intrinsic_of(instruction, wanted);
    if (!callee) return nullptr;
  }
  llvm::FunctionType* type = callee.getFunctionType();
  if (type->getNumParams() != operands.size()) {
    return wrong_instruction(
        instruction, instruction.intrinsic + " takes " + std::to_string(type->getNumParams()) +
                         " operands, and there are " + std::to_string(operands.size()));
  }
  std::vector<Value*> arguments;
  for (size_t i = 0; i < operands.size(); ++i) {
    llvm::Type* to = type->getParamType(static_cast<unsigned>(i));
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operands[i]);
        constant && to->isIntegerTy()) {
      arguments.push_back(llvm::ConstantInt::get(to, constant->getSExtValue(), true));
    } else if (bits_of(to) == bits_of(types[i]) && bits_of(to) > 0) {
      arguments.push_back(b_.CreateBitCast(operands[i], to));
    } else {
      return wrong_instruction(instruction, "operand " + std::to_string(i) + " of " +
                                                instruction.intrinsic + " has " +
                                                std::to_string(bits_of(to)) + " bits, and it has " +
                                                std::to_string(bits_of(types[i])));
    }
  }
  if (bits_of(type->getReturnType()) != bits_of(result)) {
    return wrong_instruction(instruction, "the result of " + instruction.intrinsic + " has " +
                                              std::to_string(bits_of(type->getReturnType())) +
                                              " bits, and it has " +
                                              std::to_string(bits_of(result)));
  }
  return b_.CreateBitCast(b_.CreateCall(callee, arguments), result);
}

void Emitter::emit_instruction(const For& loop) {
  const absl::StatusOr<InstructionCall> call = call_of(program_, loop);
  if (!call.ok()) return void(fail(std::string(call.status().message())));
  const InstructionData& instruction = *call->instruction;
  const std::vector<Param>& params = instruction.meaning->params;
  const auto register_of = [&](const std::string& name) -> const Register& {
    size_t p = 0;
    while (params[p].name() != name) ++p;
    return call->registers[p];
  };
  std::vector<Value*> operands;
  for (const InstructionOperand& operand : instruction.operands) {
    if (operand.param.empty()) {
      operands.push_back(b_.getInt32(static_cast<uint32_t>(operand.constant)));
      continue;
    }
    const Register& r = register_of(operand.param);
    Value* v = load_register(r);
    if (!v) return;
    if (operand.as) {
      llvm::Type* wide = register_type(*operand.as, r.elements);
      v = r.buffer.type().is_signed_int() ? b_.CreateSExt(v, wide) : b_.CreateZExt(v, wide);
    }
    operands.push_back(v);
  }
  const Param& out = output_of(instruction);
  const Register& target = register_of(out.name());
  llvm::Type* type = register_type(out.buffer.type(), target.elements);
  Value* result = call_instruction(instruction, operands, type);
  if (!result) return;
  if (combines_output(instruction)) {
    const Accumulate* sum = nullptr;
    walk(instruction.meaning->body, [&](const Stmt& s) {
      if (const Accumulate* x = s.as<Accumulate>()) sum = x;
    });
    const Type lanes = out.buffer.type().with_lanes(static_cast<int32_t>(target.elements));
    Value* old = load_register(target);
    if (!old) return;
    llvm::Type* plain = ops_.value_type(lanes);
    Value* both = ops_.binary(operator_of(sum->by.op()), lanes, b_.CreateBitCast(old, plain),
                              b_.CreateBitCast(result, plain));
    result = b_.CreateBitCast(both, type);
  }
  store_register(target, result);
}

}  // namespace tenon::codegen
