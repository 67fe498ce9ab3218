// Every operator in a row: how it is spelled, where it stands in text, and what it takes. The
// printer, the parser, the operators of people and verify() read this one table.
#include <array>
#include <cstdlib>

#include "ir/grammar.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

enum class Takes { kAll, kNumbers, kFloats, kInts, kIntsOrBool, kIndex };

struct UnaryRow {
  UnaryOp op;
  const char* name;
  Takes takes;
  bool is_function = true;  // written with parentheses
};

struct BinaryRow {
  BinaryOp op;
  const char* name;
  Takes takes;
  Precedence precedence = kPrimaryPrecedence;  // that of a function
};

constexpr UnaryRow kUnary[] = {
    {UnaryOp::kNeg, "-", Takes::kNumbers, false},   {UnaryOp::kNot, "~", Takes::kIntsOrBool, false},
    {UnaryOp::kAbs, "abs", Takes::kNumbers},        {UnaryOp::kFloor, "floor", Takes::kNumbers},
    {UnaryOp::kCeil, "ceil", Takes::kNumbers},      {UnaryOp::kRound, "round", Takes::kNumbers},
    {UnaryOp::kTrunc, "trunc", Takes::kNumbers},    {UnaryOp::kSqrt, "sqrt", Takes::kFloats},
    {UnaryOp::kRsqrt, "rsqrt", Takes::kFloats},     {UnaryOp::kExp, "exp", Takes::kFloats},
    {UnaryOp::kExpm1, "expm1", Takes::kFloats},     {UnaryOp::kLog, "log", Takes::kFloats},
    {UnaryOp::kLog1p, "log1p", Takes::kFloats},     {UnaryOp::kSin, "sin", Takes::kFloats},
    {UnaryOp::kCos, "cos", Takes::kFloats},         {UnaryOp::kTan, "tan", Takes::kFloats},
    {UnaryOp::kAsin, "asin", Takes::kFloats},       {UnaryOp::kAcos, "acos", Takes::kFloats},
    {UnaryOp::kAtan, "atan", Takes::kFloats},       {UnaryOp::kSinh, "sinh", Takes::kFloats},
    {UnaryOp::kCosh, "cosh", Takes::kFloats},       {UnaryOp::kTanh, "tanh", Takes::kFloats},
    {UnaryOp::kAsinh, "asinh", Takes::kFloats},     {UnaryOp::kAcosh, "acosh", Takes::kFloats},
    {UnaryOp::kAtanh, "atanh", Takes::kFloats},     {UnaryOp::kErf, "erf", Takes::kFloats},
    {UnaryOp::kSigmoid, "sigmoid", Takes::kFloats},
};

constexpr BinaryRow kBinary[] = {
    {BinaryOp::kAdd, "+", Takes::kNumbers, kSumPrecedence},
    {BinaryOp::kSub, "-", Takes::kNumbers, kSumPrecedence},
    {BinaryOp::kMul, "*", Takes::kNumbers, kProductPrecedence},
    {BinaryOp::kDiv, "/", Takes::kFloats, kProductPrecedence},
    {BinaryOp::kFloorDiv, "//", Takes::kInts, kProductPrecedence},
    {BinaryOp::kFloorMod, "%", Takes::kInts, kProductPrecedence},
    {BinaryOp::kTruncDiv, "truncdiv", Takes::kInts},
    {BinaryOp::kTruncRem, "truncrem", Takes::kNumbers},
    {BinaryOp::kMin, "min", Takes::kNumbers},
    {BinaryOp::kMax, "max", Takes::kNumbers},
    {BinaryOp::kPow, "pow", Takes::kFloats},
    {BinaryOp::kBitAnd, "&", Takes::kIntsOrBool, kAndPrecedence},
    {BinaryOp::kBitOr, "|", Takes::kIntsOrBool, kOrPrecedence},
    {BinaryOp::kBitXor, "^", Takes::kIntsOrBool, kXorPrecedence},
    {BinaryOp::kShl, "<<", Takes::kInts, kShiftPrecedence},
    {BinaryOp::kShr, ">>", Takes::kInts, kShiftPrecedence},
    {BinaryOp::kLt, "<", Takes::kAll, kLessPrecedence},
    {BinaryOp::kLe, "<=", Takes::kAll, kLessPrecedence},
    {BinaryOp::kEq, "==", Takes::kAll, kEqualPrecedence},
    {BinaryOp::kNe, "!=", Takes::kAll, kEqualPrecedence},
    {BinaryOp::kCheck, "check", Takes::kIndex},
};

// The row of an operator stands at its number.
template <class Row, size_t n>
constexpr bool in_order(const Row (&table)[n], int count) {
  for (size_t k = 0; k < n; ++k) {
    if (static_cast<size_t>(table[k].op) != k) return false;
  }
  return n == static_cast<size_t>(count);
}
static_assert(in_order(kUnary, kUnaryOpCount));
static_assert(in_order(kBinary, kBinaryOpCount));

const UnaryRow& row_of(UnaryOp op) { return kUnary[static_cast<size_t>(op)]; }
const BinaryRow& row_of(BinaryOp op) { return kBinary[static_cast<size_t>(op)]; }

bool is_infix(const BinaryRow& row) { return row.precedence != kPrimaryPrecedence; }

bool holds(Takes takes, Type type) {
  switch (takes) {
    case Takes::kAll: return true;
    case Takes::kNumbers: return !type.is_bool();
    case Takes::kFloats: return type.is_float();
    case Takes::kInts: return type.is_int();
    case Takes::kIntsOrBool: return !type.is_float();
    case Takes::kIndex: return type.element() == i64;
  }
  std::abort();
}

const char* name_of(Takes takes) {
  switch (takes) {
    case Takes::kAll: return "anything";
    case Takes::kNumbers: return "numbers";
    case Takes::kFloats: return "floats";
    case Takes::kInts: return "integers";
    case Takes::kIntsOrBool: return "integers or bool";
    case Takes::kIndex: return "i64";
  }
  std::abort();
}

}  // namespace

const char* name_of(UnaryOp op) { return row_of(op).name; }
const char* name_of(BinaryOp op) { return row_of(op).name; }

bool accepts(UnaryOp op, Type type) { return holds(row_of(op).takes, type); }
bool accepts(BinaryOp op, Type type) { return holds(row_of(op).takes, type); }
const char* operands_of(UnaryOp op) { return name_of(row_of(op).takes); }
const char* operands_of(BinaryOp op) { return name_of(row_of(op).takes); }

std::optional<Precedence> infix_precedence(BinaryOp op) {
  const BinaryRow& row = row_of(op);
  return is_infix(row) ? std::optional(row.precedence) : std::nullopt;
}

std::optional<BinaryOp> infix_op(std::string_view spelling) {
  for (const BinaryRow& row : kBinary) {
    if (is_infix(row) && spelling == row.name) return row.op;
  }
  return std::nullopt;
}

std::optional<BinaryOp> binary_function(std::string_view name) {
  for (const BinaryRow& row : kBinary) {
    if (!is_infix(row) && name == row.name) return row.op;
  }
  return std::nullopt;
}

std::optional<UnaryOp> unary_function(std::string_view name) {
  for (const UnaryRow& row : kUnary) {
    if (row.is_function && name == row.name) return row.op;
  }
  return std::nullopt;
}

}  // namespace tenon
