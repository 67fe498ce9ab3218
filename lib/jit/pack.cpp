// Kernel::pack: a weight in the stored form that a schedule chose, made by a small kernel of its
// own.
#include <algorithm>
#include <optional>

#include "jit/kernel_impl.h"
#include "tenon/analysis/bounds.h"
#include "tenon/base/macros.h"
#include "tenon/ir/packing.h"

namespace tenon {
namespace {

// A packed weight is read by whole vectors: none of them crosses a cache line.
constexpr size_t kPackedAlignment = 64;

absl::StatusOr<const Param*> find_weight(const Program& program, std::string_view name) {
  const Param* param = find_param(program, name);
  if (param && param->role == Role::kWeight) return param;
  std::string known;
  for (const Param& p : program->params) {
    if (p.role == Role::kWeight) known += (known.empty() ? "" : ", ") + p.name();
  }
  const std::string weights = known.empty() ? "; it has no weights" : "; its weights are " + known;
  const std::string kernel = "kernel " + program.name();
  if (!param) return refuse(kernel + " has no weight named " + std::string(name) + weights);
  return refuse(kernel + ": " + std::string(name) +
                " is passed as it is; only what was declared with weight(...) is packed" + weights);
}

// Without a layout of its own a weight is stored as it is: packing copies.
Param with_packing(const Param& weight) {
  if (weight.packing) return weight;
  Packing same;
  same.logical_shape = weight.shape;
  for (size_t d = 0; d < weight.shape.size(); ++d) {
    same.vars.emplace_back("i" + std::to_string(d));
    same.map.emplace_back(same.vars.back());
  }
  Param copied = weight;
  copied.packing = std::move(same);
  return copied;
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

// The logical shape gives the sizes, and they give the stored one.
std::vector<int64_t> stored_shape(const Signature& packer, const View& logical) {
  const std::vector<int64_t> sizes = sizes_from(packer, packer.params[0], logical);
  std::vector<int64_t> shape;
  for (const SizeProgram& extent : packer.params[1].shape) shape.push_back(evaluate(extent, sizes));
  return shape;
}

std::shared_ptr<void> allocate(Allocator& allocator, size_t bytes) {
  const size_t size = std::max<size_t>(bytes, 1);
  void* memory = allocator.allocate(size, kPackedAlignment);
  if (!memory) return nullptr;
  return std::shared_ptr<void>(
      memory, [&allocator, size](void* p) { allocator.release(p, size, kPackedAlignment); });
}

}  // namespace

absl::StatusOr<std::shared_ptr<const KernelImpl>> KernelImpl::packer_for(
    const Param& weight, StrideClass logical_strides) const {
  {
    const std::lock_guard lock(packer_mutex);
    if (packer.weight == weight.name() && packer.strides == logical_strides) return packer.kernel;
  }
  TENON_ASSIGN_OR_RETURN(
      const Program program,
      with_checked_bounds(packing_program(with_packing(weight), scheduled->requirements)));
  TENON_ASSIGN_OR_RETURN(
      std::shared_ptr<const KernelImpl> kernel,
      core->compile(core, program, {logical_strides, StrideClass::kDense}, false));
  const std::lock_guard lock(packer_mutex);
  packer = {weight.name(), logical_strides, kernel};
  return kernel;
}

absl::StatusOr<Packed> Kernel::pack(std::string_view weight, const View& logical) const {
  if (!impl_) return absl::FailedPreconditionError("an empty tenon::Kernel packs");
  TENON_ASSIGN_OR_RETURN(const Param* param, find_weight(impl_->scheduled, weight));
  TENON_ASSIGN_OR_RETURN(const std::shared_ptr<const KernelImpl> packer,
                         impl_->packer_for(*param, stride_class(logical)));
  const std::vector<int64_t> shape = stored_shape(packer->signature, logical);
  const std::optional<int64_t> bytes = bytes_of(param->buffer.type(), shape);
  const std::shared_ptr<void> memory =
      bytes ? allocate(impl_->core->allocator(), static_cast<size_t>(*bytes)) : nullptr;
  if (!memory) return absl::ResourceExhaustedError("no memory for packed weight " + param->name());
  const View packed(memory.get(), param->buffer.type(), shape);
  TENON_RETURN_IF_ERROR(Kernel(packer)({Argument(logical)}, {packed}));
  return Packed(memory, packed, param->packing ? layout_hash(*param) : 0, logical);
}

}  // namespace tenon
