// Maps object files into the process with ORC: one library of symbols per kernel, so that removing
// it gives the memory back.
#pragma once

#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>

#include <atomic>
#include <memory>
#include <string>

#include "codegen/machine.h"
#include "tenon/base/status.h"

namespace tenon::codegen {

// Thread-safe.
class Linker {
 public:
  static absl::StatusOr<std::unique_ptr<Linker>> create();
  ~Linker();

  struct Linked {
    llvm::orc::JITDylib* dylib = nullptr;
    void* entry = nullptr;
  };
  absl::StatusOr<Linked> link(llvm::StringRef object, const std::string& entry);
  void unlink(llvm::orc::JITDylib& library);

 private:
  explicit Linker(std::unique_ptr<llvm::orc::ExecutorProcessControl> process);

  llvm::orc::ExecutionSession session_;
  llvm::orc::ObjectLinkingLayer layer_;
  std::atomic<uint64_t> libraries_{0};
};

}  // namespace tenon::codegen
