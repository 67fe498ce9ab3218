#include "tenon/ir/stmt.h"

#include <algorithm>
#include <span>

#include "ir/settled.h"

namespace tenon {
namespace {

using Kind = decltype(StmtNode::kind);

Stmt make(Kind kind) { return Stmt(std::make_shared<const StmtNode>(StmtNode{std::move(kind)})); }

// Appends s to `out` with every Seq opened.
void flatten(const Stmt& s, std::vector<Stmt>& out) {
  if (!s) return;
  if (const Seq* inner = s.as<Seq>()) {
    for (const Stmt& part : inner->stmts) flatten(part, out);
  } else {
    out.push_back(s);
  }
}

// Values and mask of a write have the lanes of the widest part.
void spread(const std::vector<Expr>& indices, std::vector<Expr>& values, Expr& mask) {
  const int32_t lanes =
      std::max({lanes_of(indices), lanes_of(values), mask ? mask.type().lanes : 1});
  for (Expr& value : values) value = broadcast_lanes(std::move(value), lanes);
  if (mask) mask = broadcast_lanes(std::move(mask), lanes);
}

bool equal_lists(std::span<const Expr> a, std::span<const Expr> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr& x, const Expr& y) { return equal(x, y); });
}

bool same(const Store& a, const Store& b) {
  return a.buffer == b.buffer && equal_lists(a.indices, b.indices) && equal(a.value, b.value) &&
         equal(a.mask, b.mask);
}
bool same(const Accumulate& a, const Accumulate& b) {
  return a.buffers == b.buffers && a.by == b.by && equal_lists(a.indices, b.indices) &&
         equal_lists(a.values, b.values) && equal(a.mask, b.mask);
}
bool same(const For& a, const For& b) {
  return a.var == b.var && a.kind == b.kind && equal(a.lo, b.lo) && equal(a.hi, b.hi) &&
         equal(a.body, b.body);
}
bool same(const If& a, const If& b) {
  return equal(a.condition, b.condition) && equal(a.body, b.body);
}
bool same(const Seq& a, const Seq& b) {
  return std::equal(a.stmts.begin(), a.stmts.end(), b.stmts.begin(), b.stmts.end(),
                    [](const Stmt& x, const Stmt& y) { return equal(x, y); });
}
bool same(const Alloc& a, const Alloc& b) {
  return a.buffer == b.buffer && equal_lists(a.shape, b.shape) && a.memory == b.memory &&
         equal(a.offset, b.offset);
}
bool same(const Bind& a, const Bind& b) { return a.var == b.var && equal(a.value, b.value); }
bool same_parts(const std::vector<CallRegion>& a, const std::vector<CallRegion>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const CallRegion& x, const CallRegion& y) {
        return x.buffer == y.buffer && equal_lists(x.strides, y.strides) &&
               std::equal(x.ranges.begin(), x.ranges.end(), y.ranges.begin(), y.ranges.end(),
                          [](const CallRegion::Range& r, const CallRegion::Range& s) {
                            return equal(r.lo, s.lo) && equal(r.hi, s.hi);
                          });
      });
}
bool same(const Call& a, const Call& b) {
  return a.function == b.function && same_parts(a.writes, b.writes) && same_parts(a.reads, b.reads);
}
bool same(const Prefetch& a, const Prefetch& b) {
  return a.buffer == b.buffer && equal_lists(a.indices, b.indices);
}

std::vector<CallRegion> settled(std::vector<CallRegion> parts) {
  for (CallRegion& part : parts) {
    for (CallRegion::Range& range : part.ranges) {
      range = {tenon::settled(std::move(range.lo)), tenon::settled(std::move(range.hi))};
    }
    part.strides = tenon::settled(std::move(part.strides));
  }
  return parts;
}

}  // namespace

Stmt store(const Buffer& buffer, std::vector<Expr> indices, Expr value, Expr mask) {
  std::vector<Expr> values = {std::move(value)};
  spread(indices, values, mask);
  return make(Store{buffer, settled(std::move(indices)), settled(std::move(values[0])),
                    settled(std::move(mask))});
}

Stmt accumulate(const Buffer& buffer, std::vector<Expr> indices, Reducer op, Expr value,
                Expr mask) {
  return accumulate(std::vector{buffer}, std::move(indices), op, std::vector{std::move(value)},
                    std::move(mask));
}

Stmt accumulate(std::vector<Buffer> buffers, std::vector<Expr> indices, Reduction by,
                std::vector<Expr> values, Expr mask) {
  spread(indices, values, mask);
  return make(Accumulate{std::move(buffers), settled(std::move(indices)), std::move(by),
                         settled(std::move(values)), settled(std::move(mask))});
}

Stmt make_for(const Var& var, Expr lo, Expr hi, LoopKind kind, Stmt body) {
  return make(For{var, settled(std::move(lo)), settled(std::move(hi)), std::move(kind),
                  body ? std::move(body) : seq({})});
}

Stmt make_if(Expr condition, Stmt body) {
  return make(If{settled(std::move(condition)), body ? std::move(body) : seq({})});
}

Stmt seq(std::vector<Stmt> stmts) {
  std::vector<Stmt> flat;
  flat.reserve(stmts.size());
  for (const Stmt& s : stmts) flatten(s, flat);
  return flat.size() == 1 ? flat.front() : make(Seq{std::move(flat)});
}

Stmt alloc(const Buffer& buffer, std::vector<Expr> shape, Memory memory, Expr offset) {
  return make(Alloc{buffer, settled(std::move(shape)), memory, settled(std::move(offset))});
}

Stmt bind(const Var& var, Expr value) { return make(Bind{var, settled(std::move(value))}); }

Stmt call(ExternFunction function, std::vector<CallRegion> writes, std::vector<CallRegion> reads) {
  return make(Call{std::move(function), settled(std::move(writes)), settled(std::move(reads))});
}

Stmt prefetch(const Buffer& buffer, std::vector<Expr> indices) {
  return make(Prefetch{buffer, settled(std::move(indices))});
}

std::vector<CallRegion> regions_of(const Call& call) {
  std::vector<CallRegion> all = call.writes;
  all.insert(all.end(), call.reads.begin(), call.reads.end());
  return all;
}

bool writes(const Call& call, const Buffer& buffer) {
  return std::any_of(call.writes.begin(), call.writes.end(),
                     [&](const CallRegion& part) { return part.buffer == buffer; });
}

std::vector<Stmt> statements_of(const Stmt& s) {
  if (!s) return {};
  if (const Seq* many = s.as<Seq>()) return many->stmts;
  return {s};
}

bool is_empty(const Stmt& s) {
  const Seq* many = s.as<Seq>();
  return many && many->stmts.empty();
}

bool equal(const Stmt& a, const Stmt& b) {
  if (a.get() == b.get()) return true;
  if (!a || !b || a.node().kind.index() != b.node().kind.index()) return false;
  return std::visit(
      [&](const auto& kind) {
        return same(kind, std::get<std::decay_t<decltype(kind)>>(b.node().kind));
      },
      a.node().kind);
}

}  // namespace tenon
