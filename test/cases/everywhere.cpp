#include "cases/everywhere.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

#include "support/check.h"
#include "support/guard_buffer.h"
#include "support/native.h"
#include "tenon/base/macros.h"

namespace tenon::test {
namespace {

View view_of(const Array& array, std::byte* memory) {
  return View(memory, array.type(), array.shape());
}

std::set<int64_t> interesting_lengths(int64_t lanes) {
  return {1, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes + 1};
}

class Runner {
 public:
  Runner(const Everywhere& what, const Target& target) : what_(what), jit_(options(target)) {}

  void run(int64_t lanes, bool parallel) {
    lanes_ = lanes;
    parallel_ = parallel;
    if (what_.symbolic) {
      const Schedule s = schedule(what_.sizes);
      if (const absl::StatusOr<Kernel> kernel = compile(s); kernel.ok()) {
        for (int64_t n = 0; n <= 3 * lanes + 1; ++n) check(*kernel, s, n);
      }
    }
    if (!what_.constant) return;
    for (int64_t n : interesting_lengths(lanes)) {
      std::vector<std::pair<Var, int64_t>> values = what_.sizes.values();
      values.emplace_back(what_.length, n);
      const Schedule s = schedule(Sizes(std::move(values)));
      if (const absl::StatusOr<Kernel> kernel = compile(s); kernel.ok()) check(*kernel, s, n);
    }
  }

 private:
  JitOptions options(const Target& target) {
    JitOptions options;
    options.target = target;
    options.executor = &executor_;
    options.contract = what_.contract;
    return options;
  }

  Schedule schedule(const Sizes& sizes) const {
    Schedule s(what_.program, sizes);
    if (what_.schedule) {
      what_.schedule(s, lanes_, parallel_);
      return s;
    }
    for (const Param& param : what_.program->params) {
      if (is_written(param.role)) vectorize_stage(s, param.name(), lanes_, parallel_);
    }
    return s;
  }

  absl::StatusOr<Kernel> compile(const Schedule& s) {
    const absl::StatusOr<Kernel> kernel = jit_.compile(s);
    INFO(where(s) << kernel.status());
    CHECK(kernel.ok());
    return kernel;
  }

  void check(const Kernel& kernel, const Schedule& s, int64_t n) const {
    const CaseData data = what_.data(n);
    for (const bool front : {false, true}) {
      const absl::StatusOr<std::vector<Array>> got =
          call_guarded(kernel, data.inputs, data.expected, front, data.before);
      INFO(where(s) << "length " << n << ": " << got.status());
      REQUIRE(got.ok());
      for (size_t o = 0; o < data.expected.size(); ++o) {
        const std::string difference = what_.difference
                                           ? what_.difference(data.expected[o], (*got)[o])
                                           : first_difference(data.expected[o], (*got)[o]);
        INFO("output " << o << " expected and got: " << difference);
        REQUIRE(difference.empty());
      }
    }
  }

  std::string where(const Schedule& s) const {
    std::ostringstream text;
    text << jit_.target().to_string() << ", " << lanes_ << " lanes"
         << (parallel_ ? ", parallel" : "") << "\n"
         << s.program();
    return text.str();
  }

  const Everywhere& what_;
  ShufflingExecutor executor_;
  Jit jit_;
  int64_t lanes_ = 1;
  bool parallel_ = false;
};

}  // namespace

void Everywhere::run() const {
  checked(program);
  for (const Target& target : native_targets()) {
    Runner runner(*this, target);
    for (const int64_t lanes : {1, 4, 8, 16}) {
      for (const bool parallel : {false, true}) runner.run(lanes, parallel);
    }
  }
}

void vectorize_stage(Schedule& s, const std::string& stage, int64_t lanes, bool parallel) {
  const std::vector<Loop> loops = s.loops(stage);
  const auto [outer, inner] = s.split(loops.back(), lanes);
  s.vectorize(inner);
  if (parallel) s.parallelize(loops.size() > 1 ? loops.front() : outer);
}

absl::StatusOr<std::vector<Array>> call_guarded(const Kernel& kernel,
                                                const std::vector<Array>& inputs,
                                                const std::vector<Array>& expected, bool front,
                                                const std::vector<Array>& before) {
  const GuardBuffer::Side side = front ? GuardBuffer::kFront : GuardBuffer::kBack;
  std::vector<GuardBuffer> memory;
  std::vector<Argument> arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    memory.emplace_back(inputs[i].bytes(), side);
    if (inputs[i].bytes() > 0) {
      std::memcpy(memory.back().data(), inputs[i].data(), inputs[i].bytes());
    }
    arguments.push_back(view_of(inputs[i], memory.back().data()));
  }
  std::vector<View> outputs;
  std::vector<std::byte*> written;
  for (const Array& array : expected) {
    memory.emplace_back(array.bytes(), side);
    if (array.bytes() > 0) std::memset(memory.back().data(), 0xA5, array.bytes());
    written.push_back(memory.back().data());
    if (!before.empty() && array.bytes() > 0) {
      std::memcpy(written.back(), before[written.size() - 1].data(), array.bytes());
    }
    outputs.push_back(view_of(array, written.back()));
  }
  TENON_RETURN_IF_ERROR(kernel(arguments, outputs));
  std::vector<Array> results = expected;
  for (size_t o = 0; o < results.size(); ++o) {
    if (results[o].bytes() > 0) std::memcpy(results[o].data(), written[o], results[o].bytes());
  }
  return results;
}

std::string difference_in_ulp(const Array& expected, const Array& got, int64_t ulp) {
  // Neighbouring floats are neighbouring integers.
  const auto place = [](float value) {
    const int32_t bits = std::bit_cast<int32_t>(value);
    return static_cast<int64_t>(bits < 0 ? INT32_MIN - bits : bits);
  };
  for (int64_t i = 0; i < expected.elements(); ++i) {
    const float a = expected.at<float>(i), b = got.at<float>(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!std::isnan(a) && !std::isnan(b) && std::abs(place(a) - place(b)) <= ulp) continue;
    return "[" + std::to_string(i) + "]: " + std::to_string(a) + " and " + std::to_string(b);
  }
  return "";
}

}  // namespace tenon::test
