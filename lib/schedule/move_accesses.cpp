#include "schedule/move_accesses.h"

#include <algorithm>

#include "tenon/ir/visit.h"

namespace tenon::primitives {

namespace {

// Where the buffer goes; null for one that stays.
const Buffer* target_of(const Buffer& buffer, const Moves& moves) {
  const auto found = std::find_if(moves.begin(), moves.end(),
                                  [&](const auto& move) { return move.first == buffer; });
  return found == moves.end() ? nullptr : &found->second;
}

bool uses_any(const Stmt& s, const Moves& moves) {
  return std::any_of(moves.begin(), moves.end(),
                     [&](const auto& move) { return uses(s, move.first); });
}

// A box that moves as a whole: legality refuses every other placement of what a call is given.
CallRegion moved(CallRegion part, const Moves& moves, const Placement& place) {
  const Buffer* to = target_of(part.buffer, moves);
  if (!to) return part;
  std::vector<Expr> firsts, ends;
  for (const CallRegion::Range& range : part.ranges) {
    firsts.push_back(range.lo);
    ends.push_back(range.hi ? range.hi : range.lo);
  }
  firsts = place(firsts), ends = place(ends);
  for (size_t d = 0; d < part.ranges.size(); ++d) {
    part.ranges[d] = {firsts[d], part.ranges[d].hi ? ends[d] : Expr()};
  }
  part.buffer = *to;
  return part;
}

Stmt moved(const Stmt& s, const Moves& moves, const Placement& place) {
  if (const Store* x = s.as<Store>()) {
    const Buffer* to = target_of(x->buffer, moves);
    return to ? store(*to, place(x->indices), x->value, x->mask) : s;
  }
  if (const Call* x = s.as<Call>()) {
    const auto placed = [&](std::vector<CallRegion> parts) {
      for (CallRegion& part : parts) part = moved(std::move(part), moves, place);
      return parts;
    };
    return uses_any(s, moves) ? call(x->function, placed(x->writes), placed(x->reads)) : s;
  }
  if (const Prefetch* x = s.as<Prefetch>()) {
    // A parameter with another layout; one that is copied stays where it is.
    const Buffer* to = target_of(x->buffer, moves);
    return to && *to == x->buffer ? prefetch(*to, place(x->indices)) : s;
  }
  const Accumulate* x = s.as<Accumulate>();
  if (!x) return s;
  std::vector<Buffer> buffers = x->buffers;
  bool moves_any = false;
  for (Buffer& buffer : buffers) {
    const Buffer* to = target_of(buffer, moves);
    if (!to) continue;
    buffer = *to;
    moves_any = true;
  }
  if (!moves_any) return s;
  return accumulate(std::move(buffers), place(x->indices), x->by, x->values, x->mask);
}

}  // namespace

Stmt with_moved_accesses(const Stmt& s, const Moves& moves, const Placement& place) {
  const Stmt loaded = rewrite(s, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    const Buffer* to = l ? target_of(l->buffer, moves) : nullptr;
    return to ? load(*to, place(l->indices), l->mask) : e;
  });
  return rewrite_stmts(loaded, [&](const Stmt& t) { return moved(t, moves, place); });
}

Stmt with_moved_accesses(const Stmt& s, const Buffer& from, const Buffer& to,
                         const Placement& place) {
  return with_moved_accesses(s, Moves{{from, to}}, place);
}

Stmt with_moved_accesses(const Stmt& s, const std::vector<Buffer>& buffers,
                         const Placement& place) {
  Moves moves;
  for (const Buffer& buffer : buffers) moves.emplace_back(buffer, buffer);
  return with_moved_accesses(s, moves, place);
}

Stmt without_alloc(const Stmt& s, const Buffer& buffer) {
  return rewrite_stmts(s, [&](const Stmt& t) {
    const Alloc* a = t.as<Alloc>();
    return a && a->buffer == buffer ? seq({}) : t;
  });
}

}  // namespace tenon::primitives
