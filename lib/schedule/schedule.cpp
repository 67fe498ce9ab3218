#include "tenon/schedule/schedule.h"

#include <algorithm>

#include "schedule/common.h"
#include "schedule/derived.h"
#include "schedule/stages.h"
#include "tenon/analysis/bounds.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/limits.h"
#include "tenon/base/macros.h"
#include "tenon/ir/names.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon {
namespace {

// A handle for the lines after a refusal: alive, and a loop of no Program.
Loop dummy_loop() { return Loop(Var("none")); }

std::vector<Loop> dummy_loops(size_t count) {
  std::vector<Loop> loops;
  for (size_t i = 0; i < count; ++i) loops.push_back(dummy_loop());
  return loops;
}

std::vector<Loop> handles(const std::vector<Var>& vars) { return {vars.begin(), vars.end()}; }

std::vector<Var> vars_of(const std::vector<Loop>& loops) {
  std::vector<Var> vars;
  for (const Loop& loop : loops) vars.push_back(loop.var());
  return vars;
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

const Program& program_of(const Program& result) { return result; }
const Program& program_of(const auto& result) { return result.program; }

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

// A step that substitutes may have made an expression that is too deep or too large.
absl::Status require_valid(const Program& program) {
  absl::Status status;
  walk_exprs(program->body, [&](const Expr& e) {
    const Invalid* wrong = e.as<Invalid>();
    if (wrong && status.ok()) status = refuse(wrong->message);
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

template <class Primitive>
auto Schedule::run(const std::string& action, const std::vector<Loop>& loops, Place place,
                   const Primitive& primitive) {
  using Result = std::decay_t<decltype(*primitive())>;
  std::optional<Result> done;
  if (!status_.ok()) return done;
  if (const absl::Status missing = require_loops(loops); !missing.ok()) {
    refuse_step(missing, action, place);
    return done;
  }
  absl::StatusOr<Result> result = primitive();
  absl::Status status = result.status();
  if (status.ok()) status = require_valid(program_of(*result));
  if (!status.ok()) {
    refuse_step(status, action, place);
    return done;
  }
  program_ = program_of(*result);
  done = *std::move(result);
  return done;
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
  if (!effect.consumed.empty()) {
    Names names(before);
    for (const Var& var : effect.consumed) step.consumed.push_back({var, names.of(var)});
    if (step.fate.empty()) step.fate = effect.verb;
  }
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
    if (primitives::has_loop(program_->body, var)) continue;
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

std::string Schedule::name_of(const Loop& loop) const { return names_of({loop}); }

// As the Program shows them now; a loop that is gone, as it was last shown.
std::string Schedule::names_of(const std::vector<Loop>& loops) const {
  Names names(program_);
  std::vector<std::string> parts;
  for (const Loop& loop : loops) {
    if (!loop.var()) {
      parts.push_back("?");
    } else if (primitives::has_loop(program_->body, loop.var())) {
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
  return refuse(std::string(stage) + " has " + std::to_string(found.size()) +
                (found.size() == 1 ? " loop (" : " loops (") + names_of(found) + "), and " +
                std::to_string(count) + (count == 1 ? " was" : " were") + " asked for");
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

// --- Steps.

std::pair<Loop, Loop> Schedule::split(Loop loop, int64_t factor, Place place) {
  const std::string action = "split(" + name_of(loop) + ", " + std::to_string(factor) + ")";
  const Program before = program_;
  const auto done =
      run(action, {loop}, place, [&] { return primitives::split(program_, loop.var(), factor); });
  if (!done) return {dummy_loop(), dummy_loop()};
  record(action, place, before, {{done->outer, done->inner}, {loop.var()}, "split it into"});
  return {Loop(done->outer), Loop(done->inner)};
}

Loop Schedule::fuse(Loop outer, Loop inner, Place place) {
  const std::string action = "fuse(" + names_of({outer, inner}) + ")";
  const Program before = program_;
  const auto done = run(action, {outer, inner}, place,
                        [&] { return primitives::fuse(program_, outer.var(), inner.var()); });
  if (!done) return dummy_loop();
  record(action, place, before, {{done->fused}, {outer.var(), inner.var()}, "fused it into"});
  return Loop(done->fused);
}

void Schedule::reorder(const std::vector<Loop>& order, Place place) {
  const std::string action = "reorder(" + names_of(order) + ")";
  const auto done =
      run(action, order, place, [&] { return primitives::reorder(program_, vars_of(order)); });
  if (done) record(action, place, program_);
}

std::array<Loop, 4> Schedule::tile(Loop i, Loop j, int64_t i_factor, int64_t j_factor,
                                   Place place) {
  const std::string action = "tile(" + names_of({i, j}) + ", " + std::to_string(i_factor) + ", " +
                             std::to_string(j_factor) + ")";
  Derived derived(*this, action, place);
  const auto [io, ii] = split(i, i_factor, place);
  const auto [jo, ji] = split(j, j_factor, place);
  reorder({io, jo, ii, ji}, place);
  if (!derived.finish()) return {dummy_loop(), dummy_loop(), dummy_loop(), dummy_loop()};
  return {io, jo, ii, ji};
}

template <class Primitive>
std::pair<Loop, Loop> Schedule::divide(const std::string& action, Loop loop, Place place,
                                       const std::string& verb, const Primitive& primitive) {
  const Program before = program_;
  const auto done = run(action, {loop}, place, primitive);
  if (!done) return {dummy_loop(), dummy_loop()};
  record(action, place, before, {{done->first, done->second}, {loop.var()}, verb});
  return {Loop(done->first), Loop(done->second)};
}

std::pair<Loop, Loop> Schedule::cut(Loop loop, Expr at, Place place) {
  at = with_sizes(at);
  const std::string where = at ? print(at, program_) : "?";
  return divide("cut(" + name_of(loop) + ", " + where + ")", loop, place, "cut it into",
                [&] { return primitives::cut(program_, loop.var(), at); });
}

std::pair<Loop, Loop> Schedule::fission(Loop loop, int statements, Place place) {
  return divide("fission(" + name_of(loop) + ", " + std::to_string(statements) + ")", loop, place,
                "divided it into",
                [&] { return primitives::fission(program_, loop.var(), statements); });
}

template <class Primitive>
void Schedule::mark(const std::string& action, Loop loop, Place place, const Primitive& primitive) {
  const std::string text = action + "(" + name_of(loop) + ")";
  const auto done = run(text, {loop}, place, [&] { return primitive(program_, loop.var()); });
  if (done) record(text, place, program_);
}

void Schedule::unroll(Loop loop, Place place) {
  mark("unroll", std::move(loop), place, primitives::unroll);
}

void Schedule::vectorize(Loop loop, Place place) {
  mark("vectorize", std::move(loop), place, primitives::vectorize);
}

void Schedule::parallelize(Loop loop, Place place) {
  mark("parallelize", std::move(loop), place, primitives::parallelize);
}

std::vector<Loop> Schedule::compute_at(std::string_view stage, Loop loop, Place place) {
  const std::string action = "compute_at(" + std::string(stage) + ", " + name_of(loop) + ")";
  const absl::StatusOr<Buffer> buffer = find_stage(program_, stage);
  const auto done =
      run(action, {loop}, place, [&]() -> absl::StatusOr<primitives::ComputeAtResult> {
        if (!buffer.ok()) return buffer.status();
        return primitives::compute_at(program_, *buffer, loop.var());
      });
  if (!done) return dummy_loops(kMaxRank);
  record(action, place, program_, {done->loops, {}, ""});
  return handles(done->loops);
}

std::vector<Loop> Schedule::counted_compute_at(std::string_view stage, Loop loop, size_t count,
                                               Place place) {
  const bool fine = status_.ok();
  const Program before = program_;
  std::vector<Loop> found = compute_at(stage, loop, place);
  if (fine && status_.ok() && found.size() != count) {
    program_ = before;
    trace_.steps_.pop_back();
    refuse_step(wrong_count(stage, found, count),
                "compute_at(" + std::string(stage) + ", " + name_of(loop) + ")", place);
  }
  found.resize(count, dummy_loop());
  return found;
}

void Schedule::inline_into(std::string_view stage, Place place) {
  const std::string action = "inline_into(" + std::string(stage) + ")";
  const absl::StatusOr<Buffer> buffer = find_stage(program_, stage);
  const Program before = program_;
  const auto done = run(action, {}, place, [&]() -> absl::StatusOr<primitives::InlineResult> {
    if (!buffer.ok()) return buffer.status();
    return primitives::inline_into(program_, *buffer);
  });
  if (done) record(action, place, before, {{}, done->removed, "inlined " + std::string(stage)});
}

void Schedule::set_layout(std::string_view name, const IndexMap& map, Place place) {
  const absl::StatusOr<Buffer> buffer = find_storage(program_, name);
  std::vector<Var> vars;
  std::vector<Expr> place_of;
  if (buffer.ok()) {
    const size_t rank = shape_of(program_, *buffer)->size();
    for (size_t d = 0; d < rank; ++d) vars.emplace_back("d" + std::to_string(d));
    if (map) place_of = map(std::vector<Expr>(vars.begin(), vars.end())).exprs();
    for (Expr& e : place_of) e = with_sizes(e);
  }
  std::vector<std::string> parts;
  for (const Expr& e : place_of) parts.push_back(e ? print(e) : "?");
  const std::string action = "set_layout(" + std::string(name) + ", [" + join(parts) + "])";
  const auto done = run(action, {}, place, [&]() -> absl::StatusOr<Program> {
    if (!buffer.ok()) return buffer.status();
    return primitives::set_layout(program_, *buffer, vars, place_of);
  });
  if (done) record(action, place, program_);
}

// Gives the output a local stage; returns the name of that stage.
std::string Schedule::copy_out(std::string_view output, Place place) {
  const std::string action = "copy_out(" + std::string(output) + ")";
  const absl::StatusOr<Buffer> buffer = find_stage(program_, output);
  const auto done = run(action, {}, place, [&]() -> absl::StatusOr<primitives::CopyOutResult> {
    if (!buffer.ok()) return buffer.status();
    return primitives::copy_out(program_, *buffer);
  });
  if (!done) return std::string(output);
  record(action + " -> " + done->local.name(), place, program_);
  return done->local.name();
}

}  // namespace tenon
