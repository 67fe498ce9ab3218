#include "tenon/jit/jit.h"

#include <algorithm>
#include <ostream>

#include "jit/function.h"
#include "jit/kernel_cache.h"
#include "tenon/base/macros.h"

namespace tenon {

struct JitImpl {
  explicit JitImpl(const JitOptions& given)
      : options(given), core(JitCore::create(given)), cache(given.cache.max_bytes) {}

  JitOptions options;
  absl::StatusOr<std::shared_ptr<JitCore>> core;  // an unusable target is reported by compile
  KernelCache cache;
};

namespace {

absl::StatusOr<KernelPtr> compile_cached(JitImpl& jit, const Program& scheduled,
                                         std::vector<StrideClass> strides, bool keep_text) {
  if (!jit.core.ok()) return jit.core.status();
  const KernelKey key = make_key(scheduled, std::move(strides), keep_text);
  return jit.cache.get(key, [&] {
    return (*jit.core)->compile(*jit.core, key.program, key.strides, key.keep_text);
  });
}

absl::StatusOr<std::vector<StrideClass>> classes_of(const Program& program,
                                                    const CompileOptions& options) {
  std::vector<StrideClass> classes(program->params.size(), StrideClass::kDense);
  for (const auto& [name, c] : options.strides) {
    const Param* param = find_param(program, name);
    if (!param || !param->buffer) {
      return refuse("program " + program.name() + " has no tensor parameter named " + name);
    }
    classes[static_cast<size_t>(param - program->params.data())] = c;
  }
  return classes;
}

// The schedule of a Function for these sizes.
absl::StatusOr<Program> scheduled_for(const FunctionImpl& function, const Sizes& values) {
  std::vector<std::pair<Var, int64_t>> constant;
  for (const auto& [size, value] : values.values()) {
    if (!function.is_symbolic(size)) constant.emplace_back(size, value);
  }
  const Sizes sizes(std::move(constant));
  Schedule schedule(function.program, sizes);
  TENON_RETURN_IF_ERROR(schedule.status());
  if (function.schedule) function.schedule(schedule, sizes);
  TENON_RETURN_IF_ERROR(schedule.status());
  return schedule.program();
}

// One call of a Function in the form that the cache knows: values of the sizes that are specialised,
// then the stride class of every argument.
class CallShape {
 public:
  CallShape(const FunctionImpl& function, absl::Span<const Argument> inputs,
            absl::Span<const View> outputs)
      : function_(function), inputs_(inputs), outputs_(outputs) {}

  // False when the arguments do not even have the dimensions that sizes are read from.
  bool read() {
    if (inputs_.size() != function_.inputs || outputs_.size() != function_.outputs) return false;
    for (size_t s = 0; s < function_.sources.size(); ++s) {
      const FunctionImpl::Source& source = function_.sources[s];
      const View* view = argument(static_cast<size_t>(source.argument));
      if (!view || source.dim >= view->rank()) return false;
      sizes_[s] = view->size(source.dim);
      if (!function_.is_symbolic(function_.program->sizes[s])) push(sizes_[s]);
    }
    for (size_t a = 0; a < inputs_.size() + outputs_.size(); ++a) {
      const View* view = argument(a);
      push(view ? static_cast<int64_t>(stride_class(*view)) : 0);
    }
    return true;
  }

  CallValues values() const { return CallValues(values_, count_); }

  Sizes sizes() const {
    std::vector<std::pair<Var, int64_t>> values;
    for (size_t s = 0; s < function_.sources.size(); ++s) {
      values.emplace_back(function_.program->sizes[s], sizes_[s]);
    }
    return Sizes(std::move(values));
  }

  // By parameter: inputs and outputs may be interleaved there.
  std::vector<StrideClass> classes() const {
    std::vector<StrideClass> classes;
    size_t input = 0, output = inputs_.size();
    for (const Param& param : function_.program->params) {
      const View* view = argument(param.role == Role::kOutput ? output++ : input++);
      classes.push_back(view ? stride_class(*view) : StrideClass::kDense);
    }
    return classes;
  }

 private:
  // Null for a scalar. A packed weight is dense in its own layout.
  const View* argument(size_t a) const {
    if (a >= inputs_.size()) return &outputs_[a - inputs_.size()];
    return inputs_[a].kind() == Argument::Kind::kScalar ? nullptr : &inputs_[a].view();
  }
  void push(int64_t value) { values_[count_++] = value; }

