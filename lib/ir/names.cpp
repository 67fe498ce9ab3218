#include "tenon/ir/names.h"

#include "ir/grammar.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// A name that the parser reads as one.
std::string made_safe(const std::string& wanted) {
  if (is_identifier(wanted)) return is_reserved(wanted) ? wanted + "_" : wanted;
  std::string safe;
  for (char c : wanted) safe += is_identifier(std::string("a") + c) ? c : '_';
  return is_identifier(safe) ? safe : "_" + safe;
}

}  // namespace

Names::Names(const Program& program) {
  for (const Var& size : program->sizes) of(size);
  for (const Param& param : program->params) param.buffer ? of(param.buffer) : of(param.scalar);
  for (const Table& table : program->tables) of(table.buffer);
  // The variables of a packing are seen by nothing else, so the body may use their names again.
  const auto outside = taken_;
  for (const Param& param : program->params) {
    if (!param.packing) continue;
    for (const Var& var : param.packing->vars) of(var);
    taken_ = outside;
  }
  if (!program->body) return;
  name_reducers(program->body);
  for (const Instruction& instruction : instructions_of(program->body)) of(instruction);
  walk(program->body, [this](const Stmt& s) {
    if (const For* x = s.as<For>()) of(x->var);
    if (const Bind* x = s.as<Bind>()) of(x->var);
    if (const Alloc* x = s.as<Alloc>()) of(x->buffer);
  });
}

// Their variables are seen by nothing else either.
void Names::name_reducers(const Stmt& body) {
  const std::vector<Reduction> reducers = reducers_of(body);
  for (const Reduction& by : reducers) of(by);
  const auto outside = taken_;
  for (const Reduction& by : reducers) {
    const CustomReducer& functions = *by.functions();
    for (const auto* vars : {&functions.state, &functions.element, &functions.other}) {
      for (const Var& var : *vars) taken_[of(var)];  // it may have its name from another reducer
    }
    taken_ = outside;
  }
}

const std::string& Names::of(const Reduction& by) {
  for (const auto& [known, name] : reducers_) {
    if (known == by) return name;
  }
  reducers_.emplace_back(by, free_name(by.functions()->name));
  return reducers_.back().second;
}

const std::string& Names::of(const Instruction& instruction) {
  for (const auto& [known, name] : instructions_) {
    if (known == instruction) return name;
  }
  instructions_.emplace_back(instruction, free_name(instruction->name));
  return instructions_.back().second;
}

const std::string& Names::given(uint64_t id, const std::string& wanted) {
  const auto [at, is_new] = by_id_.try_emplace(id);
  if (is_new) at->second = free_name(wanted);
  return at->second;
}

std::string Names::free_name(const std::string& wanted) {
  auto taken = taken_.find(wanted);  // then it is safe
  const std::string safe = taken != taken_.end() ? wanted : made_safe(wanted);
  if (taken == taken_.end()) taken = taken_.find(safe);
  std::string name = safe;
  if (taken != taken_.end()) {
    int& suffix = taken->second;  // stays where it is when the table grows
    do {
      name = safe + "_" + std::to_string(++suffix);
    } while (!taken_.emplace(name, 0).second);
  } else {
    taken_.emplace(name, 0);
  }
  return name;
}

}  // namespace tenon
