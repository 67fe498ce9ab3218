#include "support/pair_check.h"

#include <absl/strings/str_replace.h>

#include <algorithm>
#include <memory>

#include "support/guard_buffer.h"
#include "support/native.h"
#include "support/problem.h"
#include "support/random_schedule.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/packing.h"
#include "tenon/ir/scalar_ops.h"
#include "tenon/ir/visit.h"
#include "tenon/jit/jit.h"
#include "tenon/lower/lower.h"

namespace tenon::test {
namespace {

constexpr char kTooLong[] = "too long";

// The shape that the interpreter wants: a weight in its stored form.
Array stored_form(const Param& param, Array logical, const Sizes& sizes) {
  if (!param.packing) return logical;
  std::vector<int64_t> shape;
  for (const Expr& extent : param.shape) shape.push_back(*evaluate_int(extent, sizes));
  Array packed(logical.type(), shape);
  const absl::Status status = interpret(packing_program(param), sizes, {&logical, &packed});
  if (!status.ok()) return Array();
  // What no element of the weight went to may hold anything: NaN shows when it is used.
  Array marks(u8, logical.shape()), marked(u8, shape);
  for (int64_t e = 0; e < marks.elements(); ++e) marks.set_bits(e, 1);
  Param as_marks = param;
  as_marks.buffer = Buffer("marks", u8);
  if (!interpret(packing_program(as_marks), sizes, {&marks, &marked}).ok()) return Array();
  for (int64_t e = 0; e < packed.elements(); ++e) {
    if (marked.bits(e) == 0) packed.set_bits(e, ~uint64_t{0} >> (64 - 8 * packed.type().bytes()));
  }
  return packed;
}

// A Program that takes longer to interpret is drawn again; a step that makes one that takes longer
// than kMaxWork (a few splits of short loops make many more iterations than there is work) is taken
// back, and so is one after which there is much more text. They would only cost time.
constexpr int64_t kMaxFirst = 20'000;
constexpr int64_t kMaxWork = 200'000;
constexpr size_t kMaxText = 20'000;
// Lowered forms have full vectors, so a little of what they do is not in the loops.
constexpr int64_t kMaxLowered = 2'000'000;

std::vector<Array> data_of(const Pair& pair) {
  Rng rng(pair.data);
  return random_data(rng, pair.c);
}

class PairCheck {
 public:
  PairCheck(Pair pair, const PairOptions& options, PairCounts& counts)
      : pair_(std::move(pair)),
        options_(options),
        counts_(counts),
        memory_rng_(pair_.data + 1),
        data_(data_of(pair_)),
        schedule_(pair_.c.program, pair_.c.constants) {}

  const Schedule& schedule() const { return schedule_; }
  const Pair& pair() const { return pair_; }
  const std::optional<PairFailure>& failure() const { return failure_; }

  // The unscheduled Program, which gives the reference.
  void begin(int64_t max_work) {
    ++counts_.pairs;
    for (const std::string& form : pair_.c.forms) ++counts_.forms[form];
    fail_if("the program", problem_of(pair_.c.program));
    if (!schedule_.status().ok()) fail_if("the program", schedule_.status().ToString());
    if (!failure_)
      fail_if("the program", interpret_into(schedule_.program(), reference_, max_work));
  }

  // The schedule after one more step; it stays as it was where that would take too long.
  void step(const Schedule& next) {
    const Schedule before = schedule_;
    schedule_ = next;
    for (const Instruction& one : instructions_of(next.program()->body)) {
      std::vector<Instruction>& known = pair_.instructions;
      if (std::find(known.begin(), known.end(), one) == known.end()) known.push_back(one);
    }
    fail_if("a step", problem_of(next.program()));
    std::vector<Array> result;
    const bool is_large = print(next.program()).size() > kMaxText;
    const std::string failed =
        is_large ? kTooLong : interpret_into(next.program(), result, kMaxWork);
    if (failed == kTooLong) {
      schedule_ = before;
      return;
    }
    fail_if("a step", failed);
    if (failed.empty()) compare_step(result);
    count(before);
  }

