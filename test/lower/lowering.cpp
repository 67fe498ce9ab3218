#include "lower/lowering.h"

#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/ir/scalar_ops.h"
#include "tenon/ir/visit.h"

namespace tenon::test {
namespace {

uint64_t noise(uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Sums of these round, so an exchanged order shows.
uint64_t sample(Type type, uint64_t seed) {
  const uint64_t r = noise(seed);
  if (type.is_bool()) return r & 1;
  if (!type.is_float()) return bits_of_int(type, static_cast<int64_t>(r % 23) - 7);
  if (r % 97 == 0) return bits_of_float(type, std::numeric_limits<double>::quiet_NaN());
  if (r % 89 == 0) return bits_of_float(type, std::numeric_limits<double>::infinity());
  if (r % 29 == 0) return bits_of_float(type, r & 1 ? 0.0 : -0.0);
  return bits_of_float(type, static_cast<double>(static_cast<int64_t>(r % 2001) - 1000) / 300.0);
}

Array filled(const Param& param, size_t position, const Sizes& sizes) {
  std::vector<int64_t> shape;
  for (const Expr& extent : param.shape) shape.push_back(evaluate_int(extent, sizes).value());
  Array array(param.buffer.type(), shape);
  for (int64_t i = 0; i < array.elements(); ++i) {
    const uint64_t seed = position * 1000003 + static_cast<uint64_t>(i);
    array.set_bits(i, param.role == Role::kOutput ? bits_of_int(array.type(), 0) + 7
                                                  : sample(array.type(), seed));
    if (array.type().is_bool() && param.role == Role::kOutput) array.set_bits(i, 1);
  }
  return array;
}

std::string unindented(const std::string& text) {
  std::string result;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = text.find('\n', begin) + 1;
    result += text.substr(begin + 2, end - begin - 2);
    begin = end;
  }
  return result;
}

}  // namespace

Target wide_target() { return Target::parse("x86-64-v4").value(); }

Program run(PassFunction pass, const Program& program, const Target& target) {
  return checked(pass(program, target));
}

std::string body_of(const Program& program) {
  const std::string text = print(program);
  const size_t begin = text.find("\n{\n") + 3;
  return unindented(text.substr(begin, text.size() - begin - 2));
}

std::string body_after(PassFunction pass, std::string_view text) {
  return body_of(run(pass, parsed(text)));
}

std::vector<Array> outputs_of(const Program& program, const SizeValues& sizes) {
  std::vector<std::pair<Var, int64_t>> values;
  for (const Var& size : program->sizes) values.emplace_back(size, sizes.at(size.name()));
  const Sizes bound(values);

  std::vector<Array> arrays;
  arrays.reserve(program->params.size());
  std::vector<InterpArgument> arguments;
  for (size_t i = 0; i < program->params.size(); ++i) {
    const Param& param = program->params[i];
    if (param.role == Role::kScalar) {
      arguments.push_back(constant_bits(param.scalar.type(), sample(param.scalar.type(), i)));
    } else {
      arrays.push_back(filled(param, i, bound));
      arguments.push_back(&arrays.back());
    }
  }
  const absl::Status status = interpret(program, bound, arguments);
  INFO(print(program));
  INFO(status.message());
  REQUIRE(status.ok());

  std::vector<Array> outputs;
  size_t next = 0;
  for (const Param& param : program->params) {
    if (param.role == Role::kScalar) continue;
    if (is_written(param.role)) outputs.push_back(arrays[next]);
    ++next;
  }
  return outputs;
}

void check_same_meaning(const Program& before, const Program& after, const SizeValues& sizes) {
  const std::vector<Array> expected = outputs_of(before, sizes);
  const std::vector<Array> found = outputs_of(after, sizes);
  REQUIRE(expected.size() == found.size());
  INFO("before:\n" << print(before) << "after:\n" << print(after));
  for (size_t i = 0; i < expected.size(); ++i) {
    REQUIRE(expected[i].elements() == found[i].elements());
    for (int64_t k = 0; k < expected[i].elements(); ++k) {
      const Type type = expected[i].type();
      const uint64_t a = expected[i].bits(k), b = found[i].bits(k);
      if (a == b) continue;
      INFO("output " << i << ", element " << k);
      REQUIRE(type.is_float());
      REQUIRE(std::isnan(float_of_bits(type, a)));
      REQUIRE(std::isnan(float_of_bits(type, b)));
    }
  }
}

Program check_pass(PassFunction pass, const Program& program, const SizeValues& sizes,
                   const Target& target) {
  const Program result = run(pass, program, target);
  check_same_meaning(program, result, sizes);
  return result;
}

Program check_lowering(const Program& program, const SizeValues& sizes, const Target& target) {
  LowerOptions options;
  options.verify = true;
  options.observer = [](const Pass&, const Program& p) { checked(p); };
  const absl::StatusOr<Program> lowered = lower(program, target, options);
  INFO(print(program));
  INFO(lowered.status().message());
  REQUIRE(lowered.ok());
  check_same_meaning(program, *lowered, sizes);
  return *lowered;
}

}  // namespace tenon::test
