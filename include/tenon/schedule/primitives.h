// The primitives of a schedule: pure functions from a Program to a Program.
//
//   absl::StatusOr<SplitResult> r = primitives::split(program, i, 12);
//   r->program, r->outer, r->inner
//
// Each one finds its place, requires that the step is legal, and rewrites; its file in lib/schedule
// starts with the text before and after, and with the obligation. Loops and buffers are identities
// that survive rewrites which keep what they name. The Schedule class puts these functions in a row
// and remembers what they did.
#pragma once

#include <cstdint>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon::primitives {

struct SplitResult {
  Program program;
  Var outer, inner;
};
absl::StatusOr<SplitResult> split(const Program& program, const Var& loop, int64_t factor);

struct FuseResult {
  Program program;
  Var fused;
};
absl::StatusOr<FuseResult> fuse(const Program& program, const Var& outer, const Var& inner);

absl::StatusOr<Program> reorder(const Program& program, const std::vector<Var>& order);

// Two loops in place of one: of a cut, or of a fission.
struct TwoLoops {
  Program program;
  Var first, second;
};
absl::StatusOr<TwoLoops> cut(const Program& program, const Var& loop, const Expr& at);
absl::StatusOr<TwoLoops> fission(const Program& program, const Var& loop, int statements);

constexpr int64_t kMaxUnrolledCopies = 1024;
absl::StatusOr<Program> unroll(const Program& program, const Var& loop);
absl::StatusOr<Program> vectorize(const Program& program, const Var& loop);
absl::StatusOr<Program> parallelize(const Program& program, const Var& loop);

struct ComputeAtResult {
  Program program;
  std::vector<Var> loops;  // the producer's, outermost first, without reduction loops
};
absl::StatusOr<ComputeAtResult> compute_at(const Program& program, const Buffer& stage,
                                           const Var& at);

struct InlineResult {
  Program program;
  std::vector<Var> removed;  // loops that held nothing but the stage
};
absl::StatusOr<InlineResult> inline_into(const Program& program, const Buffer& stage);

// Element [vars] moves to [map], expressions over vars.
absl::StatusOr<Program> set_layout(const Program& program, const Buffer& buffer,
                                   const std::vector<Var>& vars, const std::vector<Expr>& map);

// The buffer that is declared in the loop's body gets a part for each iteration.
absl::StatusOr<Program> expand(const Program& program, const Buffer& stage, const Var& loop);
absl::StatusOr<Program> pad(const Program& program, const Buffer& stage, int dim, int64_t multiple);

// The stage takes over the memory of the old one.
absl::StatusOr<Program> store_over(const Program& program, const Buffer& stage, const Buffer& old);

// The stage's element [vars] lives in the output's element [map], expressions over vars.
absl::StatusOr<Program> store_in(const Program& program, const Buffer& stage, const Buffer& output,
                                 const std::vector<Var>& vars, const std::vector<Expr>& map);

// Partial results of a reduction, one per iteration of the loop.
struct RfactorResult {
  Program program;
  Buffer partial;
  // The loops that initialise the partial results and that fold them: the loop's first, then one
  // per loop of the nest that the target uses.
  std::vector<Var> init, fold;
};
absl::StatusOr<RfactorResult> rfactor(const Program& program, const Var& loop);

struct CopyOutResult {
  Program program;
  Buffer local;
  std::vector<Var> loops;  // of the copy, one per dimension: the loops that computed the output
};
absl::StatusOr<CopyOutResult> copy_out(const Program& program, const Buffer& output);

}  // namespace tenon::primitives
