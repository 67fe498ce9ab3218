// The steps that say where and how values are stored.
#include "schedule/run_step.h"
#include "tenon/analysis/find.h"

namespace tenon {

void Schedule::set_layout(std::string_view name, const IndexMap& map, Place place) {
  const absl::StatusOr<Buffer> buffer = find_storage(program_, name);
  std::vector<Var> vars;
  std::vector<Expr> place_of;
  if (buffer.ok()) {
    const size_t rank = shape_of(program_, *buffer)->size();
    for (size_t d = 0; d < rank; ++d) vars.emplace_back("d" + std::to_string(d));
    if (map) place_of = map(std::vector<Expr>(vars.begin(), vars.end())).exprs();
    for (Expr& e : place_of) e = with_sizes(e);
  }
  std::vector<std::string> parts;
  for (const Expr& e : place_of) parts.push_back(e ? print(e) : "?");
  const std::string action = "set_layout(" + std::string(name) + ", [" + join(parts) + "])";
  const auto done = run(action, {}, place, [&]() -> absl::StatusOr<Program> {
    if (!buffer.ok()) return buffer.status();
    return primitives::set_layout(program_, *buffer, vars, place_of);
  });
  if (done) record(action, place, program_);
}

// Gives the output a local stage; returns the name of that stage.
std::string Schedule::copy_out(std::string_view output, Place place) {
  const std::string action = "copy_out(" + std::string(output) + ")";
  const auto done = run_on_stage(action, output, {}, place, [&](const Buffer& buffer) {
    return primitives::copy_out(program_, buffer);
  });
  if (!done) return std::string(output);
  record(action + " -> " + done->local.name(), place, program_);
  return done->local.name();
}

}  // namespace tenon
