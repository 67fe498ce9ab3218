// From a module to the bytes of an object file.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/target/target.h"

namespace tenon::codegen {

// Makes LLVM's machines for one target and keeps them between compilations: a machine serves one
// thread at a time. Thread-safe.
class MachinePool {
 public:
  static absl::StatusOr<std::unique_ptr<MachinePool>> create(const Target& target);

  // Goes back to the pool on destruction.
  class Lease {
   public:
    Lease(MachinePool& pool, std::unique_ptr<llvm::TargetMachine> machine)
        : pool_(pool), machine_(std::move(machine)) {}
    ~Lease() { pool_.give(std::move(machine_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    llvm::TargetMachine& operator*() const { return *machine_; }

   private:
    MachinePool& pool_;
    std::unique_ptr<llvm::TargetMachine> machine_;
  };
  Lease take();

 private:
  MachinePool(const llvm::Target& llvm_target, std::string triple, std::string features,
              std::string cpu)
      : llvm_target_(llvm_target),
        triple_(std::move(triple)),
        features_(std::move(features)),
        cpu_(std::move(cpu)) {}
  std::unique_ptr<llvm::TargetMachine> make() const;
  void give(std::unique_ptr<llvm::TargetMachine> machine);

  const llvm::Target& llvm_target_;
  std::string triple_, features_, cpu_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> idle_;
};

using ObjectBytes = llvm::SmallVector<char, 0>;

// Changes the module.
absl::StatusOr<ObjectBytes> make_object(llvm::Module& module, llvm::TargetMachine& machine);
// Of a copy of the module.
std::string assembly_text(const llvm::Module& module, llvm::TargetMachine& machine);

// What is in an object file.
struct ObjectFacts {
  size_t bytes = 0;                    // of code and constants
  std::vector<std::string> undefined;  // symbols: a kernel may have none
};
absl::StatusOr<ObjectFacts> inspect_object(llvm::StringRef object);

}  // namespace tenon::codegen
