// stream(out):
//
//   output out: f32[n]   ->   output out: f32[n] streamed
//
// Whole vectors of the output are stored past the caches (non-temporal stores, where the memory is
// aligned to 16 bytes): what is not read again does not push out what is.
// Obligation: none for what the Program means; refused where the Program reads what it has stored,
// which would come from memory. Exact.
#include <algorithm>

#include "schedule/common.h"
#include "tenon/analysis/access.h"
#include "tenon/base/macros.h"
#include "tenon/schedule/primitives.h"

namespace tenon::primitives {
namespace {

absl::Status is_stored_only(const Program& program, const Buffer& output) {
  for (const Access& a : accesses_of(program->body, output)) {
    if (a.kind == Access::Kind::kWrite) continue;
    const std::string element = print(load(output, a.indices), program);
    return refuse(element + (a.kind == Access::Kind::kRead ? " is read again" : " is accumulated") +
                      ", and would come from memory each time",
                  {}, {"stage(" + output.name() + ", ...), whose copy is stored once"});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Program> stream(const Program& program, const Buffer& output) {
  // Find.
  const Param* param = find_param(program, output);
  if (!param) {
    return refuse(output.name() +
                  " is local, and what a stage holds is read again; outputs are streamed");
  }

  // Require.
  if (param->streamed) return refuse(output.name() + " is streamed already");
  TENON_RETURN_IF_ERROR(is_stored_only(program, output));

  // Rewrite.
  ProgramData data = *program;
  for (Param& p : data.params) p.streamed |= p.buffer == output;
  return Program(std::move(data));
}

}  // namespace tenon::primitives
