// What is made of the operators, in compiled code: integers that widen and saturate, eight-bit
// floats, packed codes. The interpreter, whose answers test/ir and test/dsl check, is the
// reference.
#include <catch2/catch.hpp>

#include "cases/everywhere.h"
#include "support/rng.h"

namespace tenon {
namespace {

using test::CaseData;
using test::Everywhere;
using test::Rng;

Array random_array(Rng& rng, Type type, std::vector<int64_t> shape) {
  Array a(type, std::move(shape));
  const uint64_t mask = type.bits() == 64 ? UINT64_MAX : (uint64_t{1} << type.bits()) - 1;
  for (int64_t i = 0; i < a.elements(); ++i) a.set_bits(i, rng.bits() & mask);
  return a;
}

// One output per function, of x and y of this length.
using Function = Expr (*)(const Expr&, const Expr&);
void check_functions(Type type, const std::vector<Function>& functions) {
  INFO(to_string(type));
  const Size n("n");
  const Tensor x = input("x", type, {n}), y = input("y", type, {n});
  std::vector<Tensor> outputs;
  for (size_t f = 0; f < functions.size(); ++f) {
    outputs.push_back(
        compute("out" + std::to_string(f), {n}, [&](Expr i) { return functions[f](x(i), y(i)); }));
  }
  Everywhere e;
  e.program = program("functions", {x, y}, outputs);
  e.length = n;
  e.constant = false;  // the operators are those of every other case
  e.data = [&](int64_t length) {
    Rng rng(static_cast<uint64_t>(length));
    CaseData data;
    data.inputs = {random_array(rng, type, {length}), random_array(rng, type, {length})};
    std::vector<InterpArgument> arguments = {&data.inputs[0], &data.inputs[1]};
    for (const Tensor& out : outputs) data.expected.emplace_back(out.type(), std::vector{length});
    for (Array& out : data.expected) arguments.push_back(&out);
    REQUIRE(interpret(e.program, {}, arguments).ok());
    return data;
  };
  e.run();
}

TEST_CASE("the integer vocabulary is the same at every width") {
  const std::vector<Function> narrow = {widening_add,
                                        widening_sub,
                                        widening_mul,
                                        saturating_add,
                                        mul_high,
                                        halving_add,
                                        saturating_sub,
                                        rounding_halving_add,
                                        absolute_difference,
                                        rounding_shift_right};
  for (Type type : {i8, u16}) check_functions(type, narrow);
  check_functions(i16, {rounding_mul_high});
  for (Type type : {i64, u64}) check_functions(type, {saturating_add, saturating_sub});
}

TEST_CASE("eight-bit floats are the same at every width") {
  check_functions(u8, {[](const Expr& x, const Expr&) { return decode_e4m3(x); },
                       [](const Expr& x, const Expr&) { return decode_e5m2(x); }});
  check_functions(f32, {[](const Expr& x, const Expr&) { return encode_e4m3(x); },
                        [](const Expr& x, const Expr&) { return encode_e5m2(x); }});
}

TEST_CASE("a product of packed weights is the same at every width") {
  for (int bits : {2, 4}) {
    for (auto zero : {QuantizedFormat::Zero::kNone, QuantizedFormat::Zero::kCodes}) {
      INFO(bits << " bits");
      const Size n("n");
      const QuantizedFormat format{.bits = bits, .group = 8, .scale = f32, .zero = zero};
      const QuantizedTensor w = quantized("w", {n, 21}, format);
      const Tensor x = input("x", f32, {21});
      std::vector<ProgramInput> inputs = {x, w.codes(), w.scales()};
      if (zero == QuantizedFormat::Zero::kCodes) inputs.emplace_back(w.zeros());
      const Tensor y = compute(
          "y", {n}, [&](Expr i) { return sum(21, [&](Expr r) { return w(i, r) * x(r); }); });
      Everywhere e;
      e.program = program("matvec", inputs, {y});
      e.length = n;
      e.contract = false;
      e.constant = false;
      e.data = [&](int64_t length) {
        Rng rng(static_cast<uint64_t>(length));
        const int64_t per_byte = 8 / bits;
        const auto floats = [&](std::vector<int64_t> shape) {
          Array a(f32, std::move(shape));
          for (int64_t i = 0; i < a.elements(); ++i) {
            const auto value = static_cast<float>(rng.between(-20, 20)) / 7;
            a.set_bits(i, std::bit_cast<uint32_t>(value));
          }
          return a;
        };
        CaseData data;
        data.inputs = {floats({21}),
                       random_array(rng, u8, {length, (21 + per_byte - 1) / per_byte}),
                       floats({length, 3})};
        if (inputs.size() == 4) {
          data.inputs.push_back(random_array(rng, u8, {length, (3 + per_byte - 1) / per_byte}));
        }
        data.expected = {Array(f32, {length})};
        std::vector<InterpArgument> arguments;
        for (Array& input : data.inputs) arguments.push_back(&input);
        arguments.push_back(&data.expected[0]);
        REQUIRE(interpret(e.program, {}, arguments).ok());
        return data;
      };
      e.run();
    }
  }
}

}  // namespace
}  // namespace tenon
