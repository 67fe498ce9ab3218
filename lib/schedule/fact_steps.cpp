// The steps that bring facts in.
#include "schedule/run_step.h"

namespace tenon {

Loop FastPath::of(const Loop& general) const {
  for (size_t i = 0; i < general_.size(); ++i) {
    if (general_[i].var() == general.var()) return fast_[i];
  }
  return Loop();
}

std::string FastPath::of(std::string_view general) const {
  for (const auto& [name, fast] : stages_) {
    if (name == general) return fast;
  }
  return std::string(general);
}

void Schedule::assume(Expr fact, Place place) {
  fact = with_sizes(fact);
  const std::string action = "assume(" + (fact ? print(fact, program_) : "?") + ")";
  change(action, {}, place, [&] { return primitives::assume(program_, fact); });
}

FastPath Schedule::specialize(Expr condition, Place place) {
  condition = with_sizes(condition);
  const std::string action = "specialize(" + (condition ? print(condition, program_) : "?") + ")";
  const auto done =
      run(action, {}, place, [&] { return primitives::specialize(program_, condition); });
  FastPath path;
  if (!done) return path;
  Effect effect;
  for (const auto& [general, fast] : done->loops) {
    path.general_.emplace_back(general);
    path.fast_.emplace_back(fast);
    effect.made.push_back(fast);
  }
  for (const auto& [general, fast] : done->stages) {
    path.stages_.emplace_back(general.name(), fast.name());
  }
  record(action, place, program_, effect);
  return path;
}

}  // namespace tenon
