#include "tenon/ir/expr.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "ir/settled.h"
#include "tenon/base/hash.h"
#include "tenon/base/match.h"
#include "tenon/ir/reducer.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

using Kind = decltype(ExprNode::kind);

// Identities are numbered in the order of their creation, variables and buffers alike.
uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

// Collects what a new node inherits from its children.
class Digest {
 public:
  explicit Digest(size_t kind, Type type) {
    add(kind);
    add(static_cast<uint64_t>(type.scalar));
    add(static_cast<uint64_t>(type.lanes));
  }
  void add(uint64_t value) { hash_ = hash_combine(hash_, value); }
  void add(const Expr& child) {
    add(hash_of(child));
    if (!child) return;
    depth_ = std::max(depth_, child.node().depth + 1);
    size_ += child.node().size;
  }
  void add(std::span<const Expr> children) {
    add(children.size());
    for (const Expr& child : children) add(child);
  }

  uint64_t hash() const { return hash_; }
  int32_t depth() const { return depth_; }
  int64_t size() const { return size_; }

 private:
  uint64_t hash_ = 0;
  int32_t depth_ = 1;
  int64_t size_ = 1;
};

// Names do not count.
void add_reduction(const Reduction& by, Digest& d) {
  d.add(static_cast<uint64_t>(by.op()));
  if (by.functions()) d.add(by.functions()->identity);
}

void digest(const Kind& kind, Digest& d) {
  match(
      kind,  //
      [&](const Const& c) { d.add(c.bits); }, [&](const VarRef& v) { d.add(v.var.id()); },
      [&](const Unary& u) {
        d.add(static_cast<uint64_t>(u.op));
        d.add(u.a);
      },
      [&](const Binary& b) {
        d.add(static_cast<uint64_t>(b.op));
        d.add(b.a);
        d.add(b.b);
      },
      [&](const Select& s) {
        d.add(s.condition);
        d.add(s.on_true);
        d.add(s.on_false);
      },
      [&](const Cast& c) {
        d.add(static_cast<uint64_t>(c.mode));
        d.add(c.a);
      },
      [&](const Load& l) {
        d.add(l.buffer.id());
        d.add(l.indices);
        d.add(l.mask);
      },
      [&](const Ramp& r) {
        d.add(r.base);
        d.add(r.stride);
      },
      [&](const Broadcast& b) { d.add(b.a); },
      [&](const Reduce& r) {
        add_reduction(r.by, d);
        for (const ReduceAxis& axis : r.axes) {
          d.add(axis.var.id());
          d.add(axis.extent);
        }
        d.add(r.values);
        d.add(static_cast<uint64_t>(r.result));
      },
      [&](const Invalid& i) { d.add(hash_of_text(i.message)); });
}

Expr make(Type type, Kind kind) {
  Digest d(kind.index(), type);
  digest(kind, d);
  if (d.depth() > kMaxExprDepth) {
    return invalid("the expression is nested more than " + std::to_string(kMaxExprDepth) +
                   " operations deep; store a part of it in a buffer");
  }
  if (d.size() > kMaxExprSize) {
    return invalid("the expression has more than " + std::to_string(kMaxExprSize) +
                   " operations, with shared parts counted wherever they are used; store a part of "
                   "it in a buffer");
  }
  return Expr(std::make_shared<const ExprNode>(
      ExprNode{type, std::move(kind), d.hash(), d.depth(), static_cast<int32_t>(d.size())}));
}

void match_lanes(Expr& a, Expr& b) {
  if (a.type().lanes == b.type().lanes) return;
  if (!a.type().is_vector()) a = broadcast_lanes(a, b.type().lanes);
  if (!b.type().is_vector()) b = broadcast_lanes(b, a.type().lanes);
}

// The constant itself, seen through a Broadcast.
const Expr* constant_under(const Expr& e) {
  if (e.is<Const>()) return &e;
  const Broadcast* b = e.as<Broadcast>();
  return b && b->a.is<Const>() ? &b->a : nullptr;
}

