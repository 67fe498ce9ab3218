// The optimisation pipeline over a module, and what it left behind.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>
#include <vector>

namespace tenon::codegen {

// SROA turns local arrays into registers, EarlyCSE then shares addresses and loads. Machine code
// generation does the rest; every further pass was measured to cost time and gain nothing.
void run_passes(llvm::Module& module, llvm::TargetMachine& machine);

// The last of them, for correctness: no store of one lane behind a constant mask is left.
void store_single_lanes(llvm::Function& function);

// Local arrays that are still memory, by their names in the Program.
std::vector<std::string> surviving_allocas(const llvm::Module& module);

}  // namespace tenon::codegen
