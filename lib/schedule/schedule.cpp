#include "tenon/schedule/schedule.h"

#include <algorithm>

#include "schedule/common.h"
#include "schedule/run_step.h"
#include "tenon/analysis/bounds.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/counted.h"
#include "tenon/base/limits.h"
#include "tenon/base/macros.h"
#include "tenon/ir/names.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// A Program whatever was given: it can be printed and asked.
Program or_empty(Program program) {
  if (program) return program;
  ProgramData nothing;
  nothing.name = "empty";
  nothing.body = seq({});
  return Program(std::move(nothing));
}

// Nothing that lowering writes, and only from what was asked when compiling; no blow-up.
absl::Status require_schedulable(const Program& program) {
  for (const Param& param : program->params) {
    if (!param.strides.empty()) {
      return refuse("parameter " + param.name() + " has strides; a Program to schedule has none",
                    {}, {"CompileOptions::strides"});
    }
  }
  // A text may ask for more than the step `unroll` allows.
  const int64_t copies = primitives::copies_in(program->body, facts_of(program));
  if (copies > primitives::kMaxUnrolledCopies) {
    return refuse("its unrolled loops make " + std::to_string(copies) +
                  " copies of a statement, and the limit is " +
                  std::to_string(primitives::kMaxUnrolledCopies));
  }
  absl::Status status;
  walk(program->body, [&](const Stmt& s) {
    const Alloc* local = s.as<Alloc>();
    if (!status.ok() || !local || !local->offset) return;
    status = refuse("buffer " + local->buffer.name() +
                    " has a place in the workspace; a Program to schedule has none");
  });
  return status;
}

absl::StatusOr<Program> prepared(const Program& program, const Sizes& sizes) {
  if (!program) return refuse("the Program is null");
  TENON_RETURN_IF_ERROR(verify(program));
  TENON_RETURN_IF_ERROR(require_schedulable(program));
  TENON_ASSIGN_OR_RETURN(const Program special, specialize(program, sizes.values()));
  return with_checked_bounds(simplify(special, KeepLoops::kYes));
}

}  // namespace

Schedule::Schedule(Program program, const Sizes& sizes, Place place) : sizes_(sizes) {
  absl::StatusOr<Program> ready = prepared(program, sizes);
  program_ = ready.ok() ? *ready : or_empty(std::move(program));
  status_ = with_context(ready.status(), 0, "Schedule(" + program_.name() + ")", place);
}

// --- Running steps.

absl::Status require_valid(const Program& program) {
  absl::Status status;
  walk_exprs(program->body, [&](const Expr& e) {
    const Invalid* wrong = e.as<Invalid>();
    if (wrong && status.ok()) status = refuse(wrong->message);
  });
  return status;
}

void Schedule::refuse_step(const absl::Status& refusal, const std::string& action, Place place) {
  const int number = next_number();
  if (derived_.empty()) {
    status_ = with_context(refusal, number, action, place);
    return;
  }
  Diagnostic d = diagnostic_of(refusal).value_or(Diagnostic{});
  if (d.reason.empty()) d.reason = std::string(refusal.message());
  if (action != derived_) d.reason = action + ": " + d.reason;
  status_ = with_context(make_status(d, refusal.code()), number, derived_, place);
}

void Schedule::record(const std::string& action, Place place, const Program& before,
                      const Effect& effect) {
  Step step;
  if (!effect.consumed.empty()) {  // first: these names are at hand
    Names& names = names_in(before);
    for (const Var& var : effect.consumed) step.consumed.push_back({var, names.of(var)});
  }
  step.number = next_number();
  step.depth = derived_.empty() ? 0 : 1;
  step.file = place.file_name();
  step.line = static_cast<int>(place.line());
  step.made = effect.made;
  step.text = action;
  if (!effect.made.empty()) {
    const std::string made = names_of(handles(effect.made));
    step.text += " -> " + made;
    step.fate = effect.verb + " " + made;
  }
  if (!effect.consumed.empty() && step.fate.empty()) step.fate = effect.verb;
  trace_.steps_.push_back(std::move(step));
}

