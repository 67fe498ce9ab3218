#include "codegen/machine.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCContext.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "codegen/llvm_compat.h"
#include "codegen/pipeline.h"

namespace tenon::codegen {
namespace {

std::string text_of(llvm::Error error) { return llvm::toString(std::move(error)); }

// LLVM's tables of targets are process-wide; filling them twice is harmless but not thread-safe.
void register_target() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();  // inline assembly of instructions
  });
}

}  // namespace

struct Machine::Pipeline {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream{bytes};
  llvm::legacy::PassManager passes;
  KernelPipeline needed{passes};
};

void Machine::Delete::operator()(Pipeline* pipeline) const { delete pipeline; }

absl::StatusOr<llvm::StringRef> Machine::make_object(llvm::Module& module) {
  if (!pipeline_) {
    std::unique_ptr<Pipeline, Delete> made(new Pipeline);
    llvm::MCContext* context = nullptr;
    if (machine_->addPassesToEmitMC(made->needed, context, made->stream)) {
      return absl::InternalError("LLVM cannot make object code for this target");
    }
    pipeline_ = std::move(made);
  }
  pipeline_->bytes.clear();
  pipeline_->passes.run(module);
  return llvm::StringRef(pipeline_->bytes.data(), pipeline_->bytes.size());
}

absl::StatusOr<std::unique_ptr<MachinePool>> MachinePool::create(const Target& target) {
  register_target();
  std::string error;
  const std::string triple = target.triple();
  const llvm::Target* found = compat::find_target(llvm::Triple(triple), error);
  if (!found) return absl::InternalError("LLVM has no target " + triple + ": " + error);
  return std::unique_ptr<MachinePool>(
      new MachinePool(*found, triple, target.llvm_features(), "x86-64"));
}

std::unique_ptr<Machine> MachinePool::make() const {
  llvm::TargetOptions options;
  options.UniqueSectionNames = false;
  return std::make_unique<Machine>(compat::make_machine(llvm_target_, llvm::Triple(triple_), cpu_,
                                                        features_, options,
                                                        llvm::CodeGenOptLevel::Default));
}

MachinePool::Lease MachinePool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Machine> machine = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(machine));
    }
  }
  return Lease(*this, make());
}

void MachinePool::give(std::unique_ptr<Machine> machine) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(machine));
}

std::string assembly_text(const llvm::Module& module, llvm::TargetMachine& machine) {
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  KernelPipeline needed(passes);
  if (machine.addPassesToEmitFile(needed, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    return "";
  }
  passes.run(*copy);
  return text.str().str();
}

absl::StatusOr<ObjectFacts> inspect_object(llvm::StringRef object) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "kernel"),
                                                            /*InitContent=*/true);
  if (!file) return absl::InternalError("bad object code: " + text_of(file.takeError()));
  ObjectFacts facts;
  for (const llvm::object::ELFSectionRef section : (*file)->sections()) {
    if (section.getFlags() & llvm::ELF::SHF_ALLOC) facts.bytes += section.getSize();
  }
  for (const llvm::object::SymbolRef symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags) return absl::InternalError("bad object code: " + text_of(flags.takeError()));
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined)) continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name) return absl::InternalError("bad object code: " + text_of(name.takeError()));
    if (!name->empty()) facts.undefined.push_back(name->str());
  }
  return facts;
}

}  // namespace tenon::codegen
