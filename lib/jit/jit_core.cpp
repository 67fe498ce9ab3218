#include <algorithm>
#include <chrono>
#include <thread>

#include "jit/kernel_impl.h"
#include "jit/make_signature.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/lower/lower.h"

namespace tenon {
namespace {

class Stopwatch {
 public:
  // Milliseconds since the last call.
  double lap() {
    const Clock::time_point now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

bool has_parallel_loop(const Program& program) {
  return any_in(program->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    return loop && loop->kind == ForKind::kParallel;
  });
}

absl::Status set_workspace(const Program& lowered, KernelImpl& impl) {
  const WorkspaceNeed need = workspace_need(lowered);
  TENON_ASSIGN_OR_RETURN(impl.shared_bytes, make_size_program(need.shared_bytes, lowered->sizes));
  TENON_ASSIGN_OR_RETURN(impl.bytes_per_worker,
                         make_size_program(need.bytes_per_worker, lowered->sizes));
  const std::optional<int64_t> shared = as_int(need.shared_bytes);
  const std::optional<int64_t> per_worker = as_int(need.bytes_per_worker);
  impl.constant_workspace = shared && per_worker;
  if (impl.constant_workspace) {
    impl.workspace = workspace_layout(*shared, *per_worker, WorkspaceNeed::kAlignment);
  }
  return absl::OkStatus();
}

}  // namespace

JitCore::JitCore(const JitOptions& options, std::unique_ptr<CodeEngine> engine)
    : options_(options), engine_(std::move(engine)), workspaces_(allocator()) {}

absl::StatusOr<std::shared_ptr<JitCore>> JitCore::create(const JitOptions& options) {
  if (!runs_on_host(options.target)) {
    return absl::FailedPreconditionError("this machine does not run code for " +
                                         options.target.to_string() + "; it is " +
                                         Target::host().to_string());
  }
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<CodeEngine> engine, CodeEngine::create(options.target));
  return std::shared_ptr<JitCore>(new JitCore(options, std::move(engine)));
}

Executor& JitCore::executor() {
  if (options_.executor) return *options_.executor;
  std::call_once(pool_made_, [this] {
    const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
    pool_ = std::make_unique<ThreadPool>(static_cast<int>(processors));
  });
  return *pool_;
}

absl::StatusOr<std::shared_ptr<const KernelImpl>> JitCore::compile(
    const std::shared_ptr<JitCore>& self, const Program& scheduled,
    const std::vector<StrideClass>& strides, bool keep_text) {
  Stopwatch total, watch;
  auto impl = std::make_shared<KernelImpl>();
  impl->core = self;
  impl->scheduled = scheduled;
  impl->strides = strides;
  const Program bound = bind_strides(scheduled, strides);
  TENON_ASSIGN_OR_RETURN(const Program lowered, lower(bound, options_.target));
  impl->times.lower = watch.lap();
  for (const ExternFunction& one : externs_of(lowered->body)) {
    if (!one.function) {
      return refuse("extern function " + one.name +
                    " is bound to no function of this process: parse() takes those that a text "
                    "calls");
    }
    impl->externs.push_back({one.function, one.user});
  }
  TENON_ASSIGN_OR_RETURN(impl->code, engine_->compile(lowered, {options_.contract, keep_text}));
  const CodeTimes& code_times = impl->code->times();
  impl->times.emit = code_times.emit;
  impl->times.passes = code_times.passes;
  impl->times.machine = code_times.machine;
  TENON_ASSIGN_OR_RETURN(impl->signature, make_signature(scheduled, bound, impl->code->checks()));
  TENON_RETURN_IF_ERROR(finalize(impl->signature));
  TENON_RETURN_IF_ERROR(set_workspace(lowered, *impl));
  impl->parallel = has_parallel_loop(lowered);
  impl->times.total = total.lap();
  return std::shared_ptr<const KernelImpl>(std::move(impl));
}

}  // namespace tenon
