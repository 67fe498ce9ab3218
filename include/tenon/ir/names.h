// The names under which a text shows variables and buffers: each its own name where that is free,
// else with a suffix _1, _2 ...
//
//   Names names(program);
//   names.of(loop);              // "i_1", as print(program) shows it
//   headline(stmt, names);       // "for i_1 in 0..m"
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "tenon/ir/program.h"

namespace tenon {

class Names {
 public:
  Names() = default;
  // Every name of the Program, given in the order of the text.
  explicit Names(const Program& program);

  // The name of an identity; one that was not met before gets its name now.
  const std::string& of(const Var& var) { return given(var.id(), var.name()); }
  const std::string& of(const Buffer& buffer) { return given(buffer.id(), buffer.name()); }
  // Of a reduction by functions.
  const std::string& of(const Reduction& by);
  const std::string& of(const Instruction& instruction);

 private:
  const std::string& given(uint64_t id, const std::string& wanted);
  void name_reducers(const Stmt& body);
  std::string free_name(const std::string& wanted);

  std::unordered_map<uint64_t, std::string> by_id_;  // variables and buffers share one numbering
  std::vector<std::pair<Reduction, std::string>> reducers_;
  std::vector<std::pair<Instruction, std::string>> instructions_;
  std::unordered_map<std::string, int> taken_;  // and the last suffix that was tried for it
};

// The expression, and the first line of the statement without its brace, as the text shows them.
std::string expr_text(const Expr& e, Names& names);
std::string headline(const Stmt& s, Names& names);
// The inverse of expr_text, for these variables. The error names the column.
absl::StatusOr<Expr> parse_expr(std::string_view text, const std::map<std::string, Var>& variables);
// "f32[m, k]"
std::string shape_text(Type type, const std::vector<Expr>& shape, Names& names);

}  // namespace tenon
