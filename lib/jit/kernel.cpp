#include <algorithm>

#include "jit/kernel_impl.h"
#include "tenon/base/macros.h"
#include "tenon/ir/packing.h"
#include "tenon/lower/lower.h"
#include "tenon/runtime/math.h"

namespace tenon {
namespace {

size_t bytes_of(const Param& param, const std::vector<int64_t>& shape) {
  size_t bytes = static_cast<size_t>(param.buffer.type().bytes());
  for (int64_t n : shape) bytes *= static_cast<size_t>(n);
  return bytes;
}

// More than any process can have: sizes of a call may ask for it, and no allocator is.
constexpr int64_t kMostMemory = int64_t{1} << 47;

// A packed weight is read by whole vectors: none of them crosses a cache line.
constexpr size_t kPackedAlignment = 64;

std::shared_ptr<void> allocate_packed(Allocator& allocator, size_t bytes) {
  const size_t size = std::max<size_t>(bytes, 1);
  void* memory = allocator.allocate(size, kPackedAlignment);
  if (!memory) return nullptr;
  return std::shared_ptr<void>(
      memory, [&allocator, size](void* p) { allocator.release(p, size, kPackedAlignment); });
}

// The sizes that a view's shape shows: those that are a whole dimension of the parameter. All zero
// for a shape that is wrong, which the check of the call says in words.
std::vector<int64_t> sizes_from(const Signature& signature, const ParamSignature& param,
                                const View& view) {
  std::vector<int64_t> sizes(static_cast<size_t>(signature.size_slots), 0);
  if (view.rank() != static_cast<int>(param.shape.size())) return sizes;
  for (int d = 0; d < view.rank(); ++d) {
    if (view.size(d) < 0) return sizes;
  }
  for (size_t d = 0; d < param.shape.size(); ++d) {
    const std::vector<SizeProgram::Instruction>& code = param.shape[d].code;
    if (code.size() != 1 || code[0].op != SizeProgram::Op::kSize) continue;
    sizes[static_cast<size_t>(code[0].value)] = view.size(static_cast<int>(d));
  }
  return sizes;
}

}  // namespace

absl::Status KernelImpl::run(const BoundCall& bound) const {
  tenon_fault fault{-1, 0, 0};
  tenon_call call{};
  call.buffers = bound.buffers;
  call.sizes = bound.sizes;
  call.scalars = bound.scalars;
  call.math = &default_math();
  call.fault = &fault;
  tenon_executor executor{};
  int workers = 1;
  if (parallel) {
    Executor& host = core->executor();
    executor = executor_table(host);
    call.executor = &executor;
    workers = host.max_workers();
  }
  Workspace scratch;
  TENON_RETURN_IF_ERROR(take_workspace(bound, workers, scratch));
  call.workspace = scratch.data();
  code->entry()(&call);
  return fault_status(signature, fault);
}

absl::Status KernelImpl::take_workspace(const BoundCall& bound, int workers,
                                        Workspace& scratch) const {
  const size_t slots = static_cast<size_t>(signature.size_slots);
  const WorkspaceLayout layout =
      constant_workspace ? workspace : workspace_for(absl::MakeConstSpan(bound.sizes, slots));
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
  return code->bytes() + code->llvm_ir().size() + code->assembly().size() + kRecords;
}

absl::Status Kernel::operator()(absl::Span<const Argument> inputs,
                                absl::Span<const View> outputs) const {
  if (!impl_) return absl::FailedPreconditionError("an empty tenon::Kernel is called");
  BoundCall bound;
  TENON_RETURN_IF_ERROR(check_call(impl_->signature, inputs, outputs, &bound));
  return impl_->run(bound);
}

absl::StatusOr<Packed> Kernel::pack(std::string_view weight, const View& logical) const {
  if (!impl_) return absl::FailedPreconditionError("an empty tenon::Kernel packs");
  const Program& program = impl_->scheduled;
  const Param* param = find_param(program, weight);
  if (!param || param->role != Role::kWeight) {
    std::string known;
    for (const Param& p : program->params) {
      if (p.role == Role::kWeight) known += (known.empty() ? "" : ", ") + p.name();
    }
    return refuse("kernel " + program.name() + " has no weight named " + std::string(weight), {},
                  {known.empty() ? "it has no weights" : "its weights: " + known});
  }
  Param layout = *param;
  if (!layout.packing) {
    // Its layout is the logical one: packing copies.
    Packing same;
    same.logical_shape = param->shape;
    for (size_t d = 0; d < param->shape.size(); ++d) {
      same.vars.emplace_back("i" + std::to_string(d));
      same.map.emplace_back(same.vars.back());
    }
    layout.packing = std::move(same);
  }
  TENON_ASSIGN_OR_RETURN(const std::shared_ptr<const KernelImpl> packer,
                         impl_->core->compile(impl_->core, packing_program(layout),
                                              {stride_class(logical), StrideClass::kDense}, false));

  // The logical shape gives the sizes, and they give the packed shape.
  const std::vector<int64_t> sizes =
      sizes_from(packer->signature, packer->signature.params[0], logical);
  std::vector<int64_t> shape;
  for (const SizeProgram& extent : packer->signature.params[1].shape) {
    shape.push_back(evaluate(extent, sizes));
  }
  Allocator& allocator =
      impl_->core->options().allocator ? *impl_->core->options().allocator : default_allocator();
  const std::shared_ptr<void> memory = allocate_packed(allocator, bytes_of(layout, shape));
  if (!memory) return absl::ResourceExhaustedError("no memory for packed weight " + param->name());
  const View packed(memory.get(), param->buffer.type(), shape);
  TENON_RETURN_IF_ERROR(Kernel(packer)({Argument(logical)}, {packed}));
  return Packed(memory, packed, param->packing ? layout_hash(*param) : 0, logical);
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
