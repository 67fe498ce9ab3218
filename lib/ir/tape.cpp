#include "ir/tape.h"

#include <algorithm>

#include "tenon/base/match.h"
#include "tenon/ir/scalar_ops.h"
#include "tenon/ir/visit.h"

namespace tenon {

std::optional<Tape> Tape::make(const std::vector<Expr>& values, const std::vector<Var>& inputs) {
  Tape tape;
  tape.inputs_ = inputs;
  for (const Expr& e : values) {
    const std::optional<uint32_t> slot = tape.slot_of(e);
    if (!slot) return std::nullopt;
    tape.results_.push_back(*slot);
  }
  tape.slots_.resize(inputs.size() + tape.operations_.size());
  return tape;
}

std::optional<uint32_t> Tape::slot_of(const Expr& e) {
  if (!e || e.type().is_vector()) return std::nullopt;
  if (const VarRef* ref = e.as<VarRef>()) {
    const auto input = std::find(inputs_.begin(), inputs_.end(), ref->var);
    if (input == inputs_.end()) return std::nullopt;
    return static_cast<uint32_t>(input - inputs_.begin());
  }
  const auto known = known_.find(e);
  if (known != known_.end()) return known->second;
  const Binary* binary = e.as<Binary>();
  if (e.is<Load>() || e.is<Reduce>() || e.is<Invalid>()) return std::nullopt;
  if (binary && binary->op == BinaryOp::kCheck) return std::nullopt;
  Operation operation{e, {}};
  bool complete = true;
  uint32_t* operand = operation.operands;
  for_each_child(e, [&](const Expr& child) {
    const std::optional<uint32_t> slot = slot_of(child);
    complete = complete && slot.has_value();
    *operand++ = slot.value_or(0);
  });
  if (!complete) return std::nullopt;
  operations_.push_back(std::move(operation));
  return known_[e] = static_cast<uint32_t>(inputs_.size() + operations_.size() - 1);
}

uint64_t Tape::value_of(const Operation& operation) const {
  const Expr& e = operation.e;
  const auto operand = [&](int k) { return slots_[operation.operands[k]]; };
  return match(
      e.node().kind, [](const Const& c) { return c.bits; },
      [&](const Unary& u) { return apply_unary(u.op, e.type(), operand(0)); },
      [&](const Binary& b) { return apply_binary(b.op, b.a.type(), operand(0), operand(1)); },
      [&](const Select&) { return operand(0) ? operand(1) : operand(2); },
      [&](const Cast& c) { return apply_cast(c.mode, c.a.type(), e.type(), operand(0)); },
      [](const auto&) { return uint64_t{0}; });  // what make() turns away
}

std::vector<uint64_t> Tape::run(const std::vector<uint64_t>& inputs) {
  std::copy(inputs.begin(), inputs.end(), slots_.begin());
  uint64_t* slot = slots_.data() + inputs_.size();
  for (const Operation& operation : operations_) *slot++ = value_of(operation);
  std::vector<uint64_t> values;
  values.reserve(results_.size());
  for (const uint32_t result : results_) values.push_back(slots_[result]);
  return values;
}

}  // namespace tenon
