#include "tenon/lower/lower.h"

#include "lower/passes.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"

namespace tenon {
namespace {

constexpr uint32_t kNone = 0;
constexpr uint32_t form(Form f) { return static_cast<uint32_t>(f); }

// The whole of lowering. Loops are rearranged while they are few; then they are unrolled, become
// vectors, and their buffers get places and addresses.
constexpr Form kCut = Form::kVectorsCut;
const Pass kPasses[] = {
    {"cut_vectors", kNone, form(kCut), cut_vectors},
    {"partition_loops", form(kCut), kNone, partition_loops},
    {"trim_loops", form(kCut), kNone, trim_loops},
    {"simplify", kNone, kNone, simplify_program},
    {"drop_dead_guards", kNone, kNone, drop_dead_guards},
    {"unroll_loops", form(kCut), form(Form::kNoUnroll), unroll_loops},
    {"settle_guards", form(Form::kNoUnroll), kNone, settle_guards},
    {"vectorize_loops", kCut | Form::kNoUnroll, form(Form::kExplicitVectors), vectorize_loops},
    {"merge_guards", form(Form::kExplicitVectors), kNone, merge_guards},
    {"place_allocs", form(Form::kExplicitVectors), form(Form::kAllocsPlaced), place_allocs},
    {"flatten_buffers", form(Form::kExplicitVectors), form(Form::kFlat), flatten_buffers},
};

absl::Status check(const Program& program, const Pass& pass, uint32_t forms) {
  absl::Status status = verify(program);
  if (status.ok()) status = verify_form(program, forms);
  if (status.ok()) return status;
  return absl::InternalError("after " + pass.name + ": " + std::string(status.message()));
}

}  // namespace

absl::StatusOr<Program> simplify_program(const Program& program, const Target&) {
  return simplify(program, KeepLoops::kNo);
}

absl::Span<const Pass> passes() { return kPasses; }

absl::StatusOr<Program> lower(const Program& program, const Target& target,
                              const LowerOptions& options) {
  Program current = program;
  uint32_t forms = form(Form::kStridesBound);
  for (const Pass& pass : kPasses) {
    TENON_ASSIGN_OR_RETURN(current, pass.run(current, target));
    forms |= pass.gives;
    if (options.verify) TENON_RETURN_IF_ERROR(check(current, pass, forms));
    if (options.observer) options.observer(pass, current);
  }
  return current;
}

}  // namespace tenon
