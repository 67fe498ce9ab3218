// Runs lowered Programs as machine code, with the arguments of the interpreter, for comparisons.
//
//   Array out(f32, {100});
//   REQUIRE(run_native(lowered, target, {}, {&x, &out}).ok());
//
// Every buffer lies in front of an inaccessible page (and, in a second run, behind one), the
// workspace is filled with NaN, and parallel loops run in shuffled chunks on shuffled workers.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tenon/codegen/codegen.h"
#include "tenon/interp/interp.h"
#include "tenon/runtime/executor.h"
#include "tenon/runtime/workspace.h"
#include "tenon/target/target.h"

namespace tenon::test {

// Chunks of random size in random order on random workers, all on the calling thread. The slice of
// the worker is filled with NaN before each chunk, since nothing may survive there.
class ShufflingExecutor final : public Executor {
 public:
  explicit ShufflingExecutor(int workers = 3, uint32_t seed = 1)
      : workers_(workers), random_(seed) {}
  void set_workspace(std::byte* base, const WorkspaceLayout& layout) {
    base_ = base;
    layout_ = layout;
  }
  int max_workers() const override { return workers_; }
  void parallel_for(int64_t count, int64_t grain, tenon_task task, void* context) override;

 private:
  int workers_;
  std::mt19937 random_;
  std::byte* base_ = nullptr;
  WorkspaceLayout layout_;
};

// x86-64-v2, v3 and v4, as far as this machine runs them, and what this machine has beyond. Says on
// stderr, once, what is left out.
const std::vector<Target>& native_targets();

// One engine per target for the whole test program.
CodeEngine& engine_for(const Target& target);

// Calls finished code. A failed check(...) is an OutOfRange error that says "index i of x is 7,
// outside of [0, 5)".
absl::Status run_code(const Code& code, const Program& lowered, const Sizes& sizes,
                      const std::vector<InterpArgument>& arguments);

// Compiles (without contraction unless told) and calls. The first failing step is the status.
absl::Status run_native(const Program& lowered, const Target& target, const Sizes& sizes,
                        const std::vector<InterpArgument>& arguments,
                        const CodegenOptions& options = {.contract = false});

// Runs the interpreter and the code of every target on copies of the arguments and compares every
// array bit for bit. Empty when they agree; else what differs, and where.
std::string native_difference(const Program& lowered, const Sizes& sizes,
                              const std::vector<InterpArgument>& arguments);

}  // namespace tenon::test
