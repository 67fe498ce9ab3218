#include "support/native.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>

#include "support/guard_buffer.h"
#include "tenon/base/macros.h"
#include "tenon/ir/visit.h"
#include "tenon/lower/lower.h"
#include "tenon/runtime/math.h"
#include "tenon/runtime/signature.h"

namespace tenon::test {
namespace {

// The value of a size: as given, or the extent of the first dimension that is exactly this size.
absl::StatusOr<int64_t> value_of(const Var& size, const Program& program, const Sizes& sizes,
                                 const std::vector<InterpArgument>& arguments) {
  if (const std::optional<int64_t> given = sizes.find(size)) return *given;
  for (size_t p = 0; p < program->params.size(); ++p) {
    Array* const* array = std::get_if<Array*>(&arguments[p]);
    const std::vector<Expr>& shape = program->params[p].shape;
    if (!array || (*array)->shape().size() != shape.size()) continue;
    for (size_t d = 0; d < shape.size(); ++d) {
      const VarRef* ref = shape[d].as<VarRef>();
      if (ref && ref->var == size) return (*array)->shape()[d];
    }
  }
  return absl::InvalidArgumentError("size " + size.name() + " has no value");
}

absl::StatusOr<Sizes> bind_sizes(const Program& program, const Sizes& sizes,
                                 const std::vector<InterpArgument>& arguments) {
  std::vector<std::pair<Var, int64_t>> values;
  for (const Var& size : program->sizes) {
    TENON_ASSIGN_OR_RETURN(const int64_t value, value_of(size, program, sizes, arguments));
    values.emplace_back(size, value);
  }
  return Sizes(std::move(values));
}

absl::StatusOr<WorkspaceLayout> layout_of(const Program& program, const Sizes& sizes) {
  const WorkspaceNeed need = workspace_need(program);
  const std::optional<int64_t> shared = evaluate_int(need.shared_bytes, sizes);
  const std::optional<int64_t> worker = evaluate_int(need.bytes_per_worker, sizes);
  if (!shared || !worker) return absl::InternalError("the workspace has no size");
  return workspace_layout(*shared, *worker, WorkspaceNeed::kAlignment);
}

// One call; the arrays are copied into guarded memory and back.
absl::Status call_guarded(const Code& code, const Program& program, const Sizes& sizes,
                          const std::vector<InterpArgument>& arguments, GuardBuffer::Side side) {
  TENON_ASSIGN_OR_RETURN(const Sizes bound, bind_sizes(program, sizes, arguments));
  TENON_ASSIGN_OR_RETURN(const WorkspaceLayout layout, layout_of(program, bound));
  std::vector<GuardBuffer> memory;
  std::vector<void*> buffers;
  std::vector<uint64_t> scalars;
  std::vector<int64_t> size_values;
  for (const auto& [size, value] : bound.values()) size_values.push_back(value);
  for (const InterpArgument& argument : arguments) {
    if (const Expr* value = std::get_if<Expr>(&argument)) {
      scalars.push_back(value->as<Const>()->bits);
      continue;
    }
    const Array& array = *std::get<Array*>(argument);
    memory.emplace_back(array.bytes(), side);
    if (array.bytes() > 0) std::memcpy(memory.back().data(), array.data(), array.bytes());
    buffers.push_back(memory.back().data());
  }
  ShufflingExecutor executor;
  // Multiples of 128 bytes: the end is at the guard page, the start is aligned.
  const auto total = static_cast<size_t>(layout.total_bytes(executor.max_workers()));
  const GuardBuffer workspace(total);
  if (total > 0) std::memset(workspace.data(), 0xff, total);
  executor.set_workspace(workspace.data(), layout);
  const tenon_executor table = executor_table(executor);
  tenon_fault fault{-1, 0, 0};
  std::vector<tenon_extern_slot> externs;
  for (const ExternFunction& one : externs_of(program->body)) {
    externs.push_back({one.function, one.user});
  }
  const tenon_call call{buffers.data(), size_values.data(), scalars.data(), workspace.data(),
                        &table,         &default_math(),    &fault,         externs.data()};
  code.entry()(&call);

  size_t next = 0;
  for (const InterpArgument& argument : arguments) {
    Array* const* array = std::get_if<Array*>(&argument);
    if (!array) continue;
    const GuardBuffer& from = memory[next++];
    if (from.bytes() > 0) std::memcpy((*array)->data(), from.data(), from.bytes());
  }
  if (fault.site < 0) return absl::OkStatus();
  if (code.checks()[static_cast<size_t>(fault.site)].starts_with(kExternSite)) {
    return absl::AbortedError(code.checks()[static_cast<size_t>(fault.site)] + " returned " +
                              std::to_string(fault.index));
  }
  return absl::OutOfRangeError(code.checks()[static_cast<size_t>(fault.site)] + " is " +
                               std::to_string(fault.index) + ", outside of [0, " +
                               std::to_string(fault.bound) + ")");
}

// Copies of the arrays of a list of arguments.
class ArgumentCopy {
 public:
  explicit ArgumentCopy(const std::vector<InterpArgument>& arguments) : arguments_(arguments) {
    arrays_.reserve(arguments.size());
    for (InterpArgument& argument : arguments_) {
      if (Array** array = std::get_if<Array*>(&argument)) {
        arrays_.push_back(**array);
        *array = &arrays_.back();
      }
    }
  }
  const std::vector<InterpArgument>& arguments() const { return arguments_; }

