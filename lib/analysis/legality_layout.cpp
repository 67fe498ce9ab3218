// May a buffer be stored under another index list?
#include <algorithm>

#include "analysis/conflict.h"
#include "analysis/place.h"
#include "analysis/text.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The element that the loops over the dimensions stand at.
std::string element(const Buffer& buffer, const std::vector<std::pair<Var, int64_t>>& values,
                    const Program& within) {
  std::vector<int64_t> indices;
  for (const auto& [var, value] : values) indices.push_back(value);
  return element(buffer, indices, within);
}

std::string list(const std::vector<Expr>& exprs, const Program& within) {
  std::string text;
  for (const Expr& e : exprs) text += (text.empty() ? "" : ", ") + text_of(e, within);
  return "[" + text + "]";
}

// The map as an access that every element makes, one loop per dimension.
Access as_access(const Buffer& buffer, const std::vector<Expr>& shape, const std::vector<Var>& vars,
                 const std::vector<Expr>& map) {
  Access a;
  a.kind = Access::Kind::kWrite;
  a.buffer = buffer;
  a.indices = map;
  for (size_t d = 0; d < vars.size(); ++d) {
    a.loops.push_back(For{vars[d], 0, shape[d], ForKind::kSerial, {}});
  }
  return a;
}

// Two different elements never have equal images: their first different index is greater in one.
absl::Status is_injective(const Access& a, const Facts& facts, const Program& within) {
  std::vector<Direction> directions;
  for (size_t d = 0; d < a.loops.size(); ++d) {
    directions.push_back(Direction::kGreater);
    if (!never_meet(a, a, directions, facts)) {
      const Meeting m = meet(a, a, directions, facts);
      if (m.answer == Answer::kYes) {
        std::string reason = "the layout stores " + element(a.buffer, m.a_values, within) +
                             " and " + element(a.buffer, m.b_values, within) + " in the same place";
        if (!m.sizes.empty()) reason += ", with " + text_of(m.sizes, within);
        return refuse(std::move(reason));
      }
      return refuse("cannot tell whether the layout " + list(a.indices, within) +
                    " gives each element of " + text_of(a.buffer, within) + " a place of its own");
    }
    directions.back() = Direction::kEqual;
  }
  return absl::OkStatus();
}

absl::StatusOr<Expr> extent_of(const Access& a, size_t k, const Facts& facts,
                               const Program& within) {
  std::vector<LoopRange> ranges;
  for (const For& loop : a.loops) ranges.push_back({loop.var, loop.lo, loop.hi});
  const auto subject = [&] {
    return "index " + std::to_string(k + 1) + " of the layout, " + text_of(a.indices[k], within);
  };
  const auto hull = bounds_over(a.indices[k], ranges, facts);
  if (!hull) return refuse(subject() + ", has no bounds that are known");
  // The bounds hold where there are elements at all.
  Facts inhabited = facts;
  for (const For& loop : a.loops) inhabited = inhabited.given(Expr(1) <= loop.hi);
  if (!proved(inhabited, Expr(0) <= hull->lo)) {
    return refuse(subject() + ", may be negative", {text_of(Expr(0) <= hull->lo, within)});
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

// An accumulation into the buffer and others.
const Accumulate* kept_with_others(const Program& program, const Buffer& buffer) {
  const Accumulate* found = nullptr;
  walk(program->body, [&](const Stmt& s) {
    const Accumulate* x = s.as<Accumulate>();
    if (x && x->buffers.size() > 1 && x->writes(buffer)) found = x;
  });
  return found;
}

}  // namespace

absl::StatusOr<Layout> may_set_layout(const Program& program, const Buffer& buffer,
                                      const std::vector<Var>& vars, const std::vector<Expr>& map) {
  const Param* param = find_param(program, buffer);
  if (param && param->role != Role::kWeight) {
    return refuse(
        text_of(buffer, program) + " is an " + (param->role == Role::kInput ? "input" : "output") +
        ": its layout belongs to the caller; only weights and local buffers have a layout "
        "to choose");
  }
  if (const Accumulate* together = kept_with_others(program, buffer)) {
    return refuse(text_of(together->buffers[0], program) + " and " +
                  text_of(together->buffers[1], program) +
                  " are results of one reduction and share its index list");
  }
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
  if (absl::Status s = is_injective(access, facts, program); !s.ok()) return s;
  Layout layout;
  for (size_t k = 0; k < map.size(); ++k) {
    absl::StatusOr<Expr> extent = extent_of(access, k, facts, program);
    if (!extent.ok()) return extent.status();
    layout.shape.push_back(*std::move(extent));
  }
  return layout;
}

}  // namespace tenon
