#include "jit/function.h"

#include <algorithm>

#include "jit/make_signature.h"
#include "tenon/base/macros.h"
#include "tenon/lower/lower.h"

namespace tenon {
namespace {

using Source = FunctionImpl::Source;

Source source_among(const std::vector<const Param*>& arguments, bool weights, const Var& size) {
  for (size_t a = 0; a < arguments.size(); ++a) {
    if ((arguments[a]->role == Role::kWeight) != weights) continue;
    for (size_t d = 0; d < arguments[a]->shape.size(); ++d) {
      const VarRef* ref = arguments[a]->shape[d].as<VarRef>();
      if (ref && ref->var == size) return {static_cast<int>(a), static_cast<int>(d)};
    }
  }
  return {};
}

// Weights come last: one that arrives packed does not show its logical shape.
Source find_source(const std::vector<const Param*>& arguments, const Var& size) {
  const Source source = source_among(arguments, false, size);
  return source.argument >= 0 ? source : source_among(arguments, true, size);
}

// Checks the Program and makes the signature.
absl::Status prepare(FunctionImpl& impl) {
  TENON_RETURN_IF_ERROR(verify(impl.program));
  const std::vector<StrideClass> any(impl.program->params.size(), StrideClass::kGeneral);
  TENON_ASSIGN_OR_RETURN(impl.signature,
                         make_signature(impl.program, bind_strides(impl.program, any), {}));
  TENON_RETURN_IF_ERROR(finalize(impl.signature));
  if (impl.sources.size() + impl.inputs + impl.outputs > FunctionImpl::kMaxCallValues) {
    return refuse("function " + impl.program.name() + " has too many sizes and arguments");
  }
  return absl::OkStatus();
}

}  // namespace

bool FunctionImpl::is_symbolic(const Var& size) const {
  return std::find(symbolic.begin(), symbolic.end(), size) != symbolic.end();
}

Function function(Program program, ScheduleFunction schedule) {
  Function f;
  f.impl_ = std::make_shared<FunctionImpl>();
  FunctionImpl& impl = *f.impl_;
  impl.program = std::move(program);
  impl.schedule = std::move(schedule);
  std::vector<const Param*> arguments;
  for (const Param& param : impl.program->params) {
    if (param.role != Role::kOutput) arguments.push_back(&param);
  }
  impl.inputs = arguments.size();
  for (const Param& param : impl.program->params) {
    if (param.role == Role::kOutput) arguments.push_back(&param);
  }
  impl.outputs = arguments.size() - impl.inputs;
  for (const Var& size : impl.program->sizes) {
    impl.sources.push_back(find_source(arguments, size));
  }
  impl.status = prepare(impl);
  return f;
}

Function& Function::keep_symbolic(const Var& size) {
  if (!impl_->is_symbolic(size)) impl_->symbolic.push_back(size);
  return *this;
}

const Program& Function::program() const { return impl_->program; }

}  // namespace tenon
