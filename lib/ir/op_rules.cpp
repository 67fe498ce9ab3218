// Which operators take which types, as one table for the operators of people and for verify().
#include <cstdlib>

#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

enum class Domain { kAll, kNumbers, kFloats, kInts, kIntsOrBool, kIndex };

Domain domain_of(UnaryOp op) {
  switch (op) {
    case UnaryOp::kNeg:
    case UnaryOp::kAbs:
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
    case UnaryOp::kTrunc: return Domain::kNumbers;
    case UnaryOp::kNot: return Domain::kIntsOrBool;
    case UnaryOp::kSqrt:
    case UnaryOp::kRsqrt:
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kTanh:
    case UnaryOp::kErf:
    case UnaryOp::kSigmoid:
    case UnaryOp::kSin:
    case UnaryOp::kCos: return Domain::kFloats;
  }
  std::abort();
}

Domain domain_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kMin:
    case BinaryOp::kMax: return Domain::kNumbers;
    case BinaryOp::kDiv:
    case BinaryOp::kPow: return Domain::kFloats;
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncRem:
    case BinaryOp::kShl:
    case BinaryOp::kShr: return Domain::kInts;
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor: return Domain::kIntsOrBool;
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kEq:
    case BinaryOp::kNe: return Domain::kAll;
    case BinaryOp::kCheck: return Domain::kIndex;
  }
  std::abort();
}

bool holds(Domain domain, Type type) {
  switch (domain) {
    case Domain::kAll: return true;
    case Domain::kNumbers: return !type.is_bool();
    case Domain::kFloats: return type.is_float();
    case Domain::kInts: return type.is_int();
    case Domain::kIntsOrBool: return !type.is_float();
    case Domain::kIndex: return type.element() == i64;
  }
  std::abort();
}

const char* name_of(Domain domain) {
  switch (domain) {
    case Domain::kAll: return "anything";
    case Domain::kNumbers: return "numbers";
    case Domain::kFloats: return "floats";
    case Domain::kInts: return "integers";
    case Domain::kIntsOrBool: return "integers or bool";
    case Domain::kIndex: return "i64";
  }
  std::abort();
}

}  // namespace

bool accepts(UnaryOp op, Type type) { return holds(domain_of(op), type); }
bool accepts(BinaryOp op, Type type) { return holds(domain_of(op), type); }
const char* operands_of(UnaryOp op) { return name_of(domain_of(op)); }
const char* operands_of(BinaryOp op) { return name_of(domain_of(op)); }

}  // namespace tenon
