// The promotion of operands, shared by the operators. The rules are those of docs/semantics.md.
#pragma once

#include <string>
#include <string_view>

#include "tenon/ir/expr.h"

namespace tenon {

// Two operands of one type and one number of lanes, or the reason why there is none.
struct Operands {
  Expr a, b;
  std::string error;  // empty: a and b are set
};

// `name` is the operator, for the message.
Operands promoted(std::string_view name, const Expr& a, const Expr& b);

// A literal as a constant of this type; empty when it does not fit.
std::optional<Expr> adapted(const Expr& literal, Type type);

bool is_literal(const Expr& e);

// The types of two operands as messages name them: "operator + on u64 and i32".
std::string describe(std::string_view name, const Expr& a, const Expr& b);

}  // namespace tenon
