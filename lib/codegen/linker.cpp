#include "codegen/linker.h"

#include "codegen/llvm_compat.h"

namespace tenon::codegen {
namespace {

absl::Status status_of(llvm::Error error, const char* action) {
  return absl::InternalError(std::string(action) + ": " + llvm::toString(std::move(error)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Linker>> Linker::create() {
  // Links on the thread that asks: the library starts no threads of its own.
  auto process = llvm::orc::SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
  if (!process) return status_of(process.takeError(), "starting the linker");
  return std::unique_ptr<Linker>(new Linker(std::move(*process)));
}

Linker::Linker(std::unique_ptr<llvm::orc::ExecutorProcessControl> process)
    : session_(std::move(process)), layer_(session_) {
  // Errors come back from the calls; nothing is printed.
  session_.setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
}

Linker::~Linker() { llvm::consumeError(session_.endSession()); }

absl::StatusOr<Linker::Linked> Linker::link(llvm::StringRef object, const std::string& entry) {
  llvm::orc::JITDylib& library =
      session_.createBareJITDylib("kernel" + std::to_string(libraries_.fetch_add(1)));
  const auto link_now = [&]() -> llvm::Expected<void*> {
    auto buffer =
        llvm::MemoryBuffer::getMemBuffer(object, "kernel", /*RequiresNullTerminator=*/false);
    if (llvm::Error error = layer_.add(library, std::move(buffer))) return error;
    auto symbol = session_.lookup({&library}, session_.intern(entry));
    if (!symbol) return symbol.takeError();
    return symbol->getAddress().toPtr<void*>();
  };
  llvm::Expected<void*> address = link_now();
  if (address) return Linked{&library, *address};
  const absl::Status status = status_of(address.takeError(), "linking");
  unlink(library);
  return status;
}

void Linker::unlink(llvm::orc::JITDylib& library) {
  llvm::consumeError(session_.removeJITDylib(library));
  session_.getSymbolStringPool()->clearDeadEntries();  // or each name would stay for good
}

}  // namespace tenon::codegen
