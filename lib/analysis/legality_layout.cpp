// May a buffer be stored under another index list?
#include <algorithm>

#include "analysis/injective.h"
#include "analysis/lane_stores.h"
#include "analysis/missing.h"
#include "analysis/own_indices.h"
#include "analysis/place.h"
#include "analysis/text.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

absl::StatusOr<Expr> extent_of(const Access& a, size_t k, const Facts& facts,
                               const Program& within) {
  const auto subject = [&] {
    return "index " + std::to_string(k) + " of the layout, " + text_of(a.indices[k], within);
  };
  const auto hull = bounds_over(a.indices[k], ranges_of(a.loops), facts);
  if (!hull) return refuse(subject() + ", has no bounds that are known");
  // The bounds hold where there are elements at all.
  Facts inhabited = facts;
  for (const For& loop : a.loops) inhabited = inhabited.given(Expr(1) <= loop.hi);
  if (!proved(inhabited, Expr(0) <= hull->lo)) {
    return refuse(subject() + ", may be negative",
                  missing_fact(Expr(0) <= hull->lo, inhabited, within));
  }
  const Expr extent = simplify(hull->hi + 1, facts);
  if (prove(inhabited, Expr(1) <= extent) == Answer::kNo) {  // it wrapped around
    return refuse(subject() + ", leaves the 64 bits of an index");
  }
  for (const LoopRange& loop : facts.loops()) {
    if (uses(extent, loop.var))
      return refuse(subject() + ", varies with loop " + text_of(loop.var, within));
  }
  return extent;
}

absl::Status is_index_list(const std::vector<Expr>& shape, const std::vector<Var>& vars,
                           const std::vector<Expr>& map, const Program& within) {
  if (vars.size() != shape.size()) {
    return refuse("the layout takes " + std::to_string(vars.size()) +
                  " indices, and the buffer has " + std::to_string(shape.size()));
  }
  for (const Expr& e : map) {
    if (!e) return refuse("an index of the layout is empty");
    if (const Invalid* wrong = e.as<Invalid>()) return refuse("the layout: " + wrong->message);
    if (has_load(e) || !(e.type() == i64)) {
      return refuse("index " + text_of(e, within) +
                    " of the layout is not an integer expression of the indices");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Layout> may_set_layout(const Program& program, const Buffer& buffer,
                                      const std::vector<Var>& vars, const std::vector<Expr>& map) {
  const Param* param = find_param(program, buffer);
  if (param && param->role != Role::kWeight) {
    return refuse(
        text_of(buffer, program) + " is an " +
        (param->role == Role::kInput    ? "input"
         : param->role == Role::kOutput ? "output"
                                        : "inout") +
        ": its layout belongs to the caller; only weights and local buffers have a layout "
        "to choose");
  }
  if (find_table(program, buffer)) {
    return refuse(text_of(buffer, program) +
                  " is a table: its values stand in the program as they are; only weights and "
                  "local buffers have a layout to choose");
  }
  TENON_RETURN_IF_ERROR(has_own_indices(program, buffer));
  const std::optional<std::vector<Expr>> shape = shape_of(program, buffer);
  if (!shape) return refuse("the program has no buffer " + buffer.name());
  if (absl::Status s = is_index_list(*shape, vars, map, program); !s.ok()) return s;

  Facts facts = facts_of(program);
  if (!param) {
    const auto place = find_place(program->body, [&](const Stmt& s) {
      const Alloc* a = s.as<Alloc>();
      return a && a->buffer == buffer;
    });
    facts = place->facts(program);
  }
  const Access access = as_access(buffer, *shape, vars, map);
  if (absl::Status s = is_injective("the layout", access, facts, program); !s.ok()) return s;
  if (!param) {
    const auto place = [&](const std::vector<Expr>& i) { return mapped(vars, map, i); };
    TENON_RETURN_IF_ERROR(
        lanes_stay_apart(accesses_of(program->body, buffer), buffer, place, facts, program));
  }
  Layout layout;
  for (size_t k = 0; k < map.size(); ++k) {
    absl::StatusOr<Expr> extent = extent_of(access, k, facts, program);
    if (!extent.ok()) return extent.status();
    layout.shape.push_back(*std::move(extent));
  }
  return layout;
}

}  // namespace tenon
