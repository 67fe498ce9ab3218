// May elements of a stage that are a distance apart share a place?
#include <algorithm>

#include "analysis/extent.h"
#include "analysis/lane_stores.h"
#include "analysis/overwrite.h"
#include "analysis/own_indices.h"
#include "analysis/place.h"
#include "analysis/text.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The access as one of the element `factor` * 1, 2, ... further on, or that far before. The number
// is a loop of this access alone.
Access apart(Access a, size_t dim, int64_t factor, bool further, const Expr& extent) {
  const Var times("times");
  const Expr distance = Expr(times) * Expr(factor);
  a.indices[dim] = further ? a.indices[dim] + distance : a.indices[dim] - distance;
  a.loops.push_back(For{times, 1, extent / Expr(factor) + 1, ForKind::kSerial, {}});
  return a;
}

// A write, and a use after it of an element that lies in the direction of `further` from the
// written one and shares its place.
struct Overwritten {
  Access write, use;
  Conflict conflict;
};
std::optional<Overwritten> find(const std::vector<Access>& accesses, size_t dim, int64_t factor,
                                bool further, const Expr& extent, const Facts& facts) {
  for (const Access& write : accesses) {
    if (write.kind == Access::Kind::kRead) continue;
    for (const Access& use : accesses) {
      const Access moved = apart(use, dim, factor, further, extent);
      auto conflict = touches_after(write, moved, facts);
      if (conflict) return Overwritten{write, use, *std::move(conflict)};
    }
  }
  return std::nullopt;
}

absl::Status still_used(const Overwritten& found, size_t dim, int64_t factor,
                        const Program& within) {
  const Meeting& m = found.conflict.meeting;
  const Access& write = found.write;
  const Access& use = found.use;
  if (m.answer != Answer::kYes) {
    return refuse("cannot tell that " + element(use.buffer, use.indices, within) +
                  " is not used any more once " + element(write.buffer, write.indices, within) +
                  " was stored, where they are a multiple of " + std::to_string(factor) + " apart");
  }
  std::vector<std::pair<Var, int64_t>> values = m.b_values;
  std::vector<int64_t> used = m.element;
  used[dim] -= values.back().second * factor;  // the loop `times` is the last one
  values.pop_back();
  std::string reason = element(write.buffer, m.element, within) + " is stored" +
                       iteration_of(m.a_values, within) + " in the place of " +
                       element(use.buffer, used, within) + ", which is still used after that" +
                       iteration_of(values, within);
  if (!m.sizes.empty()) reason += ", with " + text_of(m.sizes, within);
  return refuse(std::move(reason));
}

}  // namespace

absl::Status may_fold_storage(const Program& program, const Buffer& stage, int dim,
                              int64_t factor) {
  constexpr int64_t kMaxFactor = int64_t{1} << 31;
  if (factor < 1 || factor > kMaxFactor) {
    return refuse("a folded dimension has at least 1 element and at most " +
                  std::to_string(kMaxFactor) + ", and " + std::to_string(factor) +
                  " were asked for");
  }
  TENON_RETURN_IF_ERROR(has_own_indices(program, stage));
  const auto place = find_place(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    return a && a->buffer == stage;
  });
  if (!place) return refuse("the program has no buffer " + stage.name());
  const auto d = static_cast<size_t>(dim);
  const Expr extent = place->statement->as<Alloc>()->shape[d];
  if (is_data(extent, program)) {
    return refuse("dimension " + std::to_string(dim) + " of " + text_of(stage, program) +
                  " has an extent that depends on data: " + text_of(extent, program));
  }
  const Facts facts = place->facts(program);
  const std::vector<Access> accesses = accesses_of(seq(place->rest()), stage);
  const auto folded = [&](std::vector<Expr> indices) {
    indices[d] = indices[d] % Expr(factor);
    return indices;
  };
  TENON_RETURN_IF_ERROR(lanes_stay_apart(accesses, stage, folded, facts, program));
  const auto rising = find(accesses, d, factor, true, extent, facts);
  if (!rising || !find(accesses, d, factor, false, extent, facts)) return absl::OkStatus();
  return still_used(*rising, d, factor, program);
}

}  // namespace tenon
