// The text of a Program, built from left to right.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/ir/names.h"

namespace tenon {

class ProgramPrinter {
 public:
  explicit ProgramPrinter(Names& names) : names_(names) {}

  std::string take() { return std::move(out_); }

  // In parentheses where its operator binds less tightly than `at_least` (grammar.h).
  void put_expr(const Expr& e, int at_least = 0);
  void put_list(const std::vector<Expr>& list);
  void put_shape(Type type, const std::vector<Expr>& shape);
  void put_stmt(const Stmt& s, int indent);
  void put_headline(const Stmt& s);
  void put_program(const ProgramData& program);

 private:
  void put(std::string_view text) { out_ += text; }

  // --- Expressions (print_expr.cpp).
  void put_node(const Expr& e);
  void put_binary(const Binary& x);
  void put_unary(const Expr& e, const Unary& x);
  void put_cast(const Expr& e, const Cast& x);
  void put_load(const Load& x);
  void put_reduce(const Reduce& x);
  void put_call(const char* name, std::initializer_list<const Expr*> arguments);
  void put_access(const Buffer& buffer, const std::vector<Expr>& indices);

  // --- Statements and the Program (print.cpp).
  void put_mask(const Expr& mask);
  std::string reducer_name(const Reduction& by);
  void put_accumulate(const Accumulate& x);
  void put_reducer(const Reduction& by);
  void put_instruction(const Instruction& instruction);
  void put_names(const std::vector<Var>& vars, bool types);
  const Stmt& put_conditions(const Stmt& s);
  void put_alloc(const Alloc& x);
  void put_call(const Call& x);
  void put_prefetches(const std::vector<Ahead>& prefetches);
  void put_region(const CallRegion& part);
  void put_param(const Param& param);
  void put_table(const Table& table);
  void put_packing(const Packing& packing);
  void put_block(const Stmt& body, int indent);

  Names& names_;
  std::string out_;
};

}  // namespace tenon
