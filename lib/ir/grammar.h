// What the printer and the parser agree on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenon/ir/expr.h"

namespace tenon {

// Letters, digits and underscores, not starting with a digit.
bool is_identifier(std::string_view text);
// Words that mean something wherever a name may stand: true, inf, cast, the types ...
bool is_reserved(std::string_view word);

// How strongly an operator binds its operands, in the order of C++.
enum Precedence {
  kAnyPrecedence,
  kOrPrecedence,
  kXorPrecedence,
  kAndPrecedence,
  kEqualPrecedence,
  kLessPrecedence,
  kShiftPrecedence,
  kSumPrecedence,
  kProductPrecedence,
  kUnaryPrecedence,
  kPrimaryPrecedence,
};

// Of an operator that stands between its operands; empty for those written as functions.
std::optional<Precedence> infix_precedence(BinaryOp op);

// The operators by their spelling.
std::optional<BinaryOp> infix_op(std::string_view spelling);
std::optional<BinaryOp> binary_function(std::string_view name);
std::optional<UnaryOp> unary_function(std::string_view name);

// A one-lane constant as text: "3", "3i32", "0.5", "1e-05f64", "f16.inf", "f32.bits(0x7fc00001)".
std::string literal_text(Type type, uint64_t bits);
// The inverse for the digits of a number; the type is its suffix, or the default. Empty when the
// number does not fit the type.
std::optional<uint64_t> integer_bits(std::string_view digits, bool negative, Type type);
std::optional<uint64_t> float_bits(std::string_view digits, bool negative, Type type);
// The bits of the one NaN that is written `nan`.
uint64_t plain_nan_bits(Type type);

}  // namespace tenon