bool equal_lists(std::span<const Expr> a, std::span<const Expr> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr& x, const Expr& y) { return equal(x, y); });
}

bool same(const Const& a, const Const& b) { return a.bits == b.bits; }
bool same(const VarRef& a, const VarRef& b) { return a.var == b.var; }
bool same(const Unary& a, const Unary& b) { return a.op == b.op && equal(a.a, b.a); }
bool same(const Binary& a, const Binary& b) {
  return a.op == b.op && equal(a.a, b.a) && equal(a.b, b.b);
}
bool same(const Select& a, const Select& b) {
  return equal(a.condition, b.condition) && equal(a.on_true, b.on_true) &&
         equal(a.on_false, b.on_false);
}
bool same(const Cast& a, const Cast& b) { return a.mode == b.mode && equal(a.a, b.a); }
bool same(const Load& a, const Load& b) {
  return a.buffer == b.buffer && equal_lists(a.indices, b.indices) && equal(a.mask, b.mask);
}
bool same(const Ramp& a, const Ramp& b) {
  return equal(a.base, b.base) && equal(a.stride, b.stride);
}
bool same(const Broadcast& a, const Broadcast& b) { return equal(a.a, b.a); }
bool same(const ReduceAxis& a, const ReduceAxis& b) {
  return a.var == b.var && equal(a.extent, b.extent);
}
bool same(const Reduce& a, const Reduce& b) {
  return a.by == b.by && a.result == b.result &&
         std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(),
                    [](const ReduceAxis& x, const ReduceAxis& y) { return same(x, y); }) &&
         equal_lists(a.values, b.values);
}
bool same(const Invalid& a, const Invalid& b) { return a.message == b.message; }

}  // namespace

Expr settled(Expr e) {
  const Const* c = e.as<Const>();
  return c && c->literal ? make(e.type(), Const{c->bits}) : e;
}

std::vector<Expr> settled(std::vector<Expr> list) {
  for (Expr& e : list) e = settled(std::move(e));
  return list;
}

const Var::Info Var::kNothing;
const Buffer::Info Buffer::kNothing;

Var::Var(std::string name, Type type, Use use)
    : info_(std::make_shared<const Info>(Info{std::move(name), type, next_id(), use})) {}

Buffer::Buffer(std::string name, Type type, std::shared_ptr<const Definition> definition)
    : info_(std::make_shared<const Info>(
          Info{std::move(name), type, next_id(), std::move(definition)})) {}

Expr::Expr(const Var& var) : Expr(var ? make(var.type(), VarRef{var}) : Expr()) {}
Expr::Expr(int value) : Expr(static_cast<int64_t>(value)) {}
Expr::Expr(long long value) : Expr(static_cast<int64_t>(value)) {}
Expr::Expr(int64_t value) : Expr(make(i64, Const{bits_of_int(i64, value), true})) {}
Expr::Expr(float value) : Expr(static_cast<double>(value)) {}
Expr::Expr(double value) : Expr(make(f32, Const{bits_of_float(f32, value), true, value})) {}
Expr::Expr(bool value) : Expr(make(boolean, Const{value ? 1u : 0u})) {}

Expr constant_bits(Type type, uint64_t bits) {
  return broadcast_lanes(make(type.element(), Const{bits}), type.lanes);
}

Expr constant_int(Type type, int64_t value) {
  return constant_bits(type, apply_cast(CastMode::kValue, i64, type, bits_of_int(i64, value)));
}

Expr constant_float(Type type, double value) {
  return constant_bits(type, bits_of_float(type, value));
}

Expr unary(UnaryOp op, Expr a) {
  const Type type = a.type();
  return make(type, Unary{op, settled(std::move(a))});
}

Expr binary(BinaryOp op, Expr a, Expr b) {
  match_lanes(a, b);
  const Type type = is_comparison(op) ? boolean.with_lanes(a.type().lanes) : a.type();
  return make(type, Binary{op, settled(std::move(a)), settled(std::move(b))});
}

