#include "analysis/rules.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "analysis/wide.h"
#include "tenon/ir/program.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

using rules::CompiledRule;
using rules::Term;

// The value of a term of a rule by the scalar semantics, on bits. Types follow from the shape of
// the rule: comparisons have operands of the rule's type and a bool result.
struct Value {
  Type type;
  uint64_t bits;
};

struct Case {
  Type type;  // of x
  uint64_t letters[rules::kLetters];
};

class Evaluator {
 public:
  Evaluator(const CompiledRule& rule, const Case& values) : rule_(rule), values_(values) {}

  uint64_t of(int term, Type type) const {
    const Term& t = rule_.terms[term];
    switch (t.kind) {
      case Term::Kind::kLetter: return values_.letters[t.letter];
      case Term::Kind::kNumber:
        if (type.is_float()) {
          return bits_of_float(type, t.minus_zero ? -0.0 : static_cast<double>(t.number));
        }
        return bits_of_int(type, t.number);
      case Term::Kind::kUnary: {
        // ~ of a comparison is on bool.
        const Type operand = is_comparison_term(t.operands[0]) ? boolean : type;
        return apply_unary(t.unary, operand, of(t.operands[0], operand));
      }
      case Term::Kind::kBinary: {
        const Type operand = is_comparison(t.binary) ? values_.type : type;
        return apply_binary(t.binary, operand, of(t.operands[0], operand),
                            of(t.operands[1], operand));
      }
      case Term::Kind::kSelect:
        return of(t.operands[0], boolean) ? of(t.operands[1], type) : of(t.operands[2], type);
      case Term::Kind::kFits: break;
    }
    std::abort();
  }

  bool is_comparison_term(int term) const {
    const Term& t = rule_.terms[term];
    return t.kind == Term::Kind::kBinary && is_comparison(t.binary);
  }

  // The type of a whole pattern when x has type values_.type.
  Type result_type(int term) const {
    const Term& t = rule_.terms[term];
    if (is_comparison_term(term)) return boolean;
    if (t.kind == Term::Kind::kUnary) return result_type(t.operands[0]);
    return values_.type;
  }

 private:
  const CompiledRule& rule_;
  const Case& values_;
};

bool mentions(const CompiledRule& rule, int letter) {
  for (const Term& t : rule.terms) {
    if (t.kind == Term::Kind::kLetter && t.letter == letter) return true;
  }
  return false;
}

std::vector<uint64_t> values_for(Type type, int letters) {
  std::vector<uint64_t> values;
  if (type.is_bool()) return {0, 1};
  if (type.is_float()) {
    const double numbers[] = {0.0,  -0.0, 1.0,    -1.0,  0.5,  -0.5,     1.5,      2.5,
                              -2.5, 3.0,  100.25, -7.75, 1e30, INFINITY, -INFINITY};
    for (double number : numbers) values.push_back(bits_of_float(type, number));
    const int bits = type.bits();
    const int mantissa = type.scalar == Scalar::kF64   ? 52
                         : type.scalar == Scalar::kF32 ? 23
                         : type.scalar == Scalar::kF16 ? 10
                                                       : 7;
    const uint64_t sign = uint64_t{1} << (bits - 1);
    const uint64_t infinity = bits_of_float(type, INFINITY);
    const uint64_t quiet = infinity | (uint64_t{1} << (mantissa - 1));
    for (uint64_t x : {quiet, quiet | 5, uint64_t{1}, (uint64_t{1} << mantissa) - 1,
                       uint64_t{1} << mantissa, infinity - 1}) {
      values.push_back(x);
      values.push_back(x | sign);
    }
    return values;
  }
  const int range = letters > 3 ? 6 : letters == 3 ? 12 : 20;
  for (int v = -range; v <= range; ++v) values.push_back(bits_of_int(type, v));
  const int bits = type.bits();
  for (int shift : {bits - 1, bits - 2, bits / 2}) {
    for (int near : {-1, 0, 1}) {
      const uint64_t power = uint64_t{1} << shift;
      values.push_back(
          bits_of_int(type, static_cast<int64_t>(power + static_cast<uint64_t>(near))));
    }
  }
  return values;
}

