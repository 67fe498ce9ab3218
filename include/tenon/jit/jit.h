// From a Program or a Schedule to a callable kernel, compiled once and cached.
//
//   tenon::Jit jit;
//   absl::StatusOr<tenon::Kernel> kernel = jit.compile(schedule);
//   tenon::Packed packed = *kernel->pack("w", W);            // once, when the model is loaded
//   absl::Status status = (*kernel)({X, packed, B}, {Out});  // checked, then a plain C call
//
// Jit is the only object with state; two can live in one process, and every method may be called
// from any thread. Kernels are counted: they stay valid after the cache has dropped them and after
// the Jit is gone. No environment variable is read and nothing in the process is shared.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tenon/base/status.h"
#include "tenon/base/stride_class.h"
#include "tenon/jit/explain.h"
#include "tenon/runtime/allocator.h"
#include "tenon/runtime/executor.h"
#include "tenon/runtime/signature.h"
#include "tenon/runtime/view.h"
#include "tenon/schedule/schedule.h"
#include "tenon/target/target.h"

namespace tenon {

struct CacheOptions {
  // Of code, constants and what is kept with them. The least recently used kernel goes first; one
  // that alone is larger is not kept.
  size_t max_bytes = 64 << 20;
};

// The executor and the allocator are the host's; they must live as long as the Jit, its kernels and
// what these have packed.
struct JitOptions {
  Target target = Target::host();  // compile refuses a target that this machine does not run
  Executor* executor = nullptr;    // null: a small pool of the Jit's own, made on first use
  Allocator* allocator = nullptr;  // null: the default allocator
  CacheOptions cache;
  bool contract = true;  // a*b + c may become one fused operation
};

// What differs from compile to compile.
struct CompileOptions {
  // Stride class per parameter name; those not named are dense.
  std::vector<std::pair<std::string, StrideClass>> strides;
  bool keep_text = false;  // for llvm_ir() and assembly()
};

// Milliseconds of one compile.
struct CompileTimes {
  double lower = 0, emit = 0, passes = 0, machine = 0, total = 0;
};

struct WorkspaceSize {
  size_t shared_bytes = 0;
  size_t bytes_per_worker = 0;
  size_t alignment = 64;
  // With the executor's max_workers(); 1 for a kernel without parallel loops.
  size_t total_bytes(int workers) const {
    return shared_bytes + static_cast<size_t>(workers) * bytes_per_worker;
  }
};

struct KernelImpl;
struct FunctionImpl;
struct JitImpl;

class Kernel {
 public:
  Kernel() = default;
  explicit operator bool() const { return impl_ != nullptr; }

  // Inputs, weights and scalars in parameter order, then outputs. Everything is checked; errors
  // name the kernel, the argument, what was expected and what came. Thread-safe.
  absl::Status operator()(absl::Span<const Argument> inputs, absl::Span<const View> outputs) const;
  absl::Status operator()(std::initializer_list<Argument> inputs,
                          std::initializer_list<View> outputs) const {
    return (*this)(absl::MakeConstSpan(inputs.begin(), inputs.size()),
                   absl::MakeConstSpan(outputs.begin(), outputs.size()));
  }

  // With scratch memory of the caller instead of the Jit's: total_bytes() of workspace(), aligned
  // to its alignment. Too little is refused.
  absl::Status operator()(absl::Span<const Argument> inputs, absl::Span<const View> outputs,
                          absl::Span<std::byte> workspace) const;

  // The form in which this kernel wants the weight. Without a layout of its own a weight is passed
  // as a plain view, and pack copies it.
  absl::StatusOr<Packed> pack(std::string_view weight, const View& logical) const;

  // Needs of one call for these size values, by name. Sizes that were specialised need not be
  // given; another one that is missing counts as 0.
  WorkspaceSize workspace(const Sizes& sizes = {}) const;

  // What follows needs a kernel that is not empty.
  const std::string& name() const;
  const Program& program() const;  // as scheduled
  Program lowered() const;         // made again on request
  const Signature& signature() const;
  tenon_kernel entry() const;  // the raw function, see runtime/abi.h
  size_t code_bytes() const;
  const CompileTimes& times() const;
  const std::string& llvm_ir() const;  // empty unless keep_text
  const std::string& assembly() const;
  // Local arrays that live in memory instead of registers, by name.
  const std::vector<std::string>& surviving_allocas() const;
  // All of this in a page, with what the loops say about speed. Compiles once more.
  absl::StatusOr<Explanation> explain() const;

 private:
  friend class Jit;
  explicit Kernel(std::shared_ptr<const KernelImpl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const KernelImpl> impl_;
};

// How to schedule a Program once the sizes are known: `Sizes` are those that are specialised. May
// run on several threads at once, for different sizes.
using ScheduleFunction = std::function<void(Schedule&, const Sizes&)>;

// A Program with its schedule, to be called with many shapes. A counted handle; configure it before
// the first call.
class Function {
 public:
  Function() = default;
  // This size stays a run-time value: no compile per value of it. A mistake is reported by the
  // first use.
  Function& keep_symbolic(const Var& size);
  const Program& program() const;

 private:
  friend class Jit;
  friend Function function(Program program, ScheduleFunction schedule);
  std::shared_ptr<FunctionImpl> impl_;
};
// Without a schedule the naive loops are compiled as they stand.
Function function(Program program, ScheduleFunction schedule = nullptr);

struct JitStats {
  int64_t hits = 0;      // served from the cache, finished or being compiled
  int64_t misses = 0;    // had to compile
  int64_t compiles = 0;  // finished, with success
  int64_t failures = 0;
  int64_t evictions = 0;
  int64_t kernels = 0;    // in the cache now
  int64_t bytes = 0;      // charged to the cache now
  double compile_ms = 0;  // in all
};
std::ostream& operator<<(std::ostream& out, const JitStats& stats);

class Jit {
 public:
  explicit Jit(JitOptions options = {});
  ~Jit();
  Jit(Jit&&) noexcept;  // what is moved from refuses everything
  Jit& operator=(Jit&&) noexcept;

  const Target& target() const;

  // One compile per key however many threads ask; failures are not kept. A refused schedule gives
  // its first refusal.
  absl::StatusOr<Kernel> compile(const Schedule& schedule, const CompileOptions& options = {});
  // Unscheduled. `place` is where a refusal points to.
  absl::StatusOr<Kernel> compile(const Program& program, const Sizes& sizes = {},
                                 const CompileOptions& options = {},
                                 std::source_location place = std::source_location::current());

  // Sizes and stride classes are read off the arguments; compiles on a miss, once the arguments
  // are known to fit.
  absl::Status call(const Function& function, absl::Span<const Argument> inputs,
                    absl::Span<const View> outputs);
  absl::Status call(const Function& function, std::initializer_list<Argument> inputs,
                    std::initializer_list<View> outputs) {
    return call(function, absl::MakeConstSpan(inputs.begin(), inputs.size()),
                absl::MakeConstSpan(outputs.begin(), outputs.size()));
  }
  // The kernel that call would use for these sizes (dense arguments); for pack(). Sizes that are
  // kept symbolic need no value.
  absl::StatusOr<Kernel> kernel(const Function& function, const Sizes& sizes);
  // Compiles for all of these, in parallel, before traffic.
  absl::Status warm(const Function& function, const std::vector<Sizes>& sizes);

  JitStats stats() const;
  void clear();  // drops every cached kernel; those in use live on

 private:
  std::unique_ptr<JitImpl> impl_;
};

}  // namespace tenon