  const FunctionImpl& function_;
  absl::Span<const Argument> inputs_;
  absl::Span<const View> outputs_;
  int64_t values_[FunctionImpl::kMaxCallValues];
  int64_t sizes_[FunctionImpl::kMaxCallValues];
  size_t count_ = 0;
};

// Why arguments do not fit, said by the check of the unspecialised signature.
absl::Status explain_misfit(const FunctionImpl& function, absl::Span<const Argument> inputs,
                            absl::Span<const View> outputs) {
  BoundCall bound;
  const absl::Status status = check_call(function.signature, inputs, outputs, &bound);
  if (!status.ok()) return status;
  return refuse("function " + function.program.name() + ": the sizes cannot be read off the arguments");
}

}  // namespace

Jit::Jit(JitOptions options) : impl_(std::make_unique<JitImpl>(options)) {}
Jit::~Jit() = default;
Jit::Jit(Jit&&) noexcept = default;
Jit& Jit::operator=(Jit&&) noexcept = default;

const Target& Jit::target() const { return impl_->options.target; }

absl::StatusOr<Kernel> Jit::compile(const Schedule& schedule, const CompileOptions& options) {
  TENON_RETURN_IF_ERROR(schedule.status());
  TENON_ASSIGN_OR_RETURN(std::vector<StrideClass> classes,
                         classes_of(schedule.program(), options));
  TENON_ASSIGN_OR_RETURN(KernelPtr kernel, compile_cached(*impl_, schedule.program(),
                                                          std::move(classes), options.keep_text));
  return Kernel(std::move(kernel));
}

absl::StatusOr<Kernel> Jit::compile(const Program& program, const Sizes& sizes,
                                    const CompileOptions& options) {
  return compile(Schedule(program, sizes), options);
}

absl::Status Jit::call(const Function& function, absl::Span<const Argument> inputs,
                       absl::Span<const View> outputs) {
  const FunctionImpl& impl = *function.impl_;
  if (!impl.status.ok()) return impl.status;
  CallShape shape(impl, inputs, outputs);
  if (!shape.read()) return explain_misfit(impl, inputs, outputs);
  if (KernelPtr kernel = impl_->cache.find_call(&impl, shape.values())) {
    return Kernel(std::move(kernel))(inputs, outputs);
  }
  TENON_ASSIGN_OR_RETURN(const Program scheduled, scheduled_for(impl, shape.sizes()));
  TENON_ASSIGN_OR_RETURN(const KernelPtr kernel,
                         compile_cached(*impl_, scheduled, shape.classes(), false));
  impl_->cache.remember_call(function.impl_, shape.values(), kernel);
  return Kernel(kernel)(inputs, outputs);
}

absl::StatusOr<Kernel> Jit::kernel(const Function& function, const Sizes& sizes) {
  const FunctionImpl& impl = *function.impl_;
  TENON_RETURN_IF_ERROR(impl.status);
  TENON_ASSIGN_OR_RETURN(const Program scheduled, scheduled_for(impl, sizes));
  TENON_ASSIGN_OR_RETURN(
      KernelPtr kernel,
      compile_cached(*impl_, scheduled,
                     std::vector<StrideClass>(scheduled->params.size(), StrideClass::kDense),
                     false));
  return Kernel(std::move(kernel));
}

absl::Status Jit::warm(const Function& function, const std::vector<Sizes>& sizes) {
  if (!impl_->core.ok()) return impl_->core.status();
  struct Work {
    Jit* jit;
    const Function* function;
    const std::vector<Sizes>* sizes;
    std::vector<absl::Status> results;
  } work{this, &function, &sizes, std::vector<absl::Status>(sizes.size())};
  const tenon_task compile_some = [](void* context, int64_t begin, int64_t end, int32_t) {
    Work& w = *static_cast<Work*>(context);
    for (int64_t i = begin; i < end; ++i) {
      const size_t at = static_cast<size_t>(i);
      w.results[at] = w.jit->kernel(*w.function, (*w.sizes)[at]).status();
    }
  };
  (*impl_->core)->executor().parallel_for(static_cast<int64_t>(sizes.size()), 1, compile_some,
                                          &work);
  for (const absl::Status& status : work.results) TENON_RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

JitStats Jit::stats() const { return impl_->cache.stats(); }
void Jit::clear() { impl_->cache.clear(); }

std::ostream& operator<<(std::ostream& out, const JitStats& s) {
  return out << s.hits << " hits, " << s.misses << " misses, " << s.compiles << " compiles in "
             << s.compile_ms << " ms, " << s.failures << " failures, " << s.kernels
             << " kernels of " << s.bytes << " bytes, " << s.evictions << " evictions";
}

}  // namespace tenon
