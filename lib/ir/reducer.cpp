#include <cstdlib>
#include <limits>

#include "tenon/ir/expr.h"

namespace tenon {

BinaryOp operator_of(Reducer op) {
  switch (op) {
    case Reducer::kSum: return BinaryOp::kAdd;
    case Reducer::kProd: return BinaryOp::kMul;
    case Reducer::kMax: return BinaryOp::kMax;
    case Reducer::kMin: return BinaryOp::kMin;
  }
  std::abort();
}

namespace {

// The least value of a type, as a constant: -inf for floats.
Expr lowest(Type type) {
  if (type.is_float()) return constant_float(type, -std::numeric_limits<double>::infinity());
  if (type.is_signed_int()) return constant_int(type, -1 - (INT64_MAX >> (64 - type.bits())));
  return constant_int(type, 0);
}

Expr highest(Type type) {
  if (type.is_float()) return constant_float(type, std::numeric_limits<double>::infinity());
  if (type.is_signed_int()) return constant_int(type, INT64_MAX >> (64 - type.bits()));
  return constant_bits(type, UINT64_MAX >> (64 - type.bits()));
}

}  // namespace

Expr identity_of(Reducer op, Type type) {
  switch (op) {
    case Reducer::kSum: return type.is_float() ? constant_float(type, -0.0) : constant_int(type, 0);
    case Reducer::kProd: return constant_int(type, 1);
    case Reducer::kMax: return lowest(type);
    case Reducer::kMin: return highest(type);
  }
  std::abort();
}

}  // namespace tenon
