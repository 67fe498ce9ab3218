#include "tenon/ir/names.h"
#include "tenon/lower/lower.h"

namespace tenon {
namespace {

// Strides are sizes like others, under names that are free.
void bind_strides_of(Param& param, StrideClass cls, ProgramData& program, Names& names) {
  if (!param.buffer || cls == StrideClass::kDense) return;
  param.strides.clear();
  for (size_t d = 0; d < param.shape.size(); ++d) {
    if (cls == StrideClass::kInnerUnit && d + 1 == param.shape.size()) {
      param.strides.push_back(constant_int(i64, 1));
      continue;
    }
    const Var wanted(param.name() + "_s" + std::to_string(d));
    const Var stride(names.of(wanted));
    program.sizes.push_back(stride);
    param.strides.push_back(stride);
  }
}

}  // namespace

Program bind_strides(const Program& program, absl::Span<const StrideClass> classes) {
  ProgramData bound = *program;
  Names names(program);
  for (size_t i = 0; i < bound.params.size() && i < classes.size(); ++i) {
    Param param = bound.params[i];
    bind_strides_of(param, classes[i], bound, names);
    bound.params[i] = std::move(param);
  }
  return Program(std::move(bound));
}

}  // namespace tenon
