#include <algorithm>

#include "jit/kernel_impl.h"
#include "tenon/base/macros.h"
#include "tenon/lower/lower.h"
#include "tenon/runtime/math.h"
#include "tenon/runtime/plain_call.h"

namespace tenon {

absl::Status KernelImpl::run(const BoundCall& bound, const absl::Span<std::byte>* given) const {
  if (!parallel && !given && !needs_workspace()) [[likely]] {
    return enter(bound, nullptr, nullptr);
  }
  tenon_executor executor{};
  int workers = 1;
  if (parallel) {
    Executor& host = core->executor();
    executor = executor_table(host);
    workers = host.max_workers();
    if (workers < 1) {
      return refuse("kernel " + signature.kernel + ": the executor says that it has " +
                    std::to_string(workers) + " workers; at least 1 is needed");
    }
  }
  Workspace scratch;
  void* memory = nullptr;
  if (given) {
    const absl::Status fits = check_workspace(layout_for(bound), workers, given->data(),
                                              static_cast<int64_t>(given->size()));
    if (!fits.ok())
      return refuse("kernel " + signature.kernel + ": " + std::string(fits.message()));
    memory = given->data();
  } else {
    TENON_RETURN_IF_ERROR(take_workspace(bound, workers, scratch));
    memory = scratch.data();
  }
  return enter(bound, memory, parallel ? &executor : nullptr);
}

absl::Status KernelImpl::enter(const BoundCall& bound, void* memory,
                               const tenon_executor* executor) const {
  tenon_fault fault{-1, 0, 0};
  tenon_call call{};
  call.buffers = bound.buffers;
  call.sizes = bound.sizes;
  call.scalars = bound.scalars;
  call.workspace = memory;
  call.executor = executor;
  call.math = &default_math();
  call.fault = &fault;
  call.externs = externs.data();
  code->entry()(&call);
  if (fault.site < 0) [[likely]] {
    return absl::OkStatus();
  }
  return fault_status(signature, fault);
}

WorkspaceLayout KernelImpl::layout_for(const BoundCall& bound) const {
  const size_t slots = static_cast<size_t>(signature.size_slots);
  return constant_workspace ? workspace : workspace_for(absl::MakeConstSpan(bound.sizes, slots));
}

absl::Status KernelImpl::take_workspace(const BoundCall& bound, int workers,
                                        Workspace& scratch) const {
  const WorkspaceLayout layout = layout_for(bound);
  const int64_t bytes = layout.total_bytes(workers);
  if (bytes == 0) return absl::OkStatus();
  if (bytes <= kMostMemory) {
    scratch = core->workspaces().take(layout, workers);
    if (scratch.ok()) return absl::OkStatus();
  }
  return absl::ResourceExhaustedError("kernel " + signature.kernel + ": no memory for a " +
                                      std::to_string(bytes) + " byte workspace");
}

WorkspaceLayout KernelImpl::workspace_for(absl::Span<const int64_t> size_slots) const {
  bool shared_wrapped = false, worker_wrapped = false;
  const int64_t shared = evaluate(shared_bytes, size_slots, &shared_wrapped);
  const int64_t per_worker = evaluate(bytes_per_worker, size_slots, &worker_wrapped);
  const bool too_much =
      shared_wrapped || worker_wrapped || shared > kMostMemory || per_worker > kMostMemory;
  return too_much ? workspace_layout(2 * kMostMemory, 0, WorkspaceNeed::kAlignment)
                  : workspace_layout(shared, per_worker, WorkspaceNeed::kAlignment);
}

size_t KernelImpl::cost() const {
  // Measured: the Program of a kernel, its signature and the linker's records.
  constexpr size_t kRecords = 16 << 10;
  // It may keep a packer, which is a small kernel too.
  const bool packs =
      std::any_of(signature.params.begin(), signature.params.end(),
                  [](const auto& p) { return p.role == ParamSignature::Role::kWeight; });
  size_t tables = 0;  // in the Program; in the code they are counted with it
  for (const Table& table : scheduled->tables) tables += table.bits->size() * sizeof(uint64_t);
  return code->bytes() + tables + code->llvm_ir().size() + code->assembly().size() +
         (packs ? 2 : 1) * kRecords;
}

namespace {

absl::Status checked_call(const KernelImpl* kernel, absl::Span<const Argument> inputs,
                          absl::Span<const View> outputs, const absl::Span<std::byte>* workspace) {
  if (!kernel) return absl::FailedPreconditionError("an empty tenon::Kernel is called");
  BoundCall bound;
  if (!workspace && is_plain_call(kernel->signature, inputs, outputs, bound)) [[likely]] {
    return kernel->run(bound);
  }
  const absl::Span<const std::byte> taken = workspace ? *workspace : absl::Span<const std::byte>();
  TENON_RETURN_IF_ERROR(check_call(kernel->signature, inputs, outputs, &bound, taken));
  return kernel->run(bound, workspace);
}

}  // namespace

absl::Status Kernel::operator()(absl::Span<const Argument> inputs,
                                absl::Span<const View> outputs) const {
  return checked_call(impl_.get(), inputs, outputs, nullptr);
}

absl::Status Kernel::operator()(absl::Span<const Argument> inputs, absl::Span<const View> outputs,
                                absl::Span<std::byte> workspace) const {
  return checked_call(impl_.get(), inputs, outputs, &workspace);
}

WorkspaceSize Kernel::workspace(const Sizes& sizes) const {
  if (!impl_) return {};
  // By name: a kernel from the cache may have been compiled for an equal Program with Sizes of its
  // own.
  std::vector<int64_t> slots(static_cast<size_t>(impl_->signature.size_slots), 0);
  for (size_t i = 0; i < impl_->signature.sizes.size(); ++i) {
    for (const auto& [size, value] : sizes.values()) {
      if (size.name() == impl_->signature.sizes[i]) slots[i] = std::max<int64_t>(0, value);
    }
  }
  const WorkspaceLayout layout =
      impl_->constant_workspace ? impl_->workspace : impl_->workspace_for(slots);
  return {static_cast<size_t>(layout.shared_bytes), static_cast<size_t>(layout.bytes_per_worker),
          static_cast<size_t>(layout.alignment)};
}

const std::string& Kernel::name() const { return impl_->scheduled.name(); }
const Program& Kernel::program() const { return impl_->scheduled; }
// Lowering is deterministic and cheap, so its result is not kept.
Program Kernel::lowered() const {
  return *lower(bind_strides(impl_->scheduled, impl_->strides), impl_->core->options().target);
}
const Signature& Kernel::signature() const { return impl_->signature; }
tenon_kernel Kernel::entry() const { return impl_->code->entry(); }
size_t Kernel::code_bytes() const { return impl_->code->bytes(); }
const CompileTimes& Kernel::times() const { return impl_->times; }
const std::string& Kernel::llvm_ir() const { return impl_->code->llvm_ir(); }
const std::string& Kernel::assembly() const { return impl_->code->assembly(); }
const std::vector<std::string>& Kernel::surviving_allocas() const {
  return impl_->code->surviving_allocas();
}

}  // namespace tenon