// Inside of a derived step its own line has been written already.
int Schedule::next_number() const {
  const int last = trace_.steps_.empty() ? 0 : trace_.steps_.back().number;
  return derived_.empty() ? last + 1 : last;
}

// --- Names and what they stand for.

absl::Status Schedule::require_loops(const std::vector<Loop>& loops) const {
  for (const Loop& loop : loops) {
    const Var& var = loop.var();
    if (!var) return refuse("the loop handle is empty");
    if (has_loop(program_->body, var)) continue;
    if (const Step* end = step_that_consumed(var)) {
      return refuse("loop " + name_of(loop) + " no longer exists: step " +
                    std::to_string(end->number) + " " + end->fate);
    }
    return refuse("loop " + var.name() + " is not a loop of this schedule's Program");
  }
  return absl::OkStatus();
}

const Step* Schedule::step_that_consumed(const Var& var) const {
  for (const Step& step : trace_.steps_) {
    if (step.consumed_name(var)) return &step;
  }
  return nullptr;
}

Names& Schedule::names_in(const Program& program) const {
  if (!named_ || &*named_ != &*program) {
    names_ = Names(program);
    named_ = program;
  }
  return names_;
}

std::string Schedule::name_of(const Loop& loop) const { return names_of({loop}); }

// As the Program shows them now; a loop that is gone, as it was last shown.
std::string Schedule::names_of(const std::vector<Loop>& loops) const {
  Names& names = names_in(program_);
  std::vector<std::string> parts;
  for (const Loop& loop : loops) {
    if (!loop.var()) {
      parts.push_back("?");
    } else if (has_loop(program_->body, loop.var())) {
      parts.push_back(names.of(loop.var()));
    } else {
      const Step* end = step_that_consumed(loop.var());
      parts.push_back(end ? *end->consumed_name(loop.var()) : loop.var().name());
    }
  }
  return join(parts);
}

// A size that was given a value is no longer known to the Program.
Expr Schedule::with_sizes(const Expr& e) const {
  if (!e) return e;
  VarMap values;
  for (const auto& [size, value] : sizes_.values()) values[size] = constant_int(i64, value);
  return substitute(e, values);
}

// --- Finding loops.

std::vector<Loop> Schedule::find_loops(const char* query, std::string_view stage, bool reductions,
                                       Place place) {
  const absl::StatusOr<Buffer> buffer = find_stage(program_, stage);
  if (buffer.ok()) return handles(loops_of_stage(program_, *buffer, reductions));
  if (status_.ok()) {
    refuse_step(buffer.status(), std::string(query) + "(" + std::string(stage) + ")", place);
  }
  return dummy_loops(kMaxRank);
}

std::vector<Loop> Schedule::loops(std::string_view stage, Place place) {
  return find_loops("loops", stage, false, place);
}

std::vector<Loop> Schedule::all_loops(std::string_view stage, Place place) {
  return find_loops("all_loops", stage, true, place);
}

absl::Status Schedule::wrong_count(std::string_view stage, const std::vector<Loop>& found,
                                   size_t count) const {
  return refuse(std::string(stage) + " has " + counted(found.size(), "loop") + " (" +
                names_of(found) + "), and " + counted(count, "was", "were") + " asked for");
}

std::vector<Loop> Schedule::counted_loops(std::string_view stage, size_t count, Place place) {
  const bool fine = status_.ok();
  std::vector<Loop> found = loops(stage, place);
  if (fine && status_.ok() && found.size() != count) {
    refuse_step(wrong_count(stage, found, count), "loops(" + std::string(stage) + ")", place);
  }
  found.resize(count, dummy_loop());
  return found;
}

}  // namespace tenon
