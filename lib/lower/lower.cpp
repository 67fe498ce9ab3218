#include "tenon/lower/lower.h"

#include "lower/passes.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"

namespace tenon {
namespace {

constexpr uint32_t kNothing = 0;
constexpr uint32_t only(Form f) { return static_cast<uint32_t>(f); }

// The whole of lowering. While loops are few, vectors are cut to registers and loops into parts
// with and without guards; then what is unrolled becomes copies, lanes become vectors, and buffers
// get places and addresses. Each pass is a file of its name that says what it does.
constexpr Pass kPasses[] = {
    {"simplify", kNothing, kNothing, simplify_program},
    {"cut_vectors", kNothing, only(Form::kVectorsCut), cut_vectors},
    {"partition_loops", only(Form::kVectorsCut), kNothing, partition_loops},
    {"trim_loops", only(Form::kVectorsCut), kNothing, trim_loops},
    {"simplify", kNothing, kNothing, simplify_program},
    {"drop_dead_guards", kNothing, kNothing, drop_dead_guards},
    {"replace_instructions", kNothing, only(Form::kWholeInstructions), replace_instructions},
    {"unroll_loops", kNothing, only(Form::kNoUnroll), unroll_loops},
    {"settle_guards", only(Form::kNoUnroll), kNothing, settle_guards},
    {"vectorize_loops", Form::kVectorsCut | Form::kNoUnroll, only(Form::kExplicitVectors),
     vectorize_loops},
    {"expand_reducers", only(Form::kExplicitVectors), only(Form::kOperators), expand_reducers},
    {"merge_guards", only(Form::kExplicitVectors), kNothing, merge_guards},
    {"place_allocs", only(Form::kExplicitVectors), only(Form::kAllocsPlaced), place_allocs},
    {"insert_prefetches", only(Form::kExplicitVectors), kNothing, insert_prefetches},
    {"flatten_buffers", Form::kExplicitVectors | Form::kOperators, only(Form::kFlat),
     flatten_buffers},
};

absl::Status check(const Program& program, const Pass& pass, uint32_t forms) {
  absl::Status status = verify(program);
  if (status.ok()) status = verify_form(program, forms);
  if (status.ok()) return status;
  // A mistake of the pass, not of the user.
  return absl::InternalError("after " + std::string(pass.name) + ": " +
                             std::string(status.message()));
}

}  // namespace

absl::StatusOr<Program> simplify_program(const Program& program, const Target&) {
  return simplify(program, KeepLoops::kNo);
}

absl::Span<const Pass> passes() { return kPasses; }

absl::StatusOr<Program> lower(const Program& program, const Target& target,
                              const LowerOptions& options) {
  Program current = program;
  uint32_t forms = only(Form::kStridesBound);
  for (const Pass& pass : kPasses) {
    TENON_ASSIGN_OR_RETURN(current, pass.run(current, target));
    forms |= pass.gives;
    if (options.verify) TENON_RETURN_IF_ERROR(check(current, pass, forms));
    if (options.observer) options.observer(pass, current);
  }
  return current;
}

}  // namespace tenon
