#include "tenon/jit/jit.h"

#include <algorithm>
#include <map>
#include <ostream>

#include "jit/call_shape.h"
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

absl::Status moved_from() {
  return absl::FailedPreconditionError("a tenon::Jit that was moved from is used");
}

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
  std::map<std::string, StrideClass> seen;
  for (const auto& [name, c] : options.strides) {
    if (seen.emplace(name, c).first->second != c) {
      return refuse("the options give parameter " + name + " of program " + program.name() +
                    " two classes of strides");
    }
    const Param* param = find_param(program, name);
    if (!param || !param->buffer) {
      return refuse("program " + program.name() + " has no tensor parameter named " + name);
    }
    classes[static_cast<size_t>(param - program->params.data())] = c;
  }
  return classes;
}

// Steps keep the parameters and their shapes; another Program or other sizes do not.
bool same_parameters(const Program& a, const Program& b) {
  const auto same = [](const Param& x, const Param& y) {
    const std::vector<Expr>& p = x.packing ? x.packing->logical_shape : x.shape;
    const std::vector<Expr>& q = y.packing ? y.packing->logical_shape : y.shape;
    return x.role == y.role && x.buffer == y.buffer && x.scalar == y.scalar &&
           std::equal(p.begin(), p.end(), q.begin(), q.end(),
                      [](const Expr& e, const Expr& f) { return equal(e, f); });
  };
  return std::equal(a->params.begin(), a->params.end(), b->params.begin(), b->params.end(), same);
}

absl::StatusOr<Program> scheduled_for(const FunctionImpl& function, const Sizes& sizes) {
  // The user wrote no Schedule, so there is no place to point to.
  Schedule schedule(function.program, sizes, std::source_location());
  TENON_RETURN_IF_ERROR(schedule.status());
  const Program before = schedule.program();
  if (function.schedule) function.schedule(schedule, sizes);
  TENON_RETURN_IF_ERROR(schedule.status());
  if (!same_parameters(before, schedule.program())) {
    return refuse("the schedule of function " + function.program.name() +
                  " was replaced by one of another program or of other sizes");
  }
  return schedule.program();
}

absl::StatusOr<KernelPtr> compile_call(JitImpl& jit, const FunctionImpl& function,
                                       const CallShape& shape) {
  TENON_ASSIGN_OR_RETURN(const Program scheduled, scheduled_for(function, shape.constants()));
  TENON_ASSIGN_OR_RETURN(KernelPtr kernel, compile_cached(jit, scheduled, shape.classes(), false));
  jit.cache.remember_call(shape.key(), kernel);
  return kernel;
}

// Of a Function handle that a user passes, and of the Jit that it is passed to.
absl::Status check_handles(const JitImpl* jit, const FunctionImpl* function) {
  if (!jit) return moved_from();
  if (!function) return absl::FailedPreconditionError("an empty tenon::Function is used");
  return function->status;
}

}  // namespace

Jit::Jit(JitOptions options) : impl_(std::make_unique<JitImpl>(options)) {}
Jit::~Jit() = default;
Jit::Jit(Jit&&) noexcept = default;
Jit& Jit::operator=(Jit&&) noexcept = default;

const Target& Jit::target() const {
  static const Target none;
  return impl_ ? impl_->options.target : none;
}

absl::StatusOr<Kernel> Jit::compile(const Schedule& schedule, const CompileOptions& options) {
  if (!impl_) return moved_from();
  TENON_RETURN_IF_ERROR(schedule.status());
  TENON_ASSIGN_OR_RETURN(std::vector<StrideClass> classes, classes_of(schedule.program(), options));
  TENON_ASSIGN_OR_RETURN(KernelPtr kernel, compile_cached(*impl_, schedule.program(),
                                                          std::move(classes), options.keep_text));
  return Kernel(std::move(kernel));
}

absl::StatusOr<Kernel> Jit::compile(const Program& program, const Sizes& sizes,
                                    const CompileOptions& options, std::source_location place) {
  return compile(Schedule(program, sizes, place), options);
}

absl::Status Jit::call(const Function& function, absl::Span<const Argument> inputs,
                       absl::Span<const View> outputs) {
  TENON_RETURN_IF_ERROR(check_handles(impl_.get(), function.impl_.get()));
  const FunctionImpl& impl = *function.impl_;
  TENON_RETURN_IF_ERROR(impl.readable);
  CallShape shape(impl);
  if (!shape.read(inputs, outputs)) return shape.explain(inputs, outputs);
  if (KernelPtr kernel = impl_->cache.find_call(shape.key())) {
    return Kernel(std::move(kernel))(inputs, outputs);
  }
  TENON_RETURN_IF_ERROR(shape.check(inputs, outputs));
  TENON_ASSIGN_OR_RETURN(KernelPtr kernel, compile_call(*impl_, impl, shape));
  return Kernel(std::move(kernel))(inputs, outputs);
}

absl::StatusOr<Kernel> Jit::kernel(const Function& function, const Sizes& sizes) {
  TENON_RETURN_IF_ERROR(check_handles(impl_.get(), function.impl_.get()));
  CallShape shape(*function.impl_);
  TENON_RETURN_IF_ERROR(shape.take(sizes));
  if (KernelPtr kernel = impl_->cache.find_call(shape.key())) return Kernel(std::move(kernel));
  TENON_ASSIGN_OR_RETURN(KernelPtr kernel, compile_call(*impl_, *function.impl_, shape));
  return Kernel(std::move(kernel));
}

absl::Status Jit::warm(const Function& function, const std::vector<Sizes>& sizes) {
  if (!impl_) return moved_from();
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
  (*impl_->core)
      ->executor()
      .parallel_for(static_cast<int64_t>(sizes.size()), 1, compile_some, &work);
  for (const absl::Status& status : work.results) TENON_RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

JitStats Jit::stats() const { return impl_ ? impl_->cache.stats() : JitStats{}; }
void Jit::clear() {
  if (impl_) impl_->cache.clear();
}

std::ostream& operator<<(std::ostream& out, const JitStats& s) {
  return out << s.hits << " hits, " << s.misses << " misses, " << s.compiles << " compiles in "
             << s.compile_ms << " ms, " << s.failures << " failures, " << s.kernels
             << " kernels of " << s.bytes << " bytes, " << s.evictions << " evictions";
}

}  // namespace tenon
