// Native code from a lowered Program, through LLVM and ORC. The only layer that knows LLVM.
//
//   TENON_ASSIGN_OR_RETURN(std::unique_ptr<CodeEngine> engine, CodeEngine::create(target));
//   TENON_ASSIGN_OR_RETURN(std::unique_ptr<Code> code, engine->compile(lowered, {}));
//   code->entry()(&call);                        // see tenon/runtime/abi.h
//
// Code generation is a fold over the Program without decisions of its own. One engine holds one
// session of ORC, LLVM's linker in the process, and starts no threads; each Code is a library of
// its own there, and destroying it unmaps its memory. A kernel calls nothing but what its
// tenon_call record brings along: code that would is refused.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/program.h"
#include "tenon/runtime/abi.h"
#include "tenon/target/target.h"

namespace tenon {

struct CodegenOptions {
  // a*b + c may become one fused operation. Off: bit for bit what the interpreter computes.
  bool contract = true;
  bool keep_text = false;  // keep LLVM IR and assembly for llvm_ir() and assembly()
};

struct CodeTimes {  // milliseconds
  double emit = 0, passes = 0, machine = 0;
};

class Code {
 public:
  virtual ~Code() = default;  // unmaps the code; no call may be running
  virtual tenon_kernel entry() const = 0;
  virtual size_t bytes() const = 0;                            // of mapped code and constants
  virtual const std::vector<std::string>& checks() const = 0;  // text of each check(...) site
  virtual const CodeTimes& times() const = 0;
  virtual const std::string& llvm_ir() const = 0;   // after the passes; empty unless kept
  virtual const std::string& assembly() const = 0;  // empty unless kept
  // Local arrays that did not become registers, by name: should be empty for an expert kernel.
  virtual const std::vector<std::string>& surviving_allocas() const = 0;
};

class CodeEngine {
 public:
  static absl::StatusOr<std::unique_ptr<CodeEngine>> create(const Target& target);
  virtual ~CodeEngine() = default;  // all its Codes must be gone
  virtual const Target& target() const = 0;
  // Thread-safe.
  virtual absl::StatusOr<std::unique_ptr<Code>> compile(const Program& lowered,
                                                        const CodegenOptions& options) = 0;
};

// "22.1.8"
std::string llvm_version();

}  // namespace tenon
