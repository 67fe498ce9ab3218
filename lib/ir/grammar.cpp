#include "ir/grammar.h"

#include <algorithm>
#include <array>

namespace tenon {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr BinaryOp kInfix[] = {BinaryOp::kAdd,    BinaryOp::kSub,      BinaryOp::kMul,
                               BinaryOp::kDiv,    BinaryOp::kFloorDiv, BinaryOp::kFloorMod,
                               BinaryOp::kBitAnd, BinaryOp::kBitOr,    BinaryOp::kBitXor,
                               BinaryOp::kShl,    BinaryOp::kShr,      BinaryOp::kLt,
                               BinaryOp::kLe,     BinaryOp::kEq,       BinaryOp::kNe};

constexpr BinaryOp kBinaryFunctions[] = {BinaryOp::kTruncDiv, BinaryOp::kTruncRem,
                                         BinaryOp::kMin,      BinaryOp::kMax,
                                         BinaryOp::kPow,      BinaryOp::kCheck};

constexpr UnaryOp kUnaryFunctions[] = {
    UnaryOp::kAbs,  UnaryOp::kFloor,   UnaryOp::kCeil, UnaryOp::kRound, UnaryOp::kTrunc,
    UnaryOp::kSqrt, UnaryOp::kRsqrt,   UnaryOp::kExp,  UnaryOp::kLog,   UnaryOp::kTanh,
    UnaryOp::kErf,  UnaryOp::kSigmoid, UnaryOp::kSin,  UnaryOp::kCos};

template <class Op, size_t n>
std::optional<Op> find_by_name(const Op (&ops)[n], std::string_view name) {
  for (Op op : ops) {
    if (name == name_of(op)) return op;
  }
  return std::nullopt;
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 7> kWords = {"true", "false",    "inf",    "nan",
                                                      "cast", "saturate", "bitcast"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end() ||
         parse_type(word).has_value();
}

std::optional<Precedence> infix_precedence(BinaryOp op) {
  switch (op) {
    case BinaryOp::kBitOr: return kOrPrecedence;
    case BinaryOp::kBitXor: return kXorPrecedence;
    case BinaryOp::kBitAnd: return kAndPrecedence;
    case BinaryOp::kEq:
    case BinaryOp::kNe: return kEqualPrecedence;
    case BinaryOp::kLt:
    case BinaryOp::kLe: return kLessPrecedence;
    case BinaryOp::kShl:
    case BinaryOp::kShr: return kShiftPrecedence;
    case BinaryOp::kAdd:
    case BinaryOp::kSub: return kSumPrecedence;
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod: return kProductPrecedence;
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncRem:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kPow:
    case BinaryOp::kCheck: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<BinaryOp> infix_op(std::string_view spelling) {
  return find_by_name(kInfix, spelling);
}

std::optional<BinaryOp> binary_function(std::string_view name) {
  return find_by_name(kBinaryFunctions, name);
}

std::optional<UnaryOp> unary_function(std::string_view name) {
  return find_by_name(kUnaryFunctions, name);
}

}  // namespace tenon
