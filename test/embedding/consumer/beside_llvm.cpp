// A host that uses an LLVM of its own, before, between and after Tenon's kernels.
#include <llvm-c/Core.h>

#include <cstdio>
#include <string>

#include "kernel.h"

namespace {

std::string use_own_llvm() {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("host", context);
  LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(context), nullptr, 0, 0);
  LLVMAddFunction(module, "of_the_host", type);
  char* text = LLVMPrintModuleToString(module);
  const std::string result = text;
  LLVMDisposeMessage(text);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return result;
}

}  // namespace

int main() {
  const std::string before = use_own_llvm();
  for (int round = 0; round < 2; ++round) {
    const std::string wrong = compile_and_run();
    if (!wrong.empty()) return std::puts(wrong.c_str()), 1;
    if (use_own_llvm() != before) return std::puts("the host's LLVM has changed"), 1;
  }
  return before.find("of_the_host") == std::string::npos;
}
