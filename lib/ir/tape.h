// Expressions that are evaluated many times: a list of operations in place of a tree, each shared
// part once.
//
//   std::optional<Tape> tape = Tape::make({a * 2.0f, a + b}, {a, b});
//   tape->run({bits of a, bits of b})   // the bits of both values
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tenon/ir/expr.h"

namespace tenon {

class Tape {
 public:
  // Over constants and these variables, all of one lane; empty for an expression that has another
  // variable, reads memory, reduces or checks an index.
  static std::optional<Tape> make(const std::vector<Expr>& values, const std::vector<Var>& inputs);

  // One value per input; gives one per expression. Both arms of a select are computed.
  std::vector<uint64_t> run(const std::vector<uint64_t>& inputs);

  size_t operations() const { return operations_.size(); }

 private:
  // The slots of its operands come first, so that a run goes through the list once.
  struct Operation {
    Expr e;
    uint32_t operands[3];
  };
  std::optional<uint32_t> slot_of(const Expr& e);
  uint64_t value_of(const Operation& operation) const;

  std::vector<Var> inputs_;
  std::vector<Operation> operations_;
  std::vector<uint32_t> results_;
  std::vector<uint64_t> slots_;  // of the inputs, then of the operations
  std::unordered_map<Expr, uint32_t, ExprHash, ExprEqual> known_;
};

}  // namespace tenon
