#include "tenon/lower/lower.h"

namespace tenon {
namespace {

// Strides are not told apart from other sizes, but a name may be taken.
std::string unused_name(const std::string& wanted, const ProgramData& program) {
  const auto taken = [&](const std::string& name) {
    for (const Var& size : program.sizes) {
      if (size.name() == name) return true;
    }
    for (const Param& param : program.params) {
      if (param.name() == name) return true;
    }
    return false;
  };
  std::string name = wanted;
  while (taken(name)) name += "_";
  return name;
}

void bind_strides_of(Param& param, StrideClass cls, ProgramData& program) {
  if (!param.buffer || cls == StrideClass::kDense) return;
  param.strides.clear();
  for (size_t d = 0; d < param.shape.size(); ++d) {
    if (cls == StrideClass::kInnerUnit && d + 1 == param.shape.size()) {
      param.strides.push_back(constant_int(i64, 1));
      continue;
    }
    const Var stride(unused_name(param.name() + "_s" + std::to_string(d), program));
    program.sizes.push_back(stride);
    param.strides.push_back(stride);
  }
}

}  // namespace

Program bind_strides(const Program& program, absl::Span<const StrideClass> classes) {
  ProgramData bound = *program;
  for (size_t i = 0; i < bound.params.size() && i < classes.size(); ++i) {
    Param param = bound.params[i];
    bind_strides_of(param, classes[i], bound);
    bound.params[i] = std::move(param);
  }
  return Program(std::move(bound));
}

}  // namespace tenon
