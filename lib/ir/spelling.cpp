#include <cstdlib>

#include "tenon/ir/expr.h"
#include "tenon/ir/stmt.h"

namespace tenon {

const char* name_of(UnaryOp op) {
  switch (op) {
    case UnaryOp::kNeg: return "-";
    case UnaryOp::kNot: return "~";
    case UnaryOp::kAbs: return "abs";
    case UnaryOp::kFloor: return "floor";
    case UnaryOp::kCeil: return "ceil";
    case UnaryOp::kRound: return "round";
    case UnaryOp::kTrunc: return "trunc";
    case UnaryOp::kSqrt: return "sqrt";
    case UnaryOp::kRsqrt: return "rsqrt";
    case UnaryOp::kExp: return "exp";
    case UnaryOp::kLog: return "log";
    case UnaryOp::kTanh: return "tanh";
    case UnaryOp::kErf: return "erf";
    case UnaryOp::kSigmoid: return "sigmoid";
    case UnaryOp::kSin: return "sin";
    case UnaryOp::kCos: return "cos";
  }
  std::abort();
}

const char* name_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd: return "+";
    case BinaryOp::kSub: return "-";
    case BinaryOp::kMul: return "*";
    case BinaryOp::kDiv: return "/";
    case BinaryOp::kFloorDiv: return "//";
    case BinaryOp::kFloorMod: return "%";
    case BinaryOp::kTruncDiv: return "truncdiv";
    case BinaryOp::kTruncRem: return "truncrem";
    case BinaryOp::kMin: return "min";
    case BinaryOp::kMax: return "max";
    case BinaryOp::kPow: return "pow";
    case BinaryOp::kBitAnd: return "&";
    case BinaryOp::kBitOr: return "|";
    case BinaryOp::kBitXor: return "^";
    case BinaryOp::kShl: return "<<";
    case BinaryOp::kShr: return ">>";
    case BinaryOp::kLt: return "<";
    case BinaryOp::kLe: return "<=";
    case BinaryOp::kEq: return "==";
    case BinaryOp::kNe: return "!=";
    case BinaryOp::kCheck: return "check";
  }
  std::abort();
}

const char* name_of(Reducer op) { return name_of(operator_of(op)); }

const char* name_of(ForKind kind) {
  switch (kind) {
    case ForKind::kSerial: return "";
    case ForKind::kParallel: return "parallel";
    case ForKind::kVector: return "vector";
    case ForKind::kUnroll: return "unroll";
  }
  std::abort();
}

const char* name_of(Memory memory) {
  switch (memory) {
    case Memory::kAuto: return "";
    case Memory::kStack: return "stack";
    case Memory::kShared: return "shared";
    case Memory::kWorker: return "worker";
  }
  std::abort();
}

}  // namespace tenon
