// What a Kernel points to, and what all kernels of a Jit share.
#pragma once

#include <memory>
#include <mutex>

#include "tenon/base/limits.h"
#include "tenon/codegen/codegen.h"
#include "tenon/jit/jit.h"
#include "tenon/runtime/workspace.h"

namespace tenon {

// The Jit's parts that its kernels need when they run; kernels keep it alive.
class JitCore {
 public:
  static absl::StatusOr<std::shared_ptr<JitCore>> create(const JitOptions& options);

  const JitOptions& options() const { return options_; }
  CodeEngine& engine() { return *engine_; }
  WorkspacePool& workspaces() { return workspaces_; }
  Allocator& allocator() const {
    return options_.allocator ? *options_.allocator : default_allocator();
  }
  // The host's executor, or a pool of our own that starts when the first parallel kernel runs.
  Executor& executor();

  // Lower, generate, link: no cache.
  absl::StatusOr<std::shared_ptr<const KernelImpl>> compile(const std::shared_ptr<JitCore>& self,
                                                            const Program& scheduled,
                                                            const std::vector<StrideClass>& strides,
                                                            bool keep_text);

 private:
  JitCore(const JitOptions& options, std::unique_ptr<CodeEngine> engine);

  JitOptions options_;
  std::unique_ptr<CodeEngine> engine_;
  WorkspacePool workspaces_;
  std::once_flag pool_made_;
  std::unique_ptr<ThreadPool> pool_;
};

struct KernelImpl {
  std::shared_ptr<JitCore> core;  // before `code`: outlives it
  Program scheduled;
  std::vector<StrideClass> strides;
  Signature signature;
  bool parallel = false;
  // Bytes of the workspace; programs over the size slots when they are not constant.
  bool constant_workspace = true;
  WorkspaceLayout workspace;
  SizeProgram shared_bytes, bytes_per_worker;
  std::unique_ptr<Code> code;
  std::vector<tenon_extern_slot> externs;  // that the code calls
  CompileTimes times;
  // Of the latest pack(): a model packs many weights of one shape, one after the other.
  struct Packer {
    std::string weight;
    StrideClass strides = StrideClass::kDense;
    std::shared_ptr<const KernelImpl> kernel;
  };
  mutable std::mutex packer_mutex;
  mutable Packer packer;

  // A call whose arguments are checked.
  // In `given` memory, or in that of the Jit.
  absl::Status run(const BoundCall& bound, const absl::Span<std::byte>* given = nullptr) const;
  // With memory for its workspace, and an executor if it is parallel.
  absl::Status enter(const BoundCall& bound, void* memory, const tenon_executor* executor) const;
  bool needs_workspace() const {
    return !constant_workspace || workspace.shared_bytes > 0 || workspace.bytes_per_worker > 0;
  }
  WorkspaceLayout layout_for(const BoundCall& bound) const;
  absl::Status take_workspace(const BoundCall& bound, int workers, Workspace& scratch) const;
  WorkspaceLayout workspace_for(absl::Span<const int64_t> size_slots) const;
  // The kernel that packs this weight from a view with strides of this class.
  absl::StatusOr<std::shared_ptr<const KernelImpl>> packer_for(const Param& weight,
                                                               StrideClass logical_strides) const;
  // What the cache charges for this kernel: mapped code, and the Program that is its key.
  size_t cost() const;
};

}  // namespace tenon
