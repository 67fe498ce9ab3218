#include "tenon/runtime/signature.h"

#include <algorithm>
#include <optional>

#include "tenon/base/macros.h"

namespace tenon {
namespace {

using Role = ParamSignature::Role;
using Dim = CallPlan::Dim;

absl::Status refuse_kernel(const Signature& s, const std::string& reason) {
  return refuse("kernel " + s.kernel + ": " + reason);
}

absl::Status verify_counts(const Signature& s) {
  constexpr size_t kMost = BoundCall::kInline;
  if (s.params.size() > kMost) {
    return refuse_kernel(s, std::to_string(s.params.size()) + " parameters, and at most " +
                                std::to_string(kMost) + " are possible");
  }
  if (s.size_slots < 0 || static_cast<size_t>(s.size_slots) > kMost) {
    return refuse_kernel(s, std::to_string(s.size_slots) +
                                " sizes and strides are run-time values, and at most " +
                                std::to_string(kMost) + " are possible");
  }
  if (static_cast<size_t>(s.size_slots) < s.sizes.size()) {
    return refuse_kernel(s, std::to_string(s.sizes.size()) + " sizes do not fit " +
                                std::to_string(s.size_slots) + " slots");
  }
  return absl::OkStatus();
}

size_t rank_of(const ParamSignature& p) { return p.stored_shape().size(); }

absl::Status verify_strides(const Signature& s, const ParamSignature& p) {
  if (p.hidden_strides.empty()) return absl::OkStatus();
  if (p.hidden_strides.size() != rank_of(p)) {
    return refuse_kernel(s, "parameter " + p.name + ": one stride slot per dimension is needed");
  }
  for (int slot : p.hidden_strides) {
    const bool is_hidden = slot >= static_cast<int>(s.sizes.size()) && slot < s.size_slots;
    if (slot >= 0 && !is_hidden) {
      return refuse_kernel(
          s, "parameter " + p.name + ": slot " + std::to_string(slot) + " is not one for strides");
    }
  }
  return absl::OkStatus();
}

absl::Status verify_param(const Signature& s, const ParamSignature& p) {
  const std::string parameter = "parameter " + p.name + ": ";
  if (rank_of(p) > kMaxRank) {
    return refuse_kernel(s, parameter + "rank " + std::to_string(rank_of(p)) + ", and at most " +
                                std::to_string(kMaxRank) + " is possible");
  }
  if (p.type.is_vector()) return refuse_kernel(s, parameter + "its elements are vectors");
  if (p.role == Role::kScalar && !p.shape.empty()) {
    return refuse_kernel(s, parameter + "a scalar has no shape");
  }
  if (p.layout != 0 && p.role != Role::kWeight) {
    return refuse_kernel(s, parameter + "only a weight can be packed");
  }
  for (const SizeProgram& size : p.stored_shape()) {
    if (absl::Status ok = verify(size, static_cast<int>(s.sizes.size())); !ok.ok()) {
      return refuse_kernel(s, parameter + std::string(ok.message()));
    }
  }
  return verify_strides(s, p);
}

absl::Status verify_requirements(const Signature& s) {
  for (const Signature::Requirement& r : s.requirements) {
    if (absl::Status ok = verify(r.condition, static_cast<int>(s.sizes.size())); !ok.ok()) {
      return refuse_kernel(s, "requirement " + r.text + ": " + std::string(ok.message()));
    }
  }
  return absl::OkStatus();
}

// Constant expressions become constants, so that a call does not run them.
Dim plan_dim(const SizeProgram& size) {
  bool uses_sizes = false;
  for (const SizeProgram::Instruction& i : size.code) {
    uses_sizes |= i.op == SizeProgram::Op::kSize;
  }
  if (!uses_sizes) return {Dim::Kind::kConstant, evaluate(size, {})};
  if (size.code.size() == 1) return {Dim::Kind::kSize, size.code[0].value};
  return {Dim::Kind::kProgram, 0};
}

void plan_param(const ParamSignature& p, CallPlan& plan) {
  bool hidden = false;
  for (int slot : p.hidden_strides) hidden |= slot >= 0;
  const int32_t position = is_written(p.role) ? plan.outputs++ : plan.inputs++;
  plan.params.push_back({p.role, p.strides, hidden, p.type, p.type.bytes(),
                         static_cast<int32_t>(rank_of(p)), static_cast<int32_t>(plan.dims.size()),
                         position, p.layout});
  for (const SizeProgram& size : p.stored_shape()) {
    plan.dims.push_back(plan_dim(size));
  }
}

bool may_be_plain(const CallPlan& plan) {
  bool any_written = false;
  for (const CallPlan::Param& p : plan.params) {
    if (p.has_hidden_strides || (any_written && !is_written(p.role))) return false;
    any_written |= is_written(p.role);
  }
  return std::none_of(plan.dims.begin(), plan.dims.end(),
                      [](const Dim& d) { return d.kind == Dim::Kind::kProgram; });
}

std::optional<CallPlan::Binding> find_binding(const CallPlan& plan, int64_t size) {
  for (int32_t p = 0; p < static_cast<int32_t>(plan.params.size()); ++p) {
    const CallPlan::Param& param = plan.params[static_cast<size_t>(p)];
    for (int32_t d = 0; d < param.rank; ++d) {
      const Dim& dim = plan.dims[static_cast<size_t>(param.first_dim + d)];
      if (dim.kind == Dim::Kind::kSize && dim.value == size) return CallPlan::Binding{p, d};
    }
  }
  return std::nullopt;
}

absl::Status plan_bindings(const Signature& s, CallPlan& plan) {
  for (size_t i = 0; i < s.sizes.size(); ++i) {
    const auto binding = find_binding(plan, static_cast<int64_t>(i));
    if (!binding) {
      return refuse_kernel(s, "no argument tells size " + s.sizes[i] +
                                  ": it is no dimension by itself; specialise it");
    }
    plan.bindings.push_back(*binding);
  }
  return absl::OkStatus();
}

}  // namespace

size_t Packed::bytes() const {
  return static_cast<size_t>(view_.elements()) * static_cast<size_t>(view_.type().bytes());
}

absl::Status finalize(Signature& signature) {
  signature.plan = CallPlan();
  TENON_RETURN_IF_ERROR(verify_counts(signature));
  for (const ParamSignature& p : signature.params) {
    TENON_RETURN_IF_ERROR(verify_param(signature, p));
  }
  TENON_RETURN_IF_ERROR(verify_requirements(signature));
  CallPlan plan;
  for (const ParamSignature& p : signature.params) plan_param(p, plan);
  TENON_RETURN_IF_ERROR(plan_bindings(signature, plan));
  plan.may_be_plain = may_be_plain(plan);
  plan.ready = true;
  signature.plan = std::move(plan);
  return absl::OkStatus();
}

}  // namespace tenon
