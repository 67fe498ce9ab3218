// CodeEngine: emit, optimise, make object code, link.
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <chrono>
#include <optional>

#include "codegen/emitter.h"
#include "codegen/linker.h"
#include "codegen/llvm_compat.h"
#include "codegen/machine.h"
#include "codegen/passes.h"
#include "tenon/base/macros.h"
#include "tenon/codegen/codegen.h"

namespace tenon {
namespace codegen {
namespace {

// Milliseconds since the last call.
class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> passed = now - last_;
    last_ = now;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

class CodeImpl final : public Code {
 public:
  explicit CodeImpl(Linker& linker) : linker_(linker) {}
  ~CodeImpl() override {
    if (linked_.dylib) linker_.unlink(*linked_.dylib);
  }

  tenon_kernel entry() const override { return reinterpret_cast<tenon_kernel>(linked_.entry); }
  size_t bytes() const override { return bytes_; }
  const std::vector<std::string>& checks() const override { return checks_; }
  const CodeTimes& times() const override { return times_; }
  const std::string& llvm_ir() const override { return llvm_ir_; }
  const std::string& assembly() const override { return assembly_; }
  const std::vector<std::string>& surviving_allocas() const override { return survivors_; }

  Linker& linker_;
  Linker::Linked linked_;
  size_t bytes_ = 0;
  std::vector<std::string> checks_, survivors_;
  CodeTimes times_;
  std::string llvm_ir_, assembly_;
};

// LLVM's default is to print an error and end the process.
class CollectErrors final : public llvm::DiagnosticHandler {
 public:
  explicit CollectErrors(std::string& errors) : errors_(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream stream(errors_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

 private:
  std::string& errors_;
};

template <class T>
std::string text_of(const T& printable) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printable.print(stream, nullptr);
  return text;
}

absl::Status verify_module(const llvm::Module& module) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (!llvm::verifyModule(module, &stream)) return absl::OkStatus();
  return absl::InternalError("bad LLVM module: " + errors);
}

class Engine final : public CodeEngine {
 public:
  Engine(const Target& target, std::unique_ptr<MachinePool> machines,
         std::unique_ptr<Linker> linker)
      : target_(target), machines_(std::move(machines)), linker_(std::move(linker)) {}

  const Target& target() const override { return target_; }

  absl::StatusOr<std::unique_ptr<Code>> compile(const Program& lowered,
                                                const CodegenOptions& options) override {
    Clock clock;
    auto code = std::make_unique<CodeImpl>(*linker_);
    std::string errors;
    llvm::LLVMContext context;
    context.setDiagnosticHandler(std::make_unique<CollectErrors>(errors));
    const MachinePool::Lease lease = machines_->take();
    Machine& machine = *lease;
    llvm::Module module(lowered.name(), context);
    compat::set_triple(module, machine->getTargetTriple());
    module.setDataLayout(machine->createDataLayout());

    Emitter emitter(module, lowered, target_, options);
    TENON_RETURN_IF_ERROR(emitter.emit());
    code->checks_ = emitter.take_checks();
    if (options.keep_text) TENON_RETURN_IF_ERROR(verify_module(module));
    code->times_.emit = clock.lap();

    run_passes(module, *machine);
    code->survivors_ = surviving_allocas(module);
    code->times_.passes = clock.lap();
    if (options.keep_text) {
      code->llvm_ir_ = text_of(module);
      code->assembly_ = assembly_text(module, *machine);
      clock.lap();
    }

    TENON_ASSIGN_OR_RETURN(const llvm::StringRef object, machine.make_object(module));
    if (!errors.empty()) {
      machine.drop_pipeline();
      return absl::InternalError("LLVM: " + errors);
    }
    TENON_ASSIGN_OR_RETURN(const ObjectFacts facts, inspect_object(object));
    if (!facts.undefined.empty()) {
      return absl::InternalError("the code of " + lowered.name() + " calls " +
                                 facts.undefined.front() + ", which no kernel may");
    }
    code->bytes_ = facts.bytes;
    TENON_ASSIGN_OR_RETURN(code->linked_, linker_->link(object, emitter.entry_name()));
    code->times_.machine = clock.lap();
    return code;
  }

 private:
  const Target target_;
  const std::unique_ptr<MachinePool> machines_;
  const std::unique_ptr<Linker> linker_;
};

}  // namespace
}  // namespace codegen

absl::StatusOr<std::unique_ptr<CodeEngine>> CodeEngine::create(const Target& target) {
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<codegen::MachinePool> machines,
                         codegen::MachinePool::create(target));
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<codegen::Linker> linker, codegen::Linker::create());
  return std::make_unique<codegen::Engine>(target, std::move(machines), std::move(linker));
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace tenon