  // A reassociating step changes rounding, and its result is the new reference; what it may not
  // change at all is a Program whose sums are exact in any order.
  void compare_step(const std::vector<Array>& result) {
    const std::string wrong = compare(result);
    if (!wrong.empty() && schedule_.program()->reassociated && !pair_.c.exact) {
      reference_ = result;
    } else {
      fail_if("a step", wrong);
    }
  }

  // What is made of the schedule now.
  void finish(bool native) {
    if (options_.lowered) {
      for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
        if (failure_) return;
        fail_if(std::string("lowered for ") + level,
                check_lowered(schedule_, *Target::parse(level)));
      }
    }
    fail_if("replay", check_replay());
    if (!native) return;
    for (Jit& jit : native_jits()) {
      if (failure_) return;
      fail_if("machine code for " + jit.target().to_string(), check_native(schedule_, jit));
    }
  }

  // The first failure counts.
  void fail_if(const std::string& where, const std::string& what) {
    if (failure_ || what.empty()) return;
    Pair pair = pair_;
    pair.steps = steps_of(schedule_.trace());
    failure_ = PairFailure{where, what, print(schedule_.program()), pair};
  }

 private:
  void count(const Schedule& before) {
    ++counts_.accepted;
    // Behind a derived step stand the primitives that it is made of.
    const std::string text = steps_of(schedule_.trace()).back();
    ++counts_.primitives[text.substr(0, text.find('('))];
    const bool is_new = schedule_.program()->reassociated && !before.program()->reassociated;
    if (is_new) ++counts_.reassociated;
  }

  // The text of the trace leads to the same Program. (Up to what stands in loops without
  // iterations: everything is true there, which of it the simplifier finds is by chance, and what
  // it does not find may be in the way of later steps. With such loops, results are
  // compared, if the steps are legal again at all.)
  std::string check_replay() const {
    Pair whole = pair_;
    whole.steps = steps_of(schedule_.trace());
    bool is_dead = false;
    walk(schedule_.program()->body, [&](const Stmt& s) {
      const For* loop = s.as<For>();
      is_dead = is_dead || (loop && equal(loop->lo, loop->hi));
    });
    const absl::StatusOr<Schedule> again = schedule_of(whole);
    if (!again.ok()) return is_dead ? "" : std::string(again.status().message());
    const auto without_loops = [](const Program& p) {
      return Program(*simplify(p, KeepLoops::kNo));
    };
    if (structurally_equal(without_loops(again->program()), without_loops(schedule_.program()))) {
      return "";
    }
    std::string wrong = "another Program";
    std::vector<Array> result;
    if (is_dead) wrong = interpret_into(again->program(), result, 0);
    if (is_dead && wrong.empty()) wrong = compare(result);
    return wrong.empty() ? ""
                         : "the replayed trace gives " + wrong + "\n" + print(again->program());
  }

  bool is_output(size_t p) const { return is_written(pair_.c.program->params[p].role); }

  // Runs a Program in the interpreter on the data, and gives all arrays after the run.
  std::string interpret_into(const Program& program, std::vector<Array>& result,
                             int64_t max_statements) const {
    result.clear();
    for (size_t p = 0; p < data_.size(); ++p) {
      result.push_back(stored_form(program->params[p], data_[p], pair_.c.sizes));
    }
    const absl::Status status =
        interpret(program, remaining(program), arguments_of(program, result),
                  {.max_statements = max_statements});
    // Or a buffer is too large for the interpreter.
    if (status.code() == absl::StatusCode::kDeadlineExceeded ||
        status.code() == absl::StatusCode::kResourceExhausted) {
      return kTooLong;
    }
    return status.ok() ? "" : std::string(status.message());
  }

