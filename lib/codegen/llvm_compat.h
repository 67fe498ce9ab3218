// The few places where LLVM 19 to 22 differ.
#pragma once

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/TaskDispatch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>
#include <string>

#if __has_include(<llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>)
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>
#else
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#endif

namespace tenon::codegen::compat {

inline void set_triple(llvm::Module& module, const llvm::Triple& triple) {
#if LLVM_VERSION_MAJOR >= 21
  module.setTargetTriple(triple);
#else
  module.setTargetTriple(triple.str());
#endif
}

inline const llvm::Target* find_target(const llvm::Triple& triple, std::string& error) {
#if LLVM_VERSION_MAJOR >= 22
  return llvm::TargetRegistry::lookupTarget(triple, error);
#else
  return llvm::TargetRegistry::lookupTarget(triple.str(), error);
#endif
}

inline std::unique_ptr<llvm::TargetMachine> make_machine(
    const llvm::Target& target, const llvm::Triple& triple, const std::string& cpu,
    const std::string& features, const llvm::TargetOptions& options, llvm::CodeGenOptLevel level) {
#if LLVM_VERSION_MAJOR >= 21
  const llvm::Triple& name = triple;
#else
  const std::string& name = triple.str();
#endif
  return std::unique_ptr<llvm::TargetMachine>(
      target.createTargetMachine(name, cpu, features, options, llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, level, /*JIT=*/true));
}

inline llvm::Intrinsic::ID find_intrinsic(const std::string& name) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::lookupIntrinsicID(name);
#else
  return llvm::Function::lookupIntrinsicID(name);
#endif
}

// Of one processor's instructions.
inline bool is_target_intrinsic(llvm::Intrinsic::ID id) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::isTargetIntrinsic(id);
#else
  return llvm::Function::isTargetIntrinsic(id);
#endif
}

// The types that an overloaded intrinsic is made for; false when it has no such form.
inline bool overloads_of(llvm::Intrinsic::ID id, llvm::FunctionType* type,
                         llvm::SmallVectorImpl<llvm::Type*>& types) {
  return llvm::Intrinsic::getIntrinsicSignature(id, type, types);
}

inline llvm::Function* declare_intrinsic(llvm::Module& module, llvm::Intrinsic::ID id,
                                         llvm::ArrayRef<llvm::Type*> types) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::getOrInsertDeclaration(&module, id, types);
#else
  return llvm::Intrinsic::getDeclaration(&module, id, types);
#endif
}

// Of a call of the masked_store intrinsic: value, address, (alignment before LLVM 22,) mask.
inline llvm::Value* mask_of_store(const llvm::CallBase& store) {
  return store.getArgOperand(store.arg_size() - 1);
}

inline llvm::Align align_of_store(const llvm::CallBase& store) {
#if LLVM_VERSION_MAJOR >= 22
  return store.getParamAlign(1).valueOrOne();
#else
  return llvm::cast<llvm::ConstantInt>(store.getArgOperand(2))->getAlignValue();
#endif
}

}  // namespace tenon::codegen::compat
