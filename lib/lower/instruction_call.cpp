#include "tenon/lower/instruction_call.h"

#include "tenon/analysis/match_instruction.h"
#include "tenon/base/macros.h"

namespace tenon {
namespace {

using Register = InstructionCall::Register;

Register register_of(const Param& param, const InstructionMatch::Register& place) {
  Register r{place.buffer, 1, 1, {}, false};
  std::vector<std::pair<int64_t, Affine>> outer;  // extent and distance, the innermost first
  bool repeats = true;
  for (size_t d = param.shape.size(); d-- > 0;) {
    const int64_t extent = *as_int(param.shape[d]);
    const Affine& stride = place.strides[d];
    r.elements *= extent;
    if (extent == 1) continue;
    if (outer.empty() && stride.is_constant() && stride.constant == r.run) {
      r.run *= extent;
      continue;
    }
    outer.emplace_back(extent, stride);
    repeats = repeats && stride.is_constant() && stride.constant == 0;
  }
  r.repeats = repeats && !outer.empty();
  std::vector<Affine> starts = {place.base};
  for (size_t k = outer.size(); k-- > 0 && !r.repeats;) {
    std::vector<Affine> next;
    for (const Affine& start : starts) {
      for (int64_t i = 0; i < outer[k].first; ++i) next.push_back(start + i * outer[k].second);
    }
    starts = std::move(next);
  }
  for (const Affine& start : starts) r.starts.push_back(to_expr(start));
  return r;
}

}  // namespace

absl::StatusOr<InstructionCall> call_of(const Program& program, const For& loop) {
  InstructionCall call;
  call.instruction = loop.kind.instruction();
  TENON_ASSIGN_OR_RETURN(const InstructionMatch match,
                         match_instruction(program, loop, call.instruction));
  if (!match.guards.empty()) {
    return refuse("the guard " + print(match.guards.front(), program) + " stands in the nest of " +
                  call.instruction->name);
  }
  const std::vector<Param>& params = call.instruction->meaning->params;
  for (size_t p = 0; p < params.size(); ++p) {
    call.registers.push_back(register_of(params[p], match.registers[p]));
  }
  return call;
}

}  // namespace tenon
