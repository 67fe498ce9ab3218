#include "schedule/run.h"

#include <catch2/catch.hpp>
#include <regex>

#include "support/check.h"
#include "tenon/dsl/dsl.h"
#include "tenon/ir/packing.h"

namespace tenon::test {
namespace {

std::vector<int64_t> shape_values(const std::vector<Expr>& shape, const Sizes& sizes) {
  std::vector<int64_t> values;
  for (const Expr& e : shape) {
    const std::optional<int64_t> value = evaluate_int(e, sizes);
    REQUIRE(value);
    values.push_back(*value);
  }
  return values;
}

// Multiples of 1/8 from -8 to 8, or small integers: sums of them in any order are not all exact.
uint64_t next_bits(Type type, uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  const auto value = static_cast<int64_t>((state >> 33) % 129) - 64;
  const Expr e = type.is_float() ? constant_float(type, static_cast<double>(value) / 7.0)
                                 : constant_int(type, value);
  return e.as<Const>()->bits;
}

Array filled(Type type, std::vector<int64_t> shape, uint64_t seed) {
  Array array(type, std::move(shape));
  uint64_t state = seed * 2654435761u + 12345;
  for (int64_t i = 0; i < array.elements(); ++i) array.set_bits(i, next_bits(type, state));
  return array;
}

Sizes used_by(const Program& program, const Sizes& sizes) {
  std::vector<std::pair<Var, int64_t>> used;
  for (const Var& var : program->sizes) {
    if (sizes.find(var)) used.emplace_back(var, *sizes.find(var));
  }
  return Sizes(std::move(used));
}

Array packed(const Param& param, Array logical, const Sizes& sizes) {
  const Program pack = packing_program(param);
  Array result(param.buffer.type(), shape_values(param.shape, sizes));
  const absl::Status status = interpret(pack, used_by(pack, sizes), {&logical, &result});
  INFO(status.message());
  REQUIRE(status.ok());
  return result;
}

Array argument(const Param& param, const Sizes& sizes, uint64_t seed) {
  const Type type = param.buffer.type();
  if (param.role == Role::kOutput) return Array(type, shape_values(param.shape, sizes));
  if (!param.packing) return filled(type, shape_values(param.shape, sizes), seed);
  return packed(param, filled(type, shape_values(param.packing->logical_shape, sizes), seed),
                sizes);
}

}  // namespace

Program linear_relu() {
  const Size m("m"), n("n"), k("k");
  const Tensor x = input("x", f32, {m, k});
  const Tensor w = weight("w", f32, {n, k});
  const Tensor b = input("b", f32, {n});
  const Tensor linear = compute("linear", {m, n}, [&](Expr i, Expr j) {
    return sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
  });
  const Tensor out =
      compute("out", {m, n}, [&](Expr i, Expr j) { return max(linear(i, j) + b(j), 0.0f); });
  return checked(program("linear_relu", {x, w, b}, {out}));
}

Program chain() {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Tensor t = compute("t", {n}, [&](Expr i) { return x(i) * 2.0f; });
  const Tensor out = compute("out", {n}, [&](Expr i) { return t(i) + 1.0f; });
  return checked(program("chain", {x}, {out}));
}

Program program_of(std::string_view body, int64_t least_m, int64_t least_n) {
  return parsed(R"(
program p
  size m, n
  input x: f32[n]
  input y: f32[m, n]
  output out: f32[n]
  output grid: f32[m, n]
  require )" + std::to_string(least_m) +
                " <= m\n  require " + std::to_string(least_n) + " <= n\n{\n" + std::string(body) +
                "\n}\n");
}

Sizes sizes_of(const Program& program, const std::vector<std::pair<std::string, int64_t>>& values) {
  std::vector<std::pair<Var, int64_t>> sizes;
  for (const auto& [name, value] : values) {
    for (const Var& var : program->sizes) {
      if (var.name() == name) sizes.emplace_back(var, value);
    }
  }
  REQUIRE(sizes.size() == values.size());
  return Sizes(std::move(sizes));
}

std::vector<Array> outputs_of(const Program& program, const Sizes& sizes) {
  std::vector<Array> arrays;
  for (const Param& param : program->params) {
    REQUIRE(param.buffer);
    arrays.push_back(argument(param, sizes, arrays.size() + 1));
  }
  std::vector<InterpArgument> arguments;
  for (Array& array : arrays) arguments.emplace_back(&array);
  const absl::Status status = interpret(program, used_by(program, sizes), arguments);
  INFO(print(program) << "\n" << status.message());
  REQUIRE(status.ok());
  std::vector<Array> outputs;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (is_written(program->params[i].role)) outputs.push_back(std::move(arrays[i]));
  }
  return outputs;
}

void check_same(const Program& before, const Program& after, const Sizes& sizes) {
  const std::vector<Array> a = outputs_of(before, sizes), b = outputs_of(after, sizes);
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    INFO(print(after) << "\noutput " << i << ": " << first_difference(a[i], b[i]));
    CHECK(same_values(a[i], b[i]));
  }
}

Followed::Followed(Program program, Sizes sizes, Sizes special)
    : before_(std::move(program)), sizes_(std::move(sizes)), schedule_(before_, special) {
  check();
}

void Followed::check() {
  INFO(schedule_.trace().to_string() << schedule_.status().message());
  REQUIRE(schedule_.status().ok());
  check_same(before_, checked(schedule_.program()), sizes_);
}

std::string refusal_of(const Schedule& schedule) {
  REQUIRE(!schedule.status().ok());
  return std::regex_replace(std::string(schedule.status().message()),
                            std::regex(" at [a-z_]+\\.cpp:[0-9]+"), "");
}

std::string body_of(const Program& program) {
  const std::string text = print(program);
  const size_t begin = text.find("\n{\n") + 3;
  return text.substr(begin, text.size() - begin - 2);
}

}  // namespace tenon::test
