// Random expressions over all types: machine code against the interpreter, bit for bit. Finds what
// single operators cannot show: a rewrite of LLVM across two of them.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "support/native.h"
#include "tenon/ir/scalar_ops.h"

using namespace tenon;

namespace {

constexpr int64_t kElements = 96;

class Generator {
 public:
  Generator(uint32_t seed, int lanes) : random_(seed), lanes_(lanes) {
    const Expr first = binary(BinaryOp::kMul, i_, Expr(lanes));
    index_ = lanes == 1 ? first : ramp(first, Expr(1), lanes);
    for (Type type : kAllTypes) inputs_.emplace_back("in_" + to_string(type), type);
  }

  // `count` outputs of random types from one input per type.
  Program program(int count) {
    ProgramData data;
    data.name = "random";
    std::vector<Stmt> body;
    for (const Buffer& in : inputs_) {
      data.params.push_back({.role = Role::kInput, .buffer = in, .shape = {kElements}});
    }
    for (int k = 0; k < count; ++k) {
      const Buffer out("out" + std::to_string(k), any_type());
      data.params.push_back({.role = Role::kOutput, .buffer = out, .shape = {kElements}});
      const Expr value = make(out.type().with_lanes(lanes_), 5);
      body.push_back(store(out, {index_}, value));
    }
    data.body = make_for(i_, Expr(0), Expr(kElements / lanes_), ForKind::kSerial, seq(body));
    return Program(std::move(data));
  }

  Array array(Type type) {
    Array result(type, {kElements});
    for (int64_t i = 0; i < kElements; ++i) result.set_bits(i, any_bits(type));
    return result;
  }

 private:
  size_t pick(size_t n) { return random_() % n; }
  Type any_type() { return kAllTypes[pick(std::size(kAllTypes))]; }

  uint64_t any_bits(Type type) {
    const int64_t small = static_cast<int64_t>(pick(9)) - 4;
    switch (pick(4)) {
      case 0: return bits_of_value(type, small);
      case 1:
        return type.is_float() ? bits_of_float(type, static_cast<double>(small) / 3 + 0.25)
                               : bits_of_value(type, small * 29);
      default: {
        const uint64_t bits = (uint64_t{random_()} << 32) | random_();
        return type.bits() == 64 ? bits : bits & ((uint64_t{1} << type.bits()) - 1);
      }
    }
  }
  static uint64_t bits_of_value(Type type, int64_t value) {
    return type.is_float() ? bits_of_float(type, value == 0 ? -0.0 : static_cast<double>(value))
                           : bits_of_int(type, value);
  }

  Expr leaf(Type type) {
    if (pick(4) == 0) return constant_bits(type, any_bits(type.element()));
    for (const Buffer& in : inputs_) {
      if (in.type() == type.element()) return load(in, {index_});
    }
    return {};
  }

  Expr make(Type type, int depth) {
    if (depth == 0) return leaf(type);
    switch (pick(6)) {
      case 0: return leaf(type);
      case 1: return make_cast_to(type, depth - 1);
      case 2:
        return make_select(make(boolean.with_lanes(lanes_), depth - 1), make(type, depth - 1),
                           make(type, depth - 1));
      case 3: return make_unary(type, depth - 1);
      default: return make_binary(type, depth - 1);
    }
  }

  Expr make_cast_to(Type type, int depth) {
    const Type from = any_type().with_lanes(lanes_);
    const CastMode modes[] = {CastMode::kValue, CastMode::kSaturate, CastMode::kBits};
    CastMode mode = modes[pick(3)];
    if (mode == CastMode::kBits && from.bits() != type.bits()) mode = CastMode::kValue;
    // The bits of a computed NaN are not specified.
    const bool shows_bits = mode == CastMode::kBits && from.is_float();
    return make_cast(mode, type, shows_bits ? leaf(from) : make(from, depth));
  }

  Expr make_unary(Type type, int depth) {
    const auto op = static_cast<UnaryOp>(pick(static_cast<size_t>(kUnaryOpCount)));
    return accepts(op, type.element()) ? unary(op, make(type, depth)) : leaf(type);
  }

  Expr make_binary(Type type, int depth) {
    const auto op = static_cast<BinaryOp>(pick(static_cast<size_t>(BinaryOp::kCheck)));
    if (type.is_bool() != is_comparison(op)) {
      if (!type.is_bool()) return make_binary(type, depth);
      return binary(BinaryOp::kBitAnd, make(type, depth), make(type, depth));
    }
    const Type operand = is_comparison(op) ? any_type().with_lanes(lanes_) : type;
    if (!accepts(op, operand.element())) return leaf(type);
    return binary(op, make(operand, depth), make(operand, depth));
  }

  std::mt19937 random_;
  int lanes_;
  Var i_{"i"};
  Expr index_;
  std::vector<Buffer> inputs_;
};

void check_rounds(uint32_t seed, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (int lanes : {1, 4, 8, 16, 32}) {
      Generator generator(seed++, lanes);
      const Program program = generator.program(20);
      REQUIRE(verify(program).message() == "");
      std::vector<Array> arrays;
      for (const Param& p : program->params) arrays.push_back(generator.array(p.buffer.type()));
      std::vector<InterpArgument> arguments;
      for (Array& array : arrays) arguments.emplace_back(&array);
      INFO("seed " << seed - 1 << ", lanes " << lanes << "\n" << print(program));
      REQUIRE(test::native_difference(program, {}, arguments) == "");
    }
  }
}

}  // namespace

TEST_CASE("random expressions give the bits of the interpreter") { check_rounds(1, 12); }

// Minutes: test_codegen "[.slow]".
TEST_CASE("many random expressions give the bits of the interpreter", "[.slow]") {
  check_rounds(1000, 150);
}