  Sizes remaining(const Program& program) const {
    std::vector<std::pair<Var, int64_t>> values;
    for (const Var& size : program->sizes) values.emplace_back(size, pair_.c.sizes[size]);
    return Sizes(std::move(values));
  }

  std::string compare(const std::vector<Array>& result) const {
    for (size_t p = 0; p < result.size(); ++p) {
      if (!is_output(p) || same_values(reference_[p], result[p])) continue;
      return pair_.c.program->params[p].name() + first_difference(reference_[p], result[p]);
    }
    return "";
  }

  // The lowered form on flat arrays, dense.
  std::string check_lowered(const Schedule& schedule, const Target& target) {
    LowerOptions lower_options;
    lower_options.verify = true;
    const absl::StatusOr<Program> lowered = lower(schedule.program(), target, lower_options);
    if (!lowered.ok()) return std::string(lowered.status().message());
    const std::string problem = problem_of(*lowered);
    if (!problem.empty()) return problem;
    counts_.instructions += !instructions_of((*lowered)->body).empty();
    std::vector<Array> arrays;
    for (size_t p = 0; p < data_.size(); ++p) {
      const Array stored = stored_form(schedule.program()->params[p], data_[p], pair_.c.sizes);
      arrays.push_back(stored);
      if (pair_.c.program->params[p].buffer) {
        arrays.back() = Array(stored.type(), {stored.elements()});
        std::copy_n(stored.data(), stored.bytes(), arrays.back().data());
      }
    }
    const absl::Status status =
        interpret(*lowered, remaining(schedule.program()), arguments_of(*lowered, arrays),
                  {.max_statements = kMaxLowered});
    if (status.code() == absl::StatusCode::kDeadlineExceeded) return "";
    if (!status.ok()) return std::string(status.message()) + "\n" + print(*lowered);
    for (size_t p = 0; p < arrays.size(); ++p) {
      if (!is_output(p)) continue;
      Array shaped = reference_[p];
      std::copy_n(arrays[p].data(), shaped.bytes(), shaped.data());
      if (!same_values(reference_[p], shaped)) {
        return pair_.c.program->params[p].name() + first_difference(reference_[p], shaped) + "\n" +
               print(*lowered);
      }
    }
    ++counts_.lowered;
    return "";
  }

  // An argument in guarded memory with random strides; gaps hold NaN bytes.
  struct Guarded {
    std::unique_ptr<GuardBuffer> memory;
    std::vector<std::byte> before;
    View view;
    StrideClass strides = StrideClass::kDense;
  };

  Guarded guard(const Array& array, bool may_stride) {
    Guarded g;
    const size_t rank = array.shape().size();
    const int choice = may_stride && rank > 0 ? memory_rng_.below(4) : 0;
    std::vector<int64_t> strides(rank);
    int64_t step = choice == 3 ? memory_rng_.between(2, 3) : 1;
    for (size_t d = rank; d-- > 0;) {
      strides[d] = step;
      step *= std::max<int64_t>(1, array.shape()[d]);
      if (choice >= 2) step += memory_rng_.below(3);
    }
    int64_t extent = 1;
    for (size_t d = 0; d < rank; ++d) {
      extent += std::max<int64_t>(0, array.shape()[d] - 1) * strides[d];
    }
    if (array.elements() == 0) extent = 0;
    const size_t size = static_cast<size_t>(array.type().bytes());
    g.memory = std::make_unique<GuardBuffer>(
        static_cast<size_t>(extent) * size,
        memory_rng_.chance(70) ? GuardBuffer::kBack : GuardBuffer::kFront);
    std::fill_n(g.memory->data(), g.memory->bytes(), std::byte{0xff});  // NaN in every float type
    copy(array, strides, g, true);
    const std::byte* bytes = g.memory->data();
    g.before.assign(bytes, bytes + g.memory->bytes());
    g.view = View(g.memory->data(), array.type(), array.shape(), strides);
    g.strides = stride_class(g.view);
    return g;
  }

