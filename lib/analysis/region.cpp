#include "tenon/analysis/region.h"

#include <algorithm>

#include "analysis/missing.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

bool matters(Access::Kind kind, Which which) {
  if (which == Which::kAll) return true;
  return (kind == Access::Kind::kRead) == (which == Which::kReads);
}

const char* verb(Which which) {
  switch (which) {
    case Which::kReads: return "reads";
    case Which::kWrites: return "writes";
    case Which::kAll: return "accesses";
  }
  return "";
}

std::string ordinal(size_t dim) {
  static const char* const kWords[] = {"first", "second", "third", "fourth", "fifth", "sixth"};
  return dim < std::size(kWords) ? kWords[dim] : std::to_string(dim + 1) + "th";
}

// "the second index of reads of t"
std::string subject(size_t dim, const Buffer& buffer, Which which) {
  return "the " + ordinal(dim) + " index of " + verb(which) + " of " + buffer.name();
}

// The innermost loop over which the index alone cannot be bounded; any loop that it uses, if each
// can be.
Var culprit(const Expr& index, const std::vector<LoopRange>& inner, const Facts& facts) {
  Var used;
  for (size_t i = inner.size(); i-- > 0;) {
    if (!uses(index, inner[i].var)) continue;
    used = inner[i].var;
    Facts around = facts;
    for (size_t k = 0; k < i; ++k) around = around.inside(inner[k]);
    if (!bounds_over(index, {inner[i]}, around)) break;
  }
  return used;
}

absl::Status not_bounded(const Access& a, size_t dim, Which which, const Facts& facts) {
  const Var var = culprit(a.indices[dim], ranges_of(a.loops), facts);
  std::string reason = subject(dim, a.buffer, which);
  if (var) {
    reason += " varies non-monotonically with " + var.name();
  } else {
    reason += " cannot be bounded";
  }
  return refuse(reason + ": " + print(a.indices[dim]));
}

// Whether a <= b always holds (1), b <= a does (-1), or neither is known (0).
int compare(const Expr& a, const Expr& b, const Facts& facts) {
  if (equal(a, b) || proved(facts, a <= b)) return 1;
  return proved(facts, b <= a) ? -1 : 0;
}

absl::Status not_ordered(size_t dim, const Buffer& buffer, Which which, const char* end,
                         const Expr& a, const Expr& b, const Facts& facts) {
  std::vector<std::string> missing;
  for (const Expr& order : {a <= b, b <= a}) {
    const Expr fact = missing_fact(order, facts);
    if (fact && missing.empty()) missing.push_back(print(fact));
  }
  return refuse(subject(dim, buffer, which) + " " + end + " at " + print(a) + " or " + print(b) +
                    ", and which is smaller is not known",
                std::move(missing));
}

// Widens `hull` (inclusive bounds) so that it holds `next`.
absl::Status widen(SymbolicInterval& hull, const SymbolicInterval& next, size_t dim,
                   const Buffer& buffer, Which which, const Facts& facts) {
  const int lo = compare(hull.lo, next.lo, facts);
  if (lo == 0) return not_ordered(dim, buffer, which, "starts", hull.lo, next.lo, facts);
  if (lo < 0) hull.lo = next.lo;
  const int hi = compare(hull.hi, next.hi, facts);
  if (hi == 0) return not_ordered(dim, buffer, which, "ends", hull.hi, next.hi, facts);
  if (hi > 0) hull.hi = next.hi;
  return absl::OkStatus();
}

// The loop around, or the buffer, that the extent varies with; empty when it varies with none.
std::string varies_with(const Expr& extent, const Facts& facts) {
  std::string loop, data;
  walk(extent, [&](const Expr& e) {
    if (const Load* l = e.as<Load>()) data = l->buffer.name();
    const VarRef* ref = e.as<VarRef>();
    if (ref && facts.range_of(ref->var)) loop = ref->var.name();
  });
  return data.empty() ? loop : data;
}

// The extent where it does not vary, else its greatest value over the loops around. Empty where it
// is data or its ends are not known.
std::optional<Expr> room_for(const Expr& extent, const Facts& facts) {
  if (varies_with(extent, facts).empty()) return extent;
  const std::optional<SymbolicInterval> bounds = bounds_over(extent, facts.loops(), facts);
  if (!bounds) return std::nullopt;
  Expr room = simplify(bounds->hi, facts);
  if (!varies_with(room, facts).empty()) return std::nullopt;
  return room;
}

}  // namespace

absl::StatusOr<Region> region_of(const Stmt& s, const std::vector<Buffer>& buffers, Which which,
                                 const Facts& facts) {
  std::vector<SymbolicInterval> hull;
  const Buffer& buffer = buffers.front();
  bool first = true;
  for (const Access& a : accesses_of(s)) {
    const bool ours = std::find(buffers.begin(), buffers.end(), a.buffer) != buffers.end();
    if (!ours || !matters(a.kind, which)) continue;
    const std::vector<LoopRange> inner = ranges_of(a.loops);
    for (size_t d = 0; d < a.indices.size(); ++d) {
      std::optional<SymbolicInterval> bounds = bounds_over(a.indices[d], inner, facts);
      if (!bounds) return not_bounded(a, d, which, facts);
      if (first) {
        hull.push_back(std::move(*bounds));
      } else if (absl::Status status = widen(hull[d], *bounds, d, buffer, which, facts);
                 !status.ok()) {
        return status;
      }
    }
    first = false;
  }
  if (first) return refuse("there are no " + std::string(verb(which)) + " of " + buffer.name());

  Region region;
  for (size_t d = 0; d < hull.size(); ++d) {
    region.lo.push_back(simplify(hull[d].lo, facts));
    region.extent.push_back(simplify(hull[d].hi - hull[d].lo + 1, facts));
    std::optional<Expr> room = room_for(region.extent[d], facts);
    if (!room) {
      return refuse("the extent of " + subject(d, buffer, which) + " varies with " +
                    varies_with(region.extent[d], facts) + ": " + print(region.extent[d]));
    }
    region.room.push_back(*std::move(room));
  }
  return region;
}

absl::StatusOr<Region> region_of(const Stmt& s, const Buffer& buffer, Which which,
                                 const Facts& facts) {
  return region_of(s, std::vector<Buffer>{buffer}, which, facts);
}

}  // namespace tenon
