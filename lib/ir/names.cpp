#include "tenon/ir/names.h"

#include "ir/grammar.h"
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
  // The variables of a packing are seen by nothing else, so the body may use their names again.
  const std::map<std::string, int> outside = taken_;
  for (const Param& param : program->params) {
    if (!param.packing) continue;
    for (const Var& var : param.packing->vars) of(var);
    taken_ = outside;
  }
  if (!program->body) return;
  walk(program->body, [this](const Stmt& s) {
    if (const For* x = s.as<For>()) of(x->var);
    if (const Bind* x = s.as<Bind>()) of(x->var);
    if (const Alloc* x = s.as<Alloc>()) of(x->buffer);
  });
}

const std::string& Names::given(uint64_t id, const std::string& wanted) {
  const auto known = by_id_.find(id);
  if (known != by_id_.end()) return known->second;
  const std::string safe = made_safe(wanted);
  std::string name = safe;
  while (taken_.count(name) != 0) name = safe + "_" + std::to_string(++taken_[safe]);
  taken_[name];
  return by_id_[id] = name;
}

}  // namespace tenon
