// cut_vectors: vector loops get extents that are registers.
//
//   vector for v in 0..44 { S[v] }      (16 lanes)
//   ->
//   unroll for c in 0..2 { vector for v in 0..16 { S[c*16 + v] } }
//   vector for v in 0..8 { S[32 + v] }
//   vector for v in 0..4 { S[40 + v] }
//
// Needs: vector loops as may_vectorize allows them: constant extents, no lane reads what another
// writes, so that chunks of lanes may run one after the other.
// Gives: kVectorsCut. A register holds target.lanes() of the widest element that the loop computes
// with. The rest is cut into powers of two, since code generators are bad at others. Serial loops
// inside the vector loop move outside of the chunks: chunks share their iterations.
// A loop with a fold stays whole, because the order in which its lanes are folded is part of its
// meaning; with an extent that is not a power of two it gets lanes that are off up to the next.
#include "lower/index_math.h"
#include "lower/passes.h"
#include "lower/vector_loops.h"
#include "tenon/analysis/legality.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

// --- The widest element.

// f16 and bf16 are computed in f32.
int computed_bytes(const Expr& e) {
  const bool copied = e.is<Load>() || e.is<Const>();
  if (e.type().is_small_float() && !copied) return f32.bytes();
  return e.type().bytes();
}

// Of the values in e. Indices do not count: they become addresses and ramps. Neither do conditions:
// they become masks.
int widest_value(const Expr& e) {
  if (e.type().is_bool()) return 1;
  int widest = computed_bytes(e);
  if (e.is<Load>()) return widest;
  for_each_child(e, [&](const Expr& child) { widest = std::max(widest, widest_value(child)); });
  return widest;
}

Type widest_type(const Stmt& body) {
  int widest = 1;
  walk(body, [&](const Stmt& s) {
    if (const Store* x = s.as<Store>()) widest = std::max(widest, widest_value(x->value));
    if (const Accumulate* x = s.as<Accumulate>()) {
      for (const Expr& value : x->values) widest = std::max(widest, widest_value(value));
      for (const Buffer& buffer : x->buffers) {
        if (buffer.type().is_small_float()) widest = std::max(widest, f32.bytes());
        if (x->by.functions()) widest = std::max(widest, buffer.type().bytes());
      }
    }
  });
  return widest == 8 ? i64 : widest == 4 ? i32 : widest == 2 ? i16 : i8;
}

// --- Cutting.

