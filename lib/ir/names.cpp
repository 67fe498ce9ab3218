#include "tenon/ir/names.h"

#include "ir/grammar.h"
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
  const std::map<std::string, int> outside = taken_;
  for (const Param& param : program->params) {
    if (!param.packing) continue;
    for (const Var& var : param.packing->vars) of(var);
    taken_ = outside;
  }
  if (!program->body) return;
  name_reducers(program->body);
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
  const std::map<std::string, int> outside = taken_;
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

const std::string& Names::given(uint64_t id, const std::string& wanted) {
  const auto known = by_id_.find(id);
  if (known != by_id_.end()) return known->second;
  return by_id_[id] = free_name(wanted);
}

std::string Names::free_name(const std::string& wanted) {
  const std::string safe = made_safe(wanted);
  std::string name = safe;
  while (taken_.count(name) != 0) name = safe + "_" + std::to_string(++taken_[safe]);
  taken_[name];
  return name;
}

}  // namespace tenon
