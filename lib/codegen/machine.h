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

// A machine of LLVM with the pipeline that writes its object code. Building that pipeline takes as
// long as running it on a small kernel, so it stays with the machine. Serves one thread at a time.
class Machine {
 public:
  explicit Machine(std::unique_ptr<llvm::TargetMachine> machine) : machine_(std::move(machine)) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  llvm::TargetMachine& operator*() const { return *machine_; }
  llvm::TargetMachine* operator->() const { return machine_.get(); }

  // Changes the module. The bytes are valid until the next call.
  absl::StatusOr<llvm::StringRef> make_object(llvm::Module& module);
  // What a run that reported an error leaves in the pipeline is not known.
  void drop_pipeline() { pipeline_.reset(); }

 private:
  struct Pipeline;
  struct Delete {
    void operator()(Pipeline* pipeline) const;
  };

  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<Pipeline, Delete> pipeline_;
};

// Makes machines for one target and keeps them between compilations. Thread-safe.
class MachinePool {
 public:
  static absl::StatusOr<std::unique_ptr<MachinePool>> create(const Target& target);

  // Goes back to the pool on destruction.
  class Lease {
   public:
    Lease(MachinePool& pool, std::unique_ptr<Machine> machine)
        : pool_(pool), machine_(std::move(machine)) {}
    ~Lease() { pool_.give(std::move(machine_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Machine& operator*() const { return *machine_; }

   private:
    MachinePool& pool_;
    std::unique_ptr<Machine> machine_;
  };
  Lease take();

 private:
  MachinePool(const llvm::Target& llvm_target, std::string triple, std::string features,
              std::string cpu)
      : llvm_target_(llvm_target),
        triple_(std::move(triple)),
        features_(std::move(features)),
        cpu_(std::move(cpu)) {}
  std::unique_ptr<Machine> make() const;
  void give(std::unique_ptr<Machine> machine);

  const llvm::Target& llvm_target_;
  std::string triple_, features_, cpu_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Machine>> idle_;
};

// Of a copy of the module.
std::string assembly_text(const llvm::Module& module, llvm::TargetMachine& machine);

// What is in an object file.
struct ObjectFacts {
  size_t bytes = 0;                    // of code and constants
  std::vector<std::string> undefined;  // symbols: a kernel may have none
};
absl::StatusOr<ObjectFacts> inspect_object(llvm::StringRef object);

}  // namespace tenon::codegen
