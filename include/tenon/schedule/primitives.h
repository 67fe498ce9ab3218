// The primitives of a schedule: pure functions from a Program to a Program.
//
//   absl::StatusOr<TwoLoops> r = primitives::split(program, i, 12);
//   r->program, r->first, r->second
//
// Each one finds its place, requires that the step is legal, and rewrites; its file in lib/schedule
// starts with the text before and after, and with the obligation. Loops and buffers are identities
// that survive rewrites which keep what they name. The Schedule class puts these functions in a row
// and remembers what they did.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon::primitives {

// Two loops in place of one: of a split the outer and the inner one, of a cut or a fission one
// after the other.
struct TwoLoops {
  Program program;
  Var first, second;
};
absl::StatusOr<TwoLoops> split(const Program& program, const Var& loop, int64_t factor);
// Refused where a tail would be left.
absl::StatusOr<TwoLoops> split_evenly(const Program& program, const Var& loop, int64_t factor);

// A loop that is new.
struct OneLoop {
  Program program;
  Var loop;
};
absl::StatusOr<OneLoop> fuse(const Program& program, const Var& outer, const Var& inner);

absl::StatusOr<Program> reorder(const Program& program, const std::vector<Var>& order);

absl::StatusOr<TwoLoops> cut(const Program& program, const Var& loop, const Expr& at);
absl::StatusOr<TwoLoops> fission(const Program& program, const Var& loop, int statements);
absl::StatusOr<OneLoop> merge(const Program& program, const Var& first, const Var& second);

// The loop's iterations under other numbers, or in the opposite order; the loop stays the same one.
absl::StatusOr<Program> shift(const Program& program, const Var& loop, const Expr& by);
absl::StatusOr<Program> skew(const Program& program, const Var& inner, const Var& outer,
                             int64_t factor);
absl::StatusOr<Program> reverse(const Program& program, const Var& loop);

// Bounds that do not use the outer loop `over`; without it, none of the loops around.
absl::StatusOr<Program> relax(const Program& program, const Var& loop, const Var& over = {});

// The number of iterations rounded up; those that are new add the identity.
absl::StatusOr<Program> pad_reduction(const Program& program, const Var& loop, int64_t multiple);

// Where the stage lives: kAuto, kRegisters, kStack or kWorkspace.
absl::StatusOr<Program> set_scope(const Program& program, const Buffer& stage, Memory memory);

// Requests for what later iterations of the loop use of a parameter, and stores of an output past
// the caches.
absl::StatusOr<Program> prefetch(const Program& program, const Buffer& param, const Var& loop,
                                 int64_t iterations);
absl::StatusOr<Program> stream(const Program& program, const Buffer& output);

absl::StatusOr<OneLoop> add_unit_loop(const Program& program, const Var& loop);
absl::StatusOr<Program> squash(const Program& program, const Var& loop);

constexpr int64_t kMaxUnrolledCopies = 1024;
absl::StatusOr<Program> unroll(const Program& program, const Var& loop);
absl::StatusOr<Program> vectorize(const Program& program, const Var& loop);
absl::StatusOr<Program> parallelize(const Program& program, const Var& loop);
absl::StatusOr<Program> tensorize(const Program& program, const Var& loop,
                                  const Instruction& instruction);

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

// The stage goes back in front of all loops; it is declared in front of a loop; its elements are
// not computed again by later iterations of the loop, once the nest with the loops `first` ran.
absl::StatusOr<ComputeAtResult> compute_root(const Program& program, const Buffer& stage);
absl::StatusOr<Program> hoist_alloc(const Program& program, const Buffer& stage, const Var& loop);
struct SlideResult {
  Program program;
  std::vector<Var> first;
};
absl::StatusOr<SlideResult> slide(const Program& program, const Buffer& stage, const Var& loop);

// The consumer `stage` goes into its producer, or to where a loop has computed what it reads.
absl::StatusOr<InlineResult> reverse_inline(const Program& program, const Buffer& stage);
absl::StatusOr<ComputeAtResult> reverse_compute_at(const Program& program, const Buffer& stage,
                                                   const Var& at);

// A requirement of the Program; a copy of the body that runs where the condition holds.
absl::StatusOr<Program> assume(const Program& program, const Expr& fact);
struct SpecializeResult {
  Program program;
  std::vector<std::pair<Var, Var>> loops;         // those of the body, those of the copy
  std::vector<std::pair<Buffer, Buffer>> stages;  // likewise its local buffers
};
absl::StatusOr<SpecializeResult> specialize(const Program& program, const Expr& condition);

// Element [vars] moves to [map], expressions over vars.
absl::StatusOr<Program> set_layout(const Program& program, const Buffer& buffer,
                                   const std::vector<Var>& vars, const std::vector<Expr>& map);

// The body of the loop works on a copy of what it uses of the buffer; without a loop, the Program.
struct StageResult {
  Program program;
  Buffer local;
  std::vector<Var> copy_in, copy_out;  // the loops of the copies, one per dimension; none without
};
absl::StatusOr<StageResult> stage(const Program& program, const Buffer& buffer,
                                  const Var& loop = {});

// The buffer that is declared in the loop's body gets a part for each iteration.
absl::StatusOr<Program> expand(const Program& program, const Buffer& stage, const Var& loop);
absl::StatusOr<Program> pad(const Program& program, const Buffer& stage, int dim, int64_t multiple);

constexpr int64_t kMaxAlignment = int64_t{1} << 16;
absl::StatusOr<Program> align_storage(const Program& program, const Buffer& stage, int dim,
                                      int64_t multiple, int64_t offset);
absl::StatusOr<Program> fold_storage(const Program& program, const Buffer& stage, int dim,
                                     int64_t factor);

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

}  // namespace tenon::primitives
