#include <algorithm>
#include <map>

#include "tenon/base/macros.h"
#include "tenon/ir/fold.h"

namespace tenon {
namespace {

using Values = std::vector<std::pair<Var, int64_t>>;

absl::Status check_value(const ProgramData& program, const Var& size, int64_t value) {
  if (!size) return refuse("a value is given for an empty size");
  if (std::find(program.sizes.begin(), program.sizes.end(), size) == program.sizes.end()) {
    std::vector<std::string> known;
    for (const Var& var : program.sizes) known.push_back(var.name());
    return refuse("program " + program.name + " has no size " + size.name(), {}, std::move(known));
  }
  if (value < 0) {
    return refuse("size " + size.name() + " must be at least 0, and the value given is " +
                  std::to_string(value));
  }
  return absl::OkStatus();
}

// Substitutes and folds in every part of a Program.
class Specializer {
 public:
  explicit Specializer(const Values& values) {
    for (const auto& [size, value] : values) map_.emplace(size, constant_int(i64, value));
  }

  bool replaces(const Var& size) const { return map_.count(size) != 0; }
  Expr operator()(const Expr& e) const {
    return rewrite(e, [this](const Expr& x) { return step(x); });
  }
  Stmt operator()(const Stmt& s) const {
    return rewrite(s, [this](const Expr& x) { return step(x); });
  }
  void apply(std::vector<Expr>& list) const {
    for (Expr& e : list) e = (*this)(e);
  }
  void apply(Param& param) const {
    apply(param.shape);
    apply(param.strides);
    if (!param.packing) return;
    apply(param.packing->logical_shape);
    apply(param.packing->map);
  }

 private:
  Expr step(const Expr& e) const {
    const VarRef* ref = e.as<VarRef>();
    if (!ref) return fold(e);
    const auto found = map_.find(ref->var);
    return found == map_.end() ? e : found->second;
  }

  VarMap map_;
};

std::string text_of(const Values& values) {
  std::string text;
  for (const auto& [size, value] : values) {
    text += (text.empty() ? "" : ", ") + size.name() + " = " + std::to_string(value);
  }
  return text;
}

absl::Status check_shape(const Param& general, const Param& special, const Values& values) {
  for (size_t d = 0; d < special.shape.size(); ++d) {
    if (as_int(special.shape[d]).value_or(0) >= 0) continue;
    return refuse("parameter " + special.name() + " has the extent " + print(general.shape[d]) +
                  ", which is negative for " + text_of(values));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status check_single_values(const Values& values) {
  std::map<Var, int64_t> seen;
  for (const auto& [size, value] : values) {
    const auto [at, is_new] = seen.emplace(size, value);
    if (is_new || at->second == value) continue;
    return refuse("size " + size.name() + " is given two values, " + std::to_string(at->second) +
                  " and " + std::to_string(value));
  }
  return absl::OkStatus();
}

absl::StatusOr<Program> specialize(const Program& program, const Values& values) {
  for (const auto& [size, value] : values) {
    TENON_RETURN_IF_ERROR(check_value(*program, size, value));
  }
  TENON_RETURN_IF_ERROR(check_single_values(values));
  const Specializer special(values);
  ProgramData data = *program;
  std::erase_if(data.sizes, [&](const Var& size) { return special.replaces(size); });
  for (size_t i = 0; i < data.params.size(); ++i) {
    special.apply(data.params[i]);
    TENON_RETURN_IF_ERROR(check_shape(program->params[i], data.params[i], values));
  }
  special.apply(data.requirements);
  for (size_t i = 0; i < data.requirements.size(); ++i) {
    if (is_constant(data.requirements[i], 0)) {
      return refuse("program " + program->name + " requires " + print(program->requirements[i]) +
                    ", which does not hold" + (values.empty() ? "" : " for " + text_of(values)));
    }
  }
  std::erase_if(data.requirements, [](const Expr& e) { return is_constant(e, 1); });
  data.body = special(program->body);
  return Program(std::move(data));
}

}  // namespace tenon
