// From tensors to a Program: naive loops, one nest per computed tensor, in an order in which every
// tensor is computed before it is read.
//
//   Program p = program("linear_relu", {x, w, b}, {out});
//   Program q = program("halves", {x}, {y}, {require(n % 2 == 0)});
//
// A reduction inside a larger expression becomes a tensor of its own, named after the one that
// contains it, over just the indices that it uses.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/dsl/tensor.h"

namespace tenon {

// A parameter of a Program: an input, a weight, or a scalar.
class ProgramInput {
 public:
  ProgramInput(const Tensor& tensor) : value_(tensor) {}  // NOLINT
  ProgramInput(const Expr& scalar) : value_(scalar) {}    // NOLINT: made by scalar()
  const Tensor* tensor() const { return std::get_if<Tensor>(&value_); }
  const Expr* scalar() const { return std::get_if<Expr>(&value_); }

 private:
  std::variant<Tensor, Expr> value_;
};

// A fact about sizes that callers promise and every call checks.
struct Requirement {
  Expr condition;
};
inline Requirement require(const Expr& condition) { return {condition}; }

// Every mistake made on the way (types, ranks, a tensor that is used but not passed, two tensors of
// one name) comes back as a status that names it.
absl::StatusOr<Program> build_program(std::string name, const std::vector<ProgramInput>& inputs,
                                      const std::vector<Tensor>& outputs,
                                      const std::vector<Requirement>& requirements = {});

// The same for code that reads top to bottom: a mistake gives a Program without loops that carries
// the message (ProgramData::error); verify(), Schedule and Jit report it.
Program program(std::string name, const std::vector<ProgramInput>& inputs,
                const std::vector<Tensor>& outputs,
                const std::vector<Requirement>& requirements = {});

}  // namespace tenon
