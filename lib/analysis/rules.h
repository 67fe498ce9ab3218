// The simplifier's local rules, as data.
//
//   {kInts, "(x // a) // b", "x // (a * b)", "a > 0 & b > 0 & fits(a * b)"}
//
// x, y, z match any expression (twice the same letter: equal expressions), a, b match constants, a
// number matches itself. Operands of + * min max & | ^ == != match in either order. The domain
// restricts the type of x. The condition is decided on the constant ranges of what was matched;
// fits(t) says that t does not leave the type. A rule holds for every value, wrapping and NaN
// included; the tests check each row on all small values of every type of its domain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/span.h"
#include "tenon/analysis/facts.h"
#include "tenon/ir/expr.h"

namespace tenon::rules {

enum Domain : uint8_t {
  kSigned = 1,
  kUnsigned = 2,
  kBool = 4,
  kFloats = 8,
  kInts = kSigned | kUnsigned,
  kIntsAndBool = kInts | kBool,
  kNumbers = kInts | kFloats,
  kSignedNumbers = kSigned | kFloats,
  kAll = kInts | kBool | kFloats,
};
bool contains(Domain domain, Type type);

// Operands in either order: equal values, though a NaN may have other bits.
bool is_commutative(BinaryOp op);

struct Rule {
  Domain domain;
  std::string_view pattern, replacement;
  std::string_view condition = {};
};

// --- The term language.

inline constexpr int kLetters = 5;  // x y z a b

struct Term {
  enum class Kind : uint8_t { kLetter, kNumber, kUnary, kBinary, kSelect, kFits };
  Kind kind = Kind::kNumber;
  int letter = 0;  // 0..4
  int64_t number = 0;
  bool minus_zero = false;  // the number -0, for floats
  UnaryOp unary{};
  BinaryOp binary{};
  int operands[3] = {-1, -1, -1};  // indices of terms
};

struct CompiledRule {
  const Rule* rule = nullptr;
  std::vector<Term> terms;
  int pattern = -1, replacement = -1, condition = -1;
};

struct Bindings {
  Expr letters[kLetters];
};

inline bool is_constant_letter(int letter) { return letter >= 3; }

// Both abort on a malformed rule: the table is part of the program.
CompiledRule compile(const Rule& rule);
std::span<const Rule> table();

// The bindings under which the pattern is e; false when it is not.
bool matches(const CompiledRule& rule, const Expr& e, Bindings& bindings);
// Whether the condition is certain when the letters have these ranges, in a type.
bool condition_holds(const CompiledRule& rule, Type type, const std::vector<Span>& letters);
// The term with its letters replaced. `type` is that of numbers and, for a lone number, of the
// result.
Expr instantiate(const CompiledRule& rule, int term, const Bindings& bindings, Type type);

// The first rule that applies to the node e, applied once; null when there is none.
Expr apply_once(const Expr& e, const Facts& facts);

}  // namespace tenon::rules
