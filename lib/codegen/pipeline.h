// LLVM's machine pipeline without the passes for what no kernel has. LLVM puts about 150 passes and
// analyses into it; a third of them look for garbage collectors, exceptions, AMX tiles, stack
// protectors, debug values, ... in vain, which for a small kernel costs as much as its scheduling.
#pragma once

#include <llvm/IR/LegacyPassManager.h>

namespace tenon::codegen {

// What LLVM's own set-up functions fill: forwards to `passes` and drops what is not needed.
class KernelPipeline final : public llvm::legacy::PassManagerBase {
 public:
  explicit KernelPipeline(llvm::legacy::PassManager& passes) : passes_(passes) {}
  void add(llvm::Pass* pass) override;

 private:
  llvm::legacy::PassManager& passes_;
};

}  // namespace tenon::codegen