int64_t next_power_of_two(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

int64_t previous_power_of_two(int64_t n) {
  return is_power_of_two(n) ? n : next_power_of_two(n) / 2;
}

bool holds_loop(const Stmt& s) {
  return any_in(s, [](const Stmt& t) { return t.is<For>(); });
}

bool binds(const Stmt& s) {
  return any_in(s, [](const Stmt& t) { return t.is<Bind>(); });
}

Expr number(int64_t value) { return constant_int(i64, value); }

class Cutter {
 public:
  Cutter(const For& loop, int64_t extent, int64_t width)
      : loop_(loop), extent_(extent), width_(width), lane_vars_(loop.var, loop.body) {}

  // The loop's statement(s) for all of its lanes. In lock step, a serial loop around the lanes is
  // the same as one inside, and so is a guard that all lanes share.
  Stmt cut(const Stmt& s) const {
    if (!holds_loop(s) || (s.is<Seq>() && binds(s))) return chunks(s);
    if (const For* inner = s.as<For>()) {
      if (lane_vars_.uses(inner->lo) || lane_vars_.uses(inner->hi)) return chunks(s);
      return make_for(inner->var, inner->lo, inner->hi, inner->kind, cut(inner->body));
    }
    if (const If* guard = s.as<If>()) {
      return lane_vars_.uses(guard->condition) ? chunks(s)
                                               : make_if(guard->condition, cut(guard->body));
    }
    return cut_sequence(s);
  }

 private:
  // Neighbours without loops stay together, so that what one stores is at hand for the next.
  Stmt cut_sequence(const Stmt& s) const {
    std::vector<Stmt> done, together;
    const auto flush = [&] {
      if (!together.empty()) done.push_back(chunks(seq(std::move(together))));
      together.clear();
    };
    for (const Stmt& part : statements_of(s)) {
      if (holds_loop(part)) {
        flush();
        done.push_back(cut(part));
      } else {
        together.push_back(part);
      }
    }
    flush();
    return seq(std::move(done));
  }

  Stmt chunks(const Stmt& s) const {
    std::vector<Stmt> parts;
    int64_t done = 0;
    if (const int64_t whole = extent_ / width_; whole > 0) {
      parts.push_back(whole_chunks(s, whole));
      done = whole * width_;
    }
    while (done < extent_) {
      const int64_t lanes = previous_power_of_two(extent_ - done);
      parts.push_back(chunk(s, number(done), lanes));
      done += lanes;
    }
    return seq(std::move(parts));
  }

  Stmt whole_chunks(const Stmt& s, int64_t count) const {
    if (count == 1) return chunk(s, number(0), width_);
    const Var c(loop_.var.name() + "c");
    const Expr first = index_mul(c, number(width_));
    return make_for(c, number(0), number(count), ForKind::kUnroll, chunk(s, first, width_));
  }

  // The lanes [first, first + lanes), counted from 0.
  Stmt chunk(const Stmt& s, const Expr& first, int64_t lanes) const {
    const Var lane(loop_.var.name());
    const Expr value = index_add(index_add(loop_.lo, first), lane);
    return make_for(lane, number(0), number(lanes), ForKind::kVector,
                    substitute_folded(with_fresh_names(s), {{loop_.var, value}}));
  }

  const For& loop_;
  int64_t extent_, width_;
  LaneVars lane_vars_;
};

// Nothing in s happens in lanes without the condition.
Stmt guarded(const Stmt& s, const Expr& condition) {
  if (const Bind* name = s.as<Bind>()) {
    const Expr nothing = constant_int(name->value.type(), 0);
    return bind(name->var, make_select(condition, name->value, nothing));
  }
  if (!s.is<Seq>() && !s.is<For>()) return make_if(condition, s);
  return map_children(s, [&](const Stmt& child) { return guarded(child, condition); });
}

// The same lanes, and lanes that are off up to a power of two.
Stmt filled_fold(const For& loop, int64_t extent) {
  const Expr hi = index_add(loop.lo, number(next_power_of_two(extent)));
  const Expr on = binary(BinaryOp::kLt, loop.var, loop.hi);
  return make_for(loop.var, loop.lo, hi, ForKind::kVector, guarded(loop.body, on));
}

absl::StatusOr<Stmt> cut_loop(const Stmt& s, const For& loop, const Target& target) {
  const std::optional<int64_t> extent = constant_extent(loop);
  if (!extent) {
    return refuse("vector loop " + loop.var.name() + " needs a constant number of iterations");
  }
  if (*extent <= 0) return seq({});
  if (*extent > kMaxVectorLanes) {  // a schedule makes none; text may
    return refuse("vector loop " + loop.var.name() + " has " + std::to_string(*extent) +
                      " iterations, and a vector loop has at most " +
                      std::to_string(kMaxVectorLanes),
                  {},
                  {"split(" + loop.var.name() + ", " + std::to_string(kMaxVectorLanes) +
                   "), and only the inner loop a vector"});
  }
  if (has_fold(loop)) return is_power_of_two(*extent) ? s : filled_fold(loop, *extent);
  const int64_t width = target.lanes(widest_type(loop.body));
  if (*extent <= width && is_power_of_two(*extent)) return s;
  return Cutter(loop, *extent, width).cut(loop.body);
}

}  // namespace

absl::StatusOr<Program> cut_vectors(const Program& program, const Target& target) {
  absl::Status status;
  const Stmt body = rewrite_stmts(program->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    if (!loop || loop->kind != ForKind::kVector || !status.ok()) return s;
    absl::StatusOr<Stmt> cut = cut_loop(s, *loop, target);
    if (!cut.ok()) status = cut.status();
    return cut.ok() ? *cut : s;
  });
  TENON_RETURN_IF_ERROR(status);
  return program.with_body(body);
}

}  // namespace tenon
