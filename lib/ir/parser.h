// Recursive descent over the tokens of a Program. The first error is kept and moves the reader to
// the end of the text, so that every loop ends and what is read afterwards does not matter.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/lexer.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/program.h"
#include "tenon/ir/reducer.h"

namespace tenon {

// Deeper texts are refused. Reading a level takes up to about 4 KB of stack.
inline constexpr int kMaxNesting = 500;

inline std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

class ProgramParser {
 public:
  explicit ProgramParser(std::string_view text, std::vector<ExternFunction> functions = {})
      : tokens_(tokens_of(text)), functions_(std::move(functions)) {}

  absl::StatusOr<Program> parse_program();
  absl::StatusOr<Expr> parse_alone(const std::map<std::string, Var>& variables);

 private:
  // A name in scope: a variable, or else a buffer.
  struct Named {
    Var var;
    Buffer buffer;
    int line;
  };

  // --- Tokens.
  const Token& peek(size_t ahead = 0) const;
  Token next();
  bool sees(std::string_view text) const { return peek().text == text; }
  bool sees_name() const { return peek().kind == Token::kName; }
  // A word that continues a statement has to stand on its line: a buffer may have the same name.
  bool continues_with(std::string_view word) const { return sees(word) && !peek().first_on_line; }
  bool accept(std::string_view text);
  bool accept_word(std::string_view word);
  void expect(std::string_view text);
  Token expect_name(std::string_view what);
  void fail(const Token& at, const std::string& message);
  void fail_expected(std::string_view what);

  // Nesting is bounded, because reading recurses. Returns whether there is room.
  bool enter(int levels = 1);
  void leave(int levels = 1) { depth_ -= levels; }

  // --- Names. Scopes end in the reverse order of their declarations.
  void declare(const Token& name, Var var, Buffer buffer);
  Var declare_var(const Token& name, Type type);
  Buffer declare_buffer(const Token& name, Type type);
  void close_scope(size_t mark);
  Var find_var(const Token& name);
  Buffer find_buffer(const Token& name);

  // --- Expressions (parse_expr.cpp).
  Expr parse_expr(int at_least = 0);
  Expr parse_unary();
  Expr parse_primary();
  Expr parse_negative();
  Expr parse_named();
  Expr parse_number(bool negative);
  Expr parse_special(bool negative);
  bool at_special() const;
  Expr parse_cast();
  Expr parse_call();
  Expr parse_masked();
  Expr parse_lanes(const Token& function);
  Expr make_unary(const Token& at, UnaryOp op, const Expr& a);
  Expr make_binary(const Token& at, BinaryOp op, const Expr& a, const Expr& b);
  Expr checked(const Token& at, Expr e);
  Type parse_element_type();
  std::vector<Expr> parse_list(std::string_view open, std::string_view close);

  // --- Statements and the Program (parse.cpp).
  std::vector<Stmt> parse_block();
  Stmt parse_stmt();
  Stmt parse_for();
  std::vector<Ahead> parse_prefetches();
  Stmt parse_prefetch();
  Stmt parse_if();
  Stmt parse_alloc();
  Stmt parse_let();
  Stmt parse_write();
  Memory parse_memory();
  std::optional<Reducer> accept_update();
  void parse_header(ProgramData& program);
  Param parse_param(Role role);
  Packing parse_packing();
  Table parse_table();
  std::vector<Var> parse_vars(const std::vector<Type>& types);
  void parse_reducer();
  void parse_instruction();
  InstructionOperand parse_operand();
  std::string expect_string(std::string_view what);
  Stmt parse_accumulate();
  void parse_extern();
  Stmt parse_extern_call();
  CallRegion parse_region();

  std::vector<Token> tokens_;
  size_t position_ = 0;
  int depth_ = 0;
  std::map<std::string, Named, std::less<>> names_;
  std::vector<std::string> declared_;  // in order, for close_scope
  std::map<std::string, Reduction, std::less<>> reducers_;
  std::map<std::string, Instruction, std::less<>> instructions_;
  std::vector<ExternFunction> functions_;  // what names may be bound to
  std::map<std::string, ExternFunction, std::less<>> externs_;
  absl::Status error_;
};

}  // namespace tenon