Expr make_select(Expr condition, Expr on_true, Expr on_false) {
  match_lanes(on_true, on_false);
  if (condition.type().is_vector() && !on_true.type().is_vector()) {
    on_true = broadcast_lanes(on_true, condition.type().lanes);
    on_false = broadcast_lanes(on_false, condition.type().lanes);
  }
  const Type type = on_true.type();
  return make(type, Select{settled(std::move(condition)), settled(std::move(on_true)),
                           settled(std::move(on_false))});
}

Expr make_cast(CastMode mode, Type type, Expr a) {
  return make(type, Cast{mode, settled(std::move(a))});
}

Expr load(const Buffer& buffer, std::vector<Expr> indices, Expr mask) {
  int32_t lanes = mask ? mask.type().lanes : 1;
  for (const Expr& index : indices) lanes = std::max(lanes, index.type().lanes);
  if (mask) mask = broadcast_lanes(settled(std::move(mask)), lanes);
  return make(buffer.type().with_lanes(lanes),
              Load{buffer, settled(std::move(indices)), std::move(mask)});
}

Expr ramp(Expr base, Expr stride, int32_t lanes) {
  const Type type = base.type().with_lanes(lanes);
  return make(type, Ramp{settled(std::move(base)), settled(std::move(stride))});
}

Expr broadcast_lanes(Expr a, int32_t lanes) {
  if (a.type().lanes == lanes || a.type().is_vector()) return a;
  const Type type = a.type().with_lanes(lanes);
  return make(type, Broadcast{settled(std::move(a))});
}

Expr make_reduce(Reduction by, std::vector<ReduceAxis> axes, std::vector<Expr> values, int result) {
  for (ReduceAxis& axis : axes) axis.extent = settled(std::move(axis.extent));
  if (values.empty() || result < 0 || static_cast<size_t>(result) >= by.results()) {
    return invalid("a reduction without values, or a result that it does not have");
  }
  const Type type = by.functions() ? by.functions()->state[static_cast<size_t>(result)].type()
                                   : values.front().type();
  return make(type, Reduce{std::move(by), std::move(axes), settled(std::move(values)), result});
}

Expr invalid(std::string message) { return make(f32, Invalid{std::move(message)}); }

bool equal(const Expr& a, const Expr& b) {
  if (a.get() == b.get()) return true;
  if (!a || !b) return false;
  const ExprNode& x = a.node();
  const ExprNode& y = b.node();
  if (x.hash != y.hash || x.type != y.type || x.kind.index() != y.kind.index()) return false;
  return std::visit(
      [&](const auto& kind) { return same(kind, std::get<std::decay_t<decltype(kind)>>(y.kind)); },
      x.kind);
}

int32_t lanes_of(const std::vector<Expr>& list) {
  int32_t lanes = 1;
  for (const Expr& e : list) lanes = std::max(lanes, e.type().lanes);
  return lanes;
}

uint64_t hash_of(const Expr& e) { return e ? e.node().hash : 0; }

bool is_constant(const Expr& e) { return constant_under(e) != nullptr; }

bool is_constant(const Expr& e, int64_t value) {
  const Expr* c = constant_under(e);
  const std::optional<int64_t> found = c ? as_int(*c) : std::nullopt;
  return found && *found == value;
}

std::optional<int64_t> as_int(const Expr& e) {
  const Const* c = e.as<Const>();
  if (!c || e.type().is_float()) return std::nullopt;
  const int64_t value = int_of_bits(e.type(), c->bits);
  if (e.type() == u64 && value < 0) return std::nullopt;
  return value;
}

std::optional<double> as_float(const Expr& e) {
  const Const* c = e.as<Const>();
  if (!c || !e.type().is_float()) return std::nullopt;
  return float_of_bits(e.type(), c->bits);
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::kLt && op <= BinaryOp::kNe; }

}  // namespace tenon
