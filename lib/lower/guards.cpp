#include "lower/guards.h"

#include "tenon/ir/visit.h"

namespace tenon {
namespace {

void add_conjuncts(const Expr& condition, std::vector<Expr>& out) {
  const Binary* b = condition.as<Binary>();
  if (b && b->op == BinaryOp::kBitAnd && condition.type().is_bool()) {
    add_conjuncts(b->a, out);
    add_conjuncts(b->b, out);
  } else {
    out.push_back(condition);
  }
}

}  // namespace

std::vector<Expr> conjuncts_of(const Expr& condition) {
  std::vector<Expr> parts;
  if (condition) add_conjuncts(condition, parts);
  return parts;
}

Expr conjunction_of(const std::vector<Expr>& conditions) {
  Expr all;
  for (const Expr& c : conditions) all = all ? binary(BinaryOp::kBitAnd, all, c) : c;
  return all;
}

Expr negated(const Expr& condition) {
  const Binary* b = condition.as<Binary>();
  if (b && b->a.type().is_int()) {
    switch (b->op) {
      case BinaryOp::kLt: return binary(BinaryOp::kLe, b->b, b->a);
      case BinaryOp::kLe: return binary(BinaryOp::kLt, b->b, b->a);
      case BinaryOp::kEq: return binary(BinaryOp::kNe, b->a, b->b);
      case BinaryOp::kNe: return binary(BinaryOp::kEq, b->a, b->b);
      default: break;
    }
  }
  return unary(UnaryOp::kNot, condition);
}

Declarations declarations_of(const Program& program) {
  Declarations all;
  for (const Param& param : program->params) {
    if (param.buffer) all.emplace(param.buffer, Declaration{param.shape, false});
  }
  for (const Table& table : program->tables) {
    all.emplace(table.buffer, Declaration{table.shape, false});
  }
  walk(program->body, [&](const Stmt& s) {
    if (const Alloc* a = s.as<Alloc>()) all.emplace(a->buffer, Declaration{a->shape, true});
  });
  return all;
}

}  // namespace tenon