  // Moves the elements between a dense array and guarded memory.
  static void copy(const Array& array, const std::vector<int64_t>& strides, Guarded& g, bool in) {
    const size_t size = static_cast<size_t>(array.type().bytes());
    std::byte* dense = const_cast<std::byte*>(array.data());
    std::byte* memory = g.memory->data();
    for (int64_t e = 0; e < array.elements(); ++e) {
      int64_t rest = e, offset = 0;
      for (size_t d = strides.size(); d-- > 0;) {
        offset += rest % array.shape()[d] * strides[d];
        rest /= array.shape()[d];
      }
      std::byte* there = memory + static_cast<size_t>(offset) * size;
      std::byte* here = dense + static_cast<size_t>(e) * size;
      std::memcpy(in ? there : here, in ? here : there, size);
    }
  }

  static Argument scalar_argument(const Array& value) {
    const Type type = value.type();
    if (type.is_float()) return float_of_bits(type, value.bits(0));
    if (type == u64) return value.at<uint64_t>(0);
    if (type.is_bool()) return value.bits(0) != 0;
    return int_of_bits(type, value.bits(0));
  }

  // One per level that this machine runs, for the whole process. Parallel loops run in shuffled
  // chunks on shuffled workers.
  static std::vector<Jit>& native_jits() {
    static ShufflingExecutor executor;
    static std::vector<Jit> jits = [] {
      std::vector<Jit> made;
      for (const Target& target : native_targets()) {
        JitOptions options;
        options.target = target;
        options.contract = false;
        options.executor = &executor;
        options.cache.max_bytes = 1 << 20;
        made.emplace_back(options);
      }
      return made;
    }();
    return jits;
  }

  std::string check_native(const Schedule& schedule, Jit& jit) {
    ++counts_.native;
    ++counts_.levels[jit.target().to_string()];
    std::vector<Guarded> guarded;
    CompileOptions compile;
    const Program& program = schedule.program();
    for (size_t p = 0; p < data_.size(); ++p) {
      const Param& param = program->params[p];
      guarded.push_back(guard(data_[p], param.role != Role::kScalar && !param.packing));
      if (param.buffer) compile.strides.emplace_back(param.name(), guarded.back().strides);
    }
    const absl::StatusOr<Kernel> kernel = jit.compile(schedule, compile);
    if (!kernel.ok()) return std::string(kernel.status().message());
    std::vector<Argument> inputs;
    std::vector<View> outputs;
    std::vector<Packed> weights;  // an Argument only refers to them
    for (size_t p = 0; p < data_.size(); ++p) {
      const Param& param = program->params[p];
      if (is_written(param.role)) {
        outputs.push_back(guarded[p].view);
      } else if (!param.buffer) {
        inputs.push_back(scalar_argument(data_[p]));
      } else if (param.packing) {
        const absl::StatusOr<Packed> packed = kernel->pack(param.name(), guarded[p].view);
        if (!packed.ok()) return std::string(packed.status().message());
        weights.push_back(*packed);
        inputs.push_back(weights.back());
      } else {
        inputs.push_back(guarded[p].view);
      }
    }
    const absl::Status status = (*kernel)(inputs, outputs);
    if (!status.ok()) return std::string(status.message());
    return compare_guarded(guarded);
  }

  std::string compare_guarded(std::vector<Guarded>& guarded) {
    for (size_t p = 0; p < guarded.size(); ++p) {
      Guarded& g = guarded[p];
      Array result = data_[p];
      std::vector<int64_t> strides;
      for (int d = 0; d < g.view.rank(); ++d) strides.push_back(g.view.stride(d));
      copy(result, strides, g, false);
      if (is_output(p) && !same_values(reference_[p], result)) {
        return pair_.c.program->params[p].name() + first_difference(reference_[p], result);
      }
      // Inputs and the gaps between elements are as they were.
      if (is_output(p)) copy(data_[p], strides, g, true);
      if (!std::equal(g.before.begin(), g.before.end(), g.memory->data())) {
        return pair_.c.program->params[p].name() + ": memory that is not an output was written";
      }
    }
    return "";
  }

