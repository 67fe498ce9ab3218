#include "tenon/analysis/access.h"

#include <algorithm>
#include <map>

#include "tenon/analysis/affine.h"
#include "tenon/base/match.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

class Collector {
 public:
  explicit Collector(const Buffer* only) : only_(only) {}

  void statement(const Stmt& s) {
    const StmtNode* outer = statement_;
    statement_ = s.get();
    match(
        s.node().kind, [&](const Store& x) { write(x); }, [&](const Accumulate& x) { write(x); },
        [&](const For& x) { loop(x); }, [&](const If& x) { guarded(x); },
        [&](const Seq& x) { sequence(x); }, [&](const Alloc& x) { declare(x); },
        [&](const Bind& x) { name(x); }, [&](const Call& x) { called(x); },
        [&](const Prefetch&) {});
    statement_ = outer;
  }

  std::vector<Access> take() { return std::move(found_); }

 private:
  // --- Statements.

  void write(const Store& x) {
    reads(x.indices), reads(x.value), reads(x.mask);
    add(Access::Kind::kWrite, x.buffer, x.indices, x.mask);
  }

  void write(const Accumulate& x) {
    reads(x.indices), reads(x.values), reads(x.mask);
    for (const Buffer& buffer : x.buffers) {
      add(Access::Kind::kAccumulate, buffer, x.indices, x.mask);
    }
  }

  void loop(const For& x) {
    reads(x.lo), reads(x.hi);
    loops_.push_back(binds_.empty() ? x
                                    : For{x.var, resolved(x.lo), resolved(x.hi), x.kind, x.body});
    statement(x.body);
    loops_.pop_back();
  }

  void guarded(const If& x) {
    reads(x.condition);
    guards_.push_back(resolved(x.condition));
    statement(x.body);
    guards_.pop_back();
  }

  // What a sequence names is known to the end of it; identities are distinct, so nothing is hidden
  // by forgetting late.
  void sequence(const Seq& x) {
    for (const Stmt& part : x.stmts) statement(part);
  }

  void declare(const Alloc& x) {
    reads(x.shape);
    homes_.emplace(x.buffer, loops_.size());
  }

  void name(const Bind& x) {
    reads(x.value);
    binds_.insert_or_assign(x.var, resolved(x.value));
  }

  // A function reads before it writes.
  void called(const Call& x) {
    for (const CallRegion& part : regions_of(x)) {
      for (const CallRegion::Range& range : part.ranges) reads(range.lo), reads(range.hi);
      reads(part.strides);
    }
    for (const CallRegion& part : x.reads) add(Access::Kind::kRead, part);
    for (const CallRegion& part : x.writes) add(Access::Kind::kWrite, part);
  }

  // The indices of a part are loops that belong to this access alone.
  void add(Access::Kind kind, const CallRegion& part) {
    const size_t around = loops_.size();
    std::vector<Expr> indices;
    for (const CallRegion::Range& range : part.ranges) {
      if (!range.hi) {
        indices.push_back(range.lo);
        continue;
      }
      const Var index("part");
      const Expr extent = to_expr(to_affine(range.hi) - to_affine(range.lo));
      loops_.push_back(For{index, constant_int(i64, 0), resolved(extent), ForKind::kSerial, {}});
      indices.push_back(is_constant(range.lo, 0) ? Expr(index) : range.lo + Expr(index));
    }
    add(kind, part.buffer, indices, {});
    loops_.resize(around);
  }

  // --- Expressions.

  void reads(const std::vector<Expr>& list) {
    for (const Expr& e : list) reads(e);
  }

  void reads(const Expr& e) {
    if (e.get() == nullptr || e.is<Const>() || e.is<VarRef>()) return;
    if (const Select* s = e.as<Select>()) return lazy_reads(*s);
    for_each_child(e, [&](const Expr& child) { reads(child); });
    if (const Load* l = e.as<Load>()) add(Access::Kind::kRead, l->buffer, l->indices, l->mask);
  }

  // Only the chosen arm is evaluated. Conditions of several lanes choose lane by lane.
  void lazy_reads(const Select& s) {
    reads(s.condition);
    guards_.push_back(resolved(s.condition));
    reads(s.on_true);
    guards_.back() = ~guards_.back();
    reads(s.on_false);
    guards_.pop_back();
  }

  Expr resolved(const Expr& e) const { return binds_.empty() ? e : substitute(e, binds_); }

  // --- Making an access.

  Access* add(Access::Kind kind, const Buffer& buffer, const std::vector<Expr>& indices,
              const Expr& mask) {
    const int order = next_++;
    if (only_ && !(buffer == *only_)) return nullptr;
    Access& a = found_.emplace_back();
    a.kind = kind;
    a.buffer = buffer;
    a.indices.reserve(indices.size());
    for (const Expr& index : indices) a.indices.push_back(resolved(index));
    a.loops = loops_;
    a.guards = guards_;
    if (mask) a.guards.push_back(resolved(mask));
    const auto home = homes_.find(buffer);
    if (home != homes_.end()) a.home = home->second;
    a.order = order;
    a.statement = statement_;
    expand_lanes(a);
    return &a;
  }

  static int32_t lanes_of(const Access& a) {
    int32_t lanes = 1;
    for (const Expr& index : a.indices) lanes = std::max(lanes, index.type().lanes);
    for (const Expr& guard : a.guards) lanes = std::max(lanes, guard.type().lanes);
    return lanes;
  }

  static void expand_lanes(Access& a) {
    const int32_t lanes = lanes_of(a);
    if (lanes == 1) return;
    const Var lane("lane");
    for (Expr& index : a.indices) index = lane_of(index, lane);
    for (Expr& guard : a.guards) guard = lane_of(guard, lane);
    a.loops.push_back(For{lane, 0, Expr(static_cast<int64_t>(lanes)), ForKind::kVector, {}});
  }

  // The value of one lane of a vector expression.
  static Expr lane_of(const Expr& e, const Var& lane) {
    if (!e.type().is_vector()) return e;
    if (const Broadcast* b = e.as<Broadcast>()) return b->a;
    if (const Ramp* r = e.as<Ramp>()) return r->base + r->stride * Expr(lane);
    if (e.is<Const>()) return constant_bits(e.type().element(), e.as<Const>()->bits);
    return map_children(e, [&](const Expr& child) { return lane_of(child, lane); });
  }

  const Buffer* only_;
  std::vector<Access> found_;
  std::vector<For> loops_;
  std::vector<Expr> guards_;
  VarMap binds_;
  std::map<Buffer, size_t> homes_;
  const StmtNode* statement_ = nullptr;
  int next_ = 0;
};

}  // namespace

std::vector<Access> accesses_of(const Stmt& s) {
  Collector collector(nullptr);
  collector.statement(s);
  return collector.take();
}

std::vector<Access> accesses_of(const Stmt& s, const Buffer& buffer) {
  Collector collector(&buffer);
  collector.statement(s);
  return collector.take();
}

}  // namespace tenon
