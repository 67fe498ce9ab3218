// The walk behind verify(): what is in scope, and the first rule that is broken.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tenon/ir/names.h"
#include "tenon/ir/program.h"
#include "tenon/ir/reducer.h"

namespace tenon {

class ProgramVerifier {
 public:
  explicit ProgramVerifier(const Program& program) : program_(program) {}

  absl::Status run();

 private:
  // --- Parameters, sizes and requirements (verify.cpp).
  void check_names();
  void check_name(const std::string& name, const std::string& what);
  void check_size(const Var& size);
  void check_param(const Param& param);
  void check_shape_of(const Param& param);
  void check_packing(const Param& param);
  void check_table(const Table& table);
  void check_requirement(const Expr& e);
  void check_over_sizes(const Expr& e, const std::string& what);

  // --- Statements (verify_stmt.cpp).
  void check_stmt(const Stmt& s);
  void check_for(const For& x);
  void check_instruction(const Instruction& instruction);
  void check_prefetches(const LoopKind& kind);
  void check_prefetch(const Prefetch& x);
  void check_if(const If& x);
  void check_seq(const Seq& x);
  void check_alloc(const Alloc& x);
  void check_bind(const Bind& x);
  void check_call(const Call& x);
  void check_region(const CallRegion& part, bool is_target);
  void check_store(const Store& x);
  void check_accumulate(const Accumulate& x);
  void check_operator(const Accumulate& x);
  void check_functions(const Accumulate& x, const CustomReducer& functions);
  // What both writes share; returns the lanes of the indices.
  void check_parts(const std::vector<Expr>& indices, std::span<const Expr> values,
                   const Expr& mask);
  int32_t check_target(const Buffer& buffer, const std::vector<Expr>& indices, Type type);
  std::string lanes_and_elements(const Expr& value, int32_t elements);
  void check_mask(const Expr& mask, int32_t lanes);
  void check_index_type(const Expr& e, const std::string& what);

  // --- Expressions (verify_expr.cpp).
  void check_expr(const Expr& e);
  void check_node(const Expr& e);
  void check_const(const Expr& e, const Const& x);
  void check_unary(const Expr& e, const Unary& x);
  void check_binary(const Expr& e, const Binary& x);
  void check_select(const Expr& e, const Select& x);
  void check_cast(const Expr& e, const Cast& x);
  void check_ramp(const Expr& e, const Ramp& x);
  void check_load(const Expr& e, const Load& x);
  // Rank, types and lanes of an index list; returns its number of lanes.
  int32_t check_access(const Buffer& buffer, const std::vector<Expr>& indices);

  // Keeps the first error, with the statement that is being checked.
  void fail(const std::string& message);
  // Checks and reports in one step: what must hold, and what to say where it does not. The message
  // is made only when it is needed.
  template <class Message>
  bool require(bool holds, Message message) {
    if (!holds && error_.empty()) fail(message());
    return holds;
  }
  std::string text(const Expr& e) { return shortened(expr_text(e, names())); }
  std::string text(const Buffer& buffer) { return names().of(buffer); }
  // "x: f32[m, k]"
  std::string declaration(const Buffer& buffer);
  Names& names();
  static std::string shortened(std::string text);

  // Whether the identity was not declared before, in scope or not: a loop is its variable. (Sizes,
  // parameters and tables that are one have one name, which check_names refuses.)
  bool declare(const Var& var);
  bool declare(const Buffer& buffer, const std::vector<Expr>& shape, Role role);
  // Ends the scope of what was declared since declared_ had this size.
  void close_scope(size_t mark);

  struct Declared {
    const std::vector<Expr>* shape;
    Role role;  // a local buffer is written and read like an output
    bool is_table = false;
  };

  const Program& program_;
  std::set<uint64_t> vars_;      // in scope, by id
  std::set<uint64_t> all_vars_;  // declared so far
  std::map<uint64_t, Declared> buffers_;
  std::map<std::string, ExternFunction> externs_;  // by name
  int vector_loops_ = 0;                           // around
  std::vector<uint64_t> declared_;                 // both, in order, for close_scope
  std::optional<Stmt> statement_;                  // that is being checked
  std::string part_;                               // or the part of the header
  std::string error_;
  std::optional<Names> names_;  // made for the first message
};

}  // namespace tenon