  Pair pair_;  // without steps: those are the schedule's
  const PairOptions& options_;
  PairCounts& counts_;
  Rng memory_rng_;
  std::vector<Array> data_;
  Schedule schedule_;
  std::vector<Array> reference_;
  std::optional<PairFailure> failure_;
};

// A Program and its data that are quick to interpret.
Pair draw_program(Rng& rng) {
  for (;;) {
    Pair pair;
    pair.c = random_case(rng);
    pair.data = rng.bits() >> 32;
    std::vector<Array> arrays = data_of(pair);
    const absl::Status status =
        interpret(pair.c.program, pair.c.sizes, arguments_of(pair.c.program, arrays),
                  {.max_statements = kMaxFirst});
    if (status.code() == absl::StatusCode::kDeadlineExceeded) continue;
    // As its text reads, so that steps name loops as they will when it is read back.
    absl::StatusOr<Pair> read = parse_pair(to_string(pair));
    if (!read.ok()) return pair;
    read->c.forms = pair.c.forms;
    return *read;
  }
}

// Draws steps, each after the one before was checked.
void random_steps(Rng& rng, const PairOptions& options, PairCounts& counts, PairCheck& check) {
  const bool is_long = rng.chance(options.long_percent);
  const int asked = is_long ? 4 * options.long_steps : options.steps;
  int64_t accepted = 0;
  for (int k = 0; k < asked && !check.failure() && accepted < options.long_steps; ++k) {
    Schedule next = check.schedule();
    if (!try_random_step(rng, next, nullptr, check.pair().c.sizes)) {
      ++counts.refused;
      continue;
    }
    check.step(next);
    accepted = static_cast<int64_t>(steps_of(check.schedule().trace()).size());
  }
  counts.longest = std::max(counts.longest, accepted);
}

}  // namespace

std::string PairFailure::to_string() const {
  return "# " + where + ": " + absl::StrReplaceAll(what, {{"\n", "\n# "}}) +
         "\n# After the steps:\n# " + absl::StrReplaceAll(after, {{"\n", "\n# "}}) + "\n" +
         test::to_string(pair);
}

std::optional<PairFailure> check_pair(uint64_t seed, const PairOptions& options,
                                      PairCounts& counts) {
  Rng rng(seed);
  PairCheck check(draw_program(rng), options, counts);
  check.begin(0);
  if (!check.failure()) random_steps(rng, options, counts, check);
  // By the middle of the seed, so that even and odd seeds have machine code alike.
  const auto every = static_cast<uint64_t>(options.native_every);
  if (!check.failure()) check.finish(every > 0 && seed / 2 % every == 0);
  return check.failure();
}

std::optional<PairFailure> check_pair(const Pair& pair, const PairOptions& options,
                                      PairCounts& counts) {
  PairCheck check(pair, options, counts);
  check.begin(kMaxFirst);
  for (size_t k = 1; k <= pair.steps.size() && !check.failure(); ++k) {
    const absl::StatusOr<Schedule> next = schedule_of(pair, k);
    if (!next.ok()) {
      check.fail_if("a refused step", std::string(next.status().message()));
    } else {
      check.step(*next);
    }
  }
  if (!check.failure()) check.finish(options.native_every > 0);
  return check.failure();
}

Pair draw_pair(uint64_t seed, const PairOptions& options) {
  Rng rng(seed);
  PairCounts counts;
  PairCheck check(draw_program(rng), options, counts);
  check.begin(0);
  if (!check.failure()) random_steps(rng, options, counts, check);
  Pair pair = check.pair();
  pair.steps = steps_of(check.schedule().trace());
  return pair;
}

}  // namespace tenon::test