// Every assignment of values to the letters that the rule mentions.
template <class F>
void for_each_case(const CompiledRule& rule, Type type, F&& f) {
  int count = 0;
  for (int letter = 0; letter < rules::kLetters; ++letter) count += mentions(rule, letter);
  const std::vector<uint64_t> values = values_for(type, count);
  const std::vector<uint64_t> bools = {0, 1};
  Case c{type, {}};
  const auto assign = [&](const auto& self, int letter) -> void {
    if (letter == rules::kLetters) return f(c);
    if (!mentions(rule, letter)) return self(self, letter + 1);
    // z is the condition of the one rule on select with arms of any type.
    const bool is_condition = rule.rule->pattern == "select(z, x, x)" && letter == 2;
    for (uint64_t value : is_condition ? bools : values) {
      c.letters[letter] = value;
      self(self, letter + 1);
    }
  };
  assign(assign, 0);
}

std::vector<Span> spans_of(const Case& c) {
  std::vector<Span> spans;
  for (uint64_t bits : c.letters) {
    const bool known = !c.type.is_float() && c.type != u64;
    spans.push_back(known ? Span::point(int_of_bits(c.type, bits)) : Span::whole());
  }
  return spans;
}

TEST_CASE("every rule holds on all small values and at the ends of every type of its domain") {
  for (const rules::Rule& rule : rules::table()) {
    const CompiledRule compiled = rules::compile(rule);
    int64_t cases = 0, types = 0;
    for (Type type : kAllTypes) {
      if (!rules::contains(rule.domain, type)) continue;
      ++types;
      for_each_case(compiled, type, [&](const Case& c) {
        if (!rules::condition_holds(compiled, type, spans_of(c))) return;
        ++cases;
        const Evaluator evaluator(compiled, c);
        const Type result = evaluator.result_type(compiled.pattern);
        const uint64_t before = evaluator.of(compiled.pattern, result);
        const uint64_t after = evaluator.of(compiled.replacement, result);
        if (before != after) {
          CAPTURE(to_string(type), c.letters[0], c.letters[1], c.letters[2], c.letters[3],
                  c.letters[4]);
          FAIL(std::string(rule.pattern) << " -> " << std::string(rule.replacement));
        }
      });
    }
    CAPTURE(std::string(rule.pattern));
    CHECK(types > 0);
    CHECK(cases > 0);
  }
}

TEST_CASE("every rule applies to its own pattern and gives a value of the same type") {
  for (const rules::Rule& rule : rules::table()) {
    const CompiledRule compiled = rules::compile(rule);
    for (Type type : kAllTypes) {
      if (!rules::contains(rule.domain, type)) continue;
      rules::Bindings letters;
      for (int letter = 0; letter < 3; ++letter) letters.letters[letter] = Var("x", type);
      if (rule.pattern == "select(z, x, x)") letters.letters[2] = Var("z", boolean);
      letters.letters[3] = constant_int(type, 12);
      letters.letters[4] = constant_int(type, 4);
      const Expr pattern = rules::instantiate(compiled, compiled.pattern, letters, type);
      CAPTURE(std::string(rule.pattern), print(pattern));
      rules::Bindings found;
      const bool folds = !rules::matches(compiled, pattern, found);
      if (folds) continue;  // the constants of the pattern met and were folded
      const Expr applied = rules::apply_once(pattern, {});
      if (rule.condition.empty()) REQUIRE(applied);
      if (applied) CHECK(applied.type() == pattern.type());
    }
  }
}

TEST_CASE("rules match operands in either order, and lanes through broadcasts") {
  const Var x("x", i32);
  const Expr zero = constant_int(i32, 0);
  CHECK(print(rules::apply_once(binary(BinaryOp::kAdd, zero, x), {})) == "x");
  const Expr lanes = broadcast_lanes(x, 4);
  const Expr sum = binary(BinaryOp::kAdd, lanes, broadcast_lanes(zero, 4));
  CHECK(equal(rules::apply_once(sum, {}), lanes));
}

TEST_CASE("floats keep what is not exact") {
  for (Type type : {f64, f32, f16, bf16}) {
    const Var x("x", type), y("y", type);
    const Expr zero = constant_float(type, 0.0);
    CHECK(rules::apply_once(binary(BinaryOp::kAdd, x, zero), {}).get() == nullptr);
    CHECK(rules::apply_once(binary(BinaryOp::kMul, y, zero), {}).get() == nullptr);
    CHECK(rules::apply_once(binary(BinaryOp::kSub, x, x), {}).get() == nullptr);
    CHECK(rules::apply_once(binary(BinaryOp::kDiv, x, x), {}).get() == nullptr);
    CHECK(rules::apply_once(binary(BinaryOp::kEq, x, x), {}).get() == nullptr);
    CHECK(rules::apply_once(binary(BinaryOp::kLe, x, x), {}).get() == nullptr);
  }
}

}  // namespace
}  // namespace tenon
