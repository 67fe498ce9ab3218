#include "codegen/passes.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <algorithm>

#include "codegen/emitter.h"

namespace tenon::codegen {

void run_passes(llvm::Module& module, llvm::TargetMachine& machine) {
  // The analyses that the two passes ask for. A PassBuilder would register some two hundred.
  llvm::FunctionAnalysisManager analyses;
  analyses.registerPass([&] { return machine.getTargetIRAnalysis(); });
  analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
  analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses.registerPass([] { return llvm::TargetLibraryAnalysis(); });
  analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    passes.run(function, analyses);
    store_single_lanes(function);
    analyses.clear(function, function.getName());
  }
}

std::vector<std::string> surviving_allocas(const llvm::Module& module) {
  std::vector<std::string> names;
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!llvm::isa<llvm::AllocaInst>(instruction)) continue;
      // A part of an array is called "acc.sroa.0".
      const std::string name = instruction.getName().split(".sroa").first.str();
      if (llvm::StringRef(name).starts_with(kCapturesName)) continue;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

}  // namespace tenon::codegen
