#include "support/pair_check.h"

#include <algorithm>
#include <memory>
#include <sstream>

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
#include "tenon/schedule/replay.h"

namespace tenon::test {
namespace {

// The shape that the interpreter wants: a weight in its stored form.
Array stored_form(const Param& param, Array& logical, const Sizes& sizes) {
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

constexpr int64_t kMaxStatements = 5'000'000;

class PairCheck {
 public:
  PairCheck(uint64_t seed, const PairOptions& options, PairCounts& counts)
      : seed_(seed), rng_(seed), options_(options), counts_(counts), case_(random_case(rng_)) {}

  std::string run() {
    ++counts_.pairs;
    if (const std::string problem = problem_of(case_.program); !problem.empty()) return problem;
    counts_.tables += !case_.program->tables.empty();
    for (const Param& param : case_.program->params) {
      counts_.in_place += param.role == Role::kInOut;
    }
    data_ = random_data(rng_, case_);
    Schedule schedule(case_.program, case_.constants);
    if (!schedule.status().ok()) return report(schedule, "refused", schedule.status().ToString());
    const std::string first = interpret_into(schedule.program(), reference_);
    if (!first.empty()) return report(schedule, "the unscheduled program", first);
    for (int step = 0; step < options_.steps; ++step) {
      const std::string wrong = one_step(schedule);
      if (!wrong.empty()) return report(schedule, "after a step", wrong);
    }
    if (options_.lowered) {
      for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
        const std::string wrong = check_lowered(schedule, *Target::parse(level));
        if (!wrong.empty()) return report(schedule, level, wrong);
      }
    }
    const std::string other = check_replay(schedule);
    if (!other.empty()) return report(schedule, "replay", other);
    if (options_.native) {
      for (Jit& jit : native_jits()) {
        const std::string wrong = check_native(schedule, jit);
        if (!wrong.empty()) {
          return report(schedule, "machine code, " + jit.target().to_string(), wrong);
        }
      }
    }
    return "";
  }

 private:
  // The text of the trace leads to the same Program. (Up to what stands in loops without
  // iterations: everything is true there, and which of it the simplifier finds is by chance.)
  std::string check_replay(const Schedule& schedule) {
    Schedule again(case_.program, case_.constants);
    const absl::Status status = replay(again, schedule.trace().to_string());
    // So may be whether a step is legal there, or changed an order.
    bool is_dead = false;
    walk(schedule.program()->body, [&](const Stmt& s) {
      const For* loop = s.as<For>();
      is_dead = is_dead || (loop && is_constant(loop->lo, 0) && is_constant(loop->hi, 0));
    });
    if (!status.ok()) return is_dead ? "" : std::string(status.message());
    const auto without_loops = [&](const Program& p) {
      ProgramData data = *simplify(p, KeepLoops::kNo);
      if (is_dead) data.reassociated = false;
      return Program(std::move(data));
    };
    return structurally_equal(without_loops(again.program()), without_loops(schedule.program()))
               ? ""
               : "the replayed trace gives\n" + print(again.program());
  }

  std::string report(const Schedule& schedule, const std::string& where, const std::string& what) {
    std::ostringstream text;
    text << "seed " << seed_ << ", " << where << ": " << what << "\n" << case_.program;
    for (const auto& [size, value] : case_.sizes.values()) {
      text << size.name() << " = " << value << (case_.constants.find(size) ? "" : " (symbolic)")
           << "\n";
    }
    text << schedule.trace() << schedule.program();
    return text.str();
  }

  // A step that makes many more iterations than there is work (a few splits of short loops) is
  // taken back: it would only cost time.
  std::string one_step(Schedule& schedule) {
    const Schedule before = schedule;
    if (!try_random_step(rng_, schedule, nullptr, case_.sizes)) {
      ++counts_.refused;
      return "";
    }
    ++counts_.accepted;
    // Behind a derived step stand the primitives that it is made of.
    const std::vector<Step>& steps = schedule.trace().steps();
    const auto own = std::find_if(steps.rbegin(), steps.rend(),
                                  [](const Step& step) { return step.depth == 0; });
    const std::string& text = own->text;
    ++counts_.primitives[text.substr(0, text.find('('))];
    std::string failed = problem_of(schedule.program());
    if (!failed.empty()) return failed;
    std::vector<Array> result;
    failed = interpret_into(schedule.program(), result, kMaxStatements);
    if (too_long_) {
      too_long_ = false;
      schedule = before;
      return "";
    }
    if (!failed.empty()) return failed;
    if (schedule.program()->reassociated && !reassociated_) {
      reassociated_ = true;
      ++counts_.reassociated;
    }
    const std::string wrong = compare(result);
    if (wrong.empty()) return "";
    // A reassociating step changes rounding, and its result is the new reference; what it may not
    // change at all is a Program whose sums are exact in any order.
    if (!schedule.program()->reassociated || case_.exact) return wrong;
    reference_ = result;
    return "";
  }

  bool is_output(size_t p) const { return is_written(case_.program->params[p].role); }

  // Runs a Program in the interpreter on the data, and gives all arrays after the run.
  std::string interpret_into(const Program& program, std::vector<Array>& result,
                             int64_t max_statements = 0) {
    result.clear();
    for (size_t p = 0; p < data_.size(); ++p) {
      result.push_back(stored_form(program->params[p], data_[p], case_.sizes));
    }
    const absl::Status status =
        interpret(program, remaining(program), arguments_of(program, result),
                  {.max_statements = max_statements});
    too_long_ = status.code() == absl::StatusCode::kDeadlineExceeded;
    return status.ok() ? "" : std::string(status.message());
  }

  Sizes remaining(const Program& program) const {
    std::vector<std::pair<Var, int64_t>> values;
    for (const Var& size : program->sizes) values.emplace_back(size, case_.sizes[size]);
    return Sizes(std::move(values));
  }

  std::string compare(const std::vector<Array>& result) const {
    for (size_t p = 0; p < result.size(); ++p) {
      if (!is_output(p) || same_values(reference_[p], result[p])) continue;
      return case_.program->params[p].name() + first_difference(reference_[p], result[p]);
    }
    return "";
  }

  // The lowered form on flat arrays, dense.
  std::string check_lowered(const Schedule& schedule, const Target& target) {
    ++counts_.lowered;
    LowerOptions lower_options;
    lower_options.verify = true;
    const absl::StatusOr<Program> lowered = lower(schedule.program(), target, lower_options);
    if (!lowered.ok()) return std::string(lowered.status().message());
    const std::string problem = problem_of(*lowered);
    if (!problem.empty()) return problem;
    std::vector<Array> arrays;
    for (size_t p = 0; p < data_.size(); ++p) {
      const Array stored = stored_form(schedule.program()->params[p], data_[p], case_.sizes);
      arrays.push_back(stored);
      if (case_.program->params[p].buffer) {
        arrays.back() = Array(stored.type(), {stored.elements()});
        std::copy_n(stored.data(), stored.bytes(), arrays.back().data());
      }
    }
    const absl::Status status =
        interpret(*lowered, remaining(schedule.program()), arguments_of(*lowered, arrays));
    if (!status.ok()) return std::string(status.message()) + "\n" + print(*lowered);
    for (size_t p = 0; p < arrays.size(); ++p) {
      if (!is_output(p)) continue;
      Array shaped = reference_[p];
      std::copy_n(arrays[p].data(), shaped.bytes(), shaped.data());
      if (!same_values(reference_[p], shaped)) {
        return case_.program->params[p].name() + first_difference(reference_[p], shaped) + "\n" +
               print(*lowered);
      }
    }
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
    const int choice = may_stride && rank > 0 ? rng_.below(4) : 0;
    std::vector<int64_t> strides(rank);
    int64_t step = choice == 3 ? rng_.between(2, 3) : 1;
    for (size_t d = rank; d-- > 0;) {
      strides[d] = step;
      step *= std::max<int64_t>(1, array.shape()[d]);
      if (choice >= 2) step += rng_.below(3);
    }
    int64_t extent = 1;
    for (size_t d = 0; d < rank; ++d) {
      extent += std::max<int64_t>(0, array.shape()[d] - 1) * strides[d];
    }
    if (array.elements() == 0) extent = 0;
    const size_t size = static_cast<size_t>(array.type().bytes());
    g.memory =
        std::make_unique<GuardBuffer>(static_cast<size_t>(extent) * size,
                                      rng_.chance(70) ? GuardBuffer::kBack : GuardBuffer::kFront);
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
        return case_.program->params[p].name() + first_difference(reference_[p], result);
      }
      // Inputs and the gaps between elements are as they were.
      if (is_output(p)) copy(data_[p], strides, g, true);
      if (!std::equal(g.before.begin(), g.before.end(), g.memory->data())) {
        return case_.program->params[p].name() + ": memory that is not an output was written";
      }
    }
    return "";
  }

  uint64_t seed_;
  Rng rng_;
  PairOptions options_;
  PairCounts& counts_;
  RandomCase case_;
  std::vector<Array> data_;
  std::vector<Array> reference_;
  bool too_long_ = false;
  bool reassociated_ = false;
};

}  // namespace

std::string check_pair(uint64_t seed, const PairOptions& options, PairCounts& counts) {
  return PairCheck(seed, options, counts).run();
}

}  // namespace tenon::test