 private:
  std::vector<InterpArgument> arguments_;
  std::vector<Array> arrays_;
};

std::string compare(const Program& program, const std::vector<InterpArgument>& expected,
                    const std::vector<InterpArgument>& got) {
  for (size_t p = 0; p < expected.size(); ++p) {
    Array* const* array = std::get_if<Array*>(&expected[p]);
    if (!array || same_values(**array, *std::get<Array*>(got[p]))) continue;
    return program->params[p].name() + first_difference(**array, *std::get<Array*>(got[p]));
  }
  return "";
}

}  // namespace

void ShufflingExecutor::parallel_for(int64_t count, int64_t /*grain*/, tenon_task task,
                                     void* context) {
  std::vector<std::pair<int64_t, int64_t>> chunks;
  for (int64_t begin = 0; begin < count;) {
    const int64_t end = std::min<int64_t>(count, begin + 1 + random_() % 4);
    chunks.emplace_back(begin, end);
    begin = end;
  }
  std::shuffle(chunks.begin(), chunks.end(), random_);
  for (const auto& [begin, end] : chunks) {
    const auto worker = static_cast<int32_t>(random_() % static_cast<uint32_t>(workers_));
    if (layout_.bytes_per_worker > 0) {
      std::memset(base_ + layout_.shared_bytes + worker * layout_.bytes_per_worker, 0xff,
                  static_cast<size_t>(layout_.bytes_per_worker));
    }
    task(context, begin, end, worker);
  }
}

const std::vector<Target>& native_targets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> supported;
    for (const char* name : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
      const Target target = *Target::parse(name);
      if (runs_on_host(target)) {
        supported.push_back(target);
      } else {
        std::fprintf(stderr, "skipped: this machine does not run %s\n", name);
      }
    }
    if (!(Target::host() == supported.back())) supported.push_back(Target::host());
    return supported;
  }();
  return targets;
}

CodeEngine& engine_for(const Target& target) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<CodeEngine>> engines;
  const std::lock_guard lock(mutex);
  std::unique_ptr<CodeEngine>& engine = engines[target.to_string()];
  if (!engine) engine = *CodeEngine::create(target);
  return *engine;
}

absl::Status run_code(const Code& code, const Program& lowered, const Sizes& sizes,
                      const std::vector<InterpArgument>& arguments) {
  const ArgumentCopy again(arguments);
  const absl::Status first = call_guarded(code, lowered, sizes, arguments, GuardBuffer::kBack);
  const absl::Status second =
      call_guarded(code, lowered, sizes, again.arguments(), GuardBuffer::kFront);
  if (!first.ok() || !second.ok()) return first.ok() ? second : first;
  const std::string difference = compare(lowered, arguments, again.arguments());
  if (difference.empty()) return first;
  return absl::InternalError("two runs differ: " + difference);
}

absl::Status run_native(const Program& lowered, const Target& target, const Sizes& sizes,
                        const std::vector<InterpArgument>& arguments,
                        const CodegenOptions& options) {
  TENON_ASSIGN_OR_RETURN(const std::unique_ptr<Code> code,
                         engine_for(target).compile(lowered, options));
  return run_code(*code, lowered, sizes, arguments);
}

std::string native_difference(const Program& lowered, const Sizes& sizes,
                              const std::vector<InterpArgument>& arguments) {
  const ArgumentCopy expected(arguments);
  const absl::Status reference = interpret(lowered, sizes, expected.arguments());
  if (!reference.ok()) return "interpreter: " + std::string(reference.message());
  for (const Target& target : native_targets()) {
    const ArgumentCopy got(arguments);
    const absl::Status status = run_native(lowered, target, sizes, got.arguments());
    if (!status.ok()) return target.to_string() + ": " + std::string(status.message());
    const std::string difference = compare(lowered, expected.arguments(), got.arguments());
    if (!difference.empty()) return target.to_string() + ": " + difference;
  }
  return "";
}

}  // namespace tenon::test
