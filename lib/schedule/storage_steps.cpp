// The steps that say where and how values are stored.
#include <algorithm>
#include <numeric>

#include "schedule/derived.h"
#include "schedule/run_step.h"
#include "tenon/analysis/find.h"
#include "tenon/base/limits.h"

namespace tenon {
namespace {

// One variable per dimension of the buffer.
std::vector<Var> index_vars(const Program& program, const absl::StatusOr<Buffer>& buffer) {
  std::vector<Var> vars;
  const size_t rank = buffer.ok() ? shape_of(program, *buffer)->size() : 0;
  for (size_t d = 0; d < rank; ++d) vars.emplace_back("d" + std::to_string(d));
  return vars;
}

std::string text_of(const std::vector<Expr>& indices, const Program& within) {
  std::vector<std::string> parts;
  for (const Expr& e : indices) parts.push_back(e ? print(e, within) : "?");
  return "[" + join(parts) + "]";
}

absl::Status require_permutation(const std::vector<int>& order, size_t rank,
                                 std::string_view buffer) {
  std::vector<int> sorted = order, all(rank);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  if (sorted == all) return absl::OkStatus();
  return refuse("the order names each of the " + std::to_string(rank) + " dimensions of " +
                std::string(buffer) + " once");
}

}  // namespace

void Schedule::set_layout(std::string_view name, const IndexMap& map, Place place) {
  const absl::StatusOr<Buffer> buffer = find_storage(program_, name);
  const std::vector<Var> vars = index_vars(program_, buffer);
  const std::vector<Expr> place_of = buffer.ok() ? images_of(map, vars) : std::vector<Expr>();
  const std::string action =
      "set_layout(" + std::string(name) + ", " + text_of(place_of, program_) + ")";
  const auto done = run(action, {}, place, [&]() -> absl::StatusOr<Program> {
    if (!buffer.ok()) return buffer.status();
    return primitives::set_layout(program_, *buffer, vars, place_of);
  });
  if (done) record(action, place, program_);
}

void Schedule::reorder_storage(std::string_view name, const std::vector<int>& order, Place place) {
  std::vector<std::string> parts;
  for (const int d : order) parts.push_back(std::to_string(d));
  const std::string action = "reorder_storage(" + std::string(name) + ", {" + join(parts) + "})";
  if (!status_.ok()) return;
  const absl::StatusOr<Buffer> buffer = find_storage(program_, name);
  absl::Status ready = buffer.status();
  if (ready.ok()) ready = require_permutation(order, shape_of(program_, *buffer)->size(), name);
  if (!ready.ok()) return refuse_step(ready, action, place);

  Derived derived(*this, action, place);
  const IndexMap permuted = [&](const Index& index) {
    std::vector<Expr> place_of;
    for (const int d : order) place_of.push_back(index[d]);
    return place_of;
  };
  set_layout(name, permuted, place);
  derived.finish();
}

void Schedule::expand(std::string_view stage, Loop loop, Place place) {
  const std::string action = "expand(" + std::string(stage) + ", " + name_of(loop) + ")";
  change_stage(action, stage, {loop}, place, [&](const Buffer& buffer) {
    return primitives::expand(program_, buffer, loop.var());
  });
}

void Schedule::pad(std::string_view stage, int dim, const Factor& multiple, Place place) {
  const std::string action =
      "pad(" + std::string(stage) + ", " + std::to_string(dim) + ", " + multiple.text() + ")";
  change_stage(action, stage, {}, place, [&](const Buffer& buffer) {
    return primitives::pad(program_, buffer, dim, multiple.value());
  });
}

void Schedule::set_scope(std::string_view stage, Memory memory, Place place) {
  const std::string where = memory == Memory::kAuto ? "auto" : tenon::name_of(memory);
  change_stage(
      "set_scope(" + std::string(stage) + ", " + where + ")", stage, {}, place,
      [&](const Buffer& buffer) { return primitives::set_scope(program_, buffer, memory); });
}

void Schedule::prefetch(std::string_view param, Loop loop, const Factor& iterations, Place place) {
  const absl::StatusOr<Buffer> buffer = find_any_buffer(program_, param);
  const std::string action =
      "prefetch(" + std::string(param) + ", " + name_of(loop) + ", " + iterations.text() + ")";
  change(action, {loop}, place, [&]() -> absl::StatusOr<Program> {
    if (!buffer.ok()) return buffer.status();
    return primitives::prefetch(program_, *buffer, loop.var(), iterations.value());
  });
}

void Schedule::stream(std::string_view output, Place place) {
  change_stage("stream(" + std::string(output) + ")", output, {}, place,
               [&](const Buffer& buffer) { return primitives::stream(program_, buffer); });
}

void Schedule::align_storage(std::string_view stage, int dim, const Factor& multiple,
                             int64_t offset, Place place) {
  const std::string action = "align_storage(" + std::string(stage) + ", " + std::to_string(dim) +
                             ", " + multiple.text() + ", " + std::to_string(offset) + ")";
  change_stage(action, stage, {}, place, [&](const Buffer& buffer) {
    return primitives::align_storage(program_, buffer, dim, multiple.value(), offset);
  });
}

void Schedule::fold_storage(std::string_view stage, int dim, const Factor& factor, Place place) {
  const std::string action = "fold_storage(" + std::string(stage) + ", " + std::to_string(dim) +
                             ", " + factor.text() + ")";
  change_stage(action, stage, {}, place, [&](const Buffer& buffer) {
    return primitives::fold_storage(program_, buffer, dim, factor.value());
  });
}

void Schedule::store_over(std::string_view stage, std::string_view old, Place place) {
  const std::string action = "store_over(" + std::string(stage) + ", " + std::string(old) + ")";
  const absl::StatusOr<Buffer> memory = find_stage(program_, old);
  change_stage(action, stage, {}, place, [&](const Buffer& buffer) -> absl::StatusOr<Program> {
    if (!memory.ok()) return memory.status();
    return primitives::store_over(program_, buffer, *memory);
  });
}

void Schedule::store_in(std::string_view stage, std::string_view output, const IndexMap& map,
                        Place place) {
  const absl::StatusOr<Buffer> buffer = find_stage(program_, stage);
  const absl::StatusOr<Buffer> memory = find_stage(program_, output);
  const std::vector<Var> vars = index_vars(program_, buffer);
  const std::vector<Expr> place_of = buffer.ok() ? images_of(map, vars) : std::vector<Expr>();
  const std::string action = "store_in(" + std::string(stage) + ", " + std::string(output) + ", " +
                             text_of(place_of, program_) + ")";
  const auto done = run(action, {}, place, [&]() -> absl::StatusOr<Program> {
    if (!buffer.ok()) return buffer.status();
    if (!memory.ok()) return memory.status();
    return primitives::store_in(program_, *buffer, *memory, vars, place_of);
  });
  if (done) record(action, place, program_);
}

std::vector<Expr> Schedule::images_of(const IndexMap& map, const std::vector<Var>& vars) const {
  if (!map) return {};
  std::vector<Expr> images = map(std::vector<Expr>(vars.begin(), vars.end())).exprs();
  for (Expr& e : images) e = with_sizes(e);
  return images;
}

Staged Schedule::stage(std::string_view buffer, Loop loop, Place place) {
  return stage_in_body("stage(" + std::string(buffer) + ", " + name_of(loop) + ")", buffer, loop,
                       place);
}

Staged Schedule::stage(std::string_view buffer, Place place) {
  return stage_in_body("stage(" + std::string(buffer) + ")", buffer, std::nullopt, place);
}

Staged Schedule::stage_in_body(const std::string& action, std::string_view name,
                               const std::optional<Loop>& loop, Place place) {
  using Result = absl::StatusOr<primitives::StageResult>;
  const auto loops = loop ? std::vector<Loop>{*loop} : std::vector<Loop>();
  const auto done = run(action, loops, place, [&]() -> Result {
    const absl::StatusOr<Buffer> buffer = find_any_buffer(program_, name);
    if (!buffer.ok()) return buffer.status();
    return primitives::stage(program_, *buffer, loop ? loop->var() : Var());
  });
  if (!done) return {"none", dummy_loops(kMaxRank), dummy_loops(kMaxRank)};
  record(action + " -> " + done->local.name(), place, program_);
  return {done->local.name(), handles(done->copy_in), handles(done->copy_out)};
}

}  // namespace tenon
