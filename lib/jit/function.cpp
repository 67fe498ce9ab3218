#include "jit/function.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "jit/make_signature.h"
#include "tenon/base/macros.h"

namespace tenon {
namespace {

using Source = FunctionImpl::Source;

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

void number_arguments(FunctionImpl& impl) {
  const std::vector<Param>& params = impl.program->params;
  for (const bool outputs : {false, true}) {
    for (size_t p = 0; p < params.size(); ++p) {
      if (is_written(params[p].role) == outputs) impl.params.push_back(p);
    }
    if (!outputs) impl.inputs = impl.params.size();
  }
}

std::optional<Source> find_source(const FunctionImpl& impl, const Var& size) {
  for (size_t a = 0; a < impl.params.size(); ++a) {
    const std::vector<Expr>& shape = impl.program->params[impl.params[a]].shape;
    for (size_t d = 0; d < shape.size(); ++d) {
      const VarRef* ref = shape[d].as<VarRef>();
      if (ref && ref->var == size) return Source{a, static_cast<int>(d)};
    }
  }
  return std::nullopt;
}

absl::Status check_count(const Program& program) {
  if (program->sizes.size() + program->params.size() <= FunctionImpl::kMaxCallValues) {
    return absl::OkStatus();
  }
  return refuse("function " + program.name() + ": more than " +
                std::to_string(FunctionImpl::kMaxCallValues) + " sizes and parameters");
}

absl::Status find_sources(FunctionImpl& impl) {
  for (const Var& size : impl.program->sizes) {
    const std::optional<Source> source = find_source(impl, size);
    if (!source) {
      return refuse("function " + impl.program.name() + ": no argument tells size " + size.name() +
                    ": it is no dimension by itself; use Jit::kernel, which takes sizes");
    }
    impl.sources.push_back(*source);
  }
  return absl::OkStatus();
}

// Takes arguments of all strides, and has no slots for them: it is only asked what is wrong.
absl::Status make_general_signature(FunctionImpl& impl) {
  TENON_ASSIGN_OR_RETURN(impl.signature, make_signature(impl.program, impl.program, {}));
  for (ParamSignature& param : impl.signature.params) param.strides = StrideClass::kGeneral;
  return finalize(impl.signature);
}

}  // namespace

bool FunctionImpl::is_symbolic(const Var& size) const {
  return std::find(symbolic.begin(), symbolic.end(), size) != symbolic.end();
}

Function function(Program program, ScheduleFunction schedule) {
  Function f;
  f.impl_ = std::make_shared<FunctionImpl>(FunctionImpl{next_id()});
  FunctionImpl& impl = *f.impl_;
  impl.program = std::move(program);
  impl.schedule = std::move(schedule);
  impl.status = impl.program ? verify(impl.program) : refuse("the Program of a Function is null");
  if (impl.status.ok()) impl.status = check_count(impl.program);
  if (!impl.status.ok()) return f;
  number_arguments(impl);
  impl.readable = find_sources(impl);
  if (impl.readable.ok()) impl.readable = make_general_signature(impl);
  return f;
}

Function& Function::keep_symbolic(const Var& size) {
  if (!impl_ || !impl_->status.ok()) return *this;
  const std::vector<Var>& sizes = impl_->program->sizes;
  if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) {
    impl_->status = refuse("function " + impl_->program.name() + ": " +
                           (size ? size.name() : "a null size") + " is not one of its sizes");
  } else if (!impl_->is_symbolic(size)) {
    impl_->symbolic.push_back(size);
  }
  return *this;
}

const Program& Function::program() const {
  static const Program none;
  return impl_ ? impl_->program : none;
}

}  // namespace tenon
