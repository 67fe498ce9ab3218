// flatten_buffers: one index per access.
//
//   alloc t: f32[4, n]          alloc t: f32[4 * n]
//   t[i, j + 3] = x[j, i]   ->  t[i * n + j + 3] = x[j * x_s0 + i]
//
// Needs: kExplicitVectors. Gives: kFlat. Locals and dense parameters are row-major; other
// parameters have strides. Scalar parts of an index are sums whose terms stand outer loops first
// and the constant last, so that the accesses of a loop body have prefixes of their sums in common.
// Packings and strides leave the parameters: what they say about the arguments is checked against
// the Program before lowering.
#include <algorithm>

#include "lower/guards.h"
#include "lower/index_math.h"
#include "lower/passes.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

Expr number(int64_t value) { return constant_int(i64, value); }

// The strides of a row-major array.
std::vector<Expr> dense_strides(const std::vector<Expr>& shape) {
  std::vector<Expr> strides(shape.size());
  Expr stride = number(1);
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride = index_mul(stride, shape[d]);
  }
  return strides;
}

Expr product(const std::vector<Expr>& shape) {
  Expr all = number(1);
  for (const Expr& extent : shape) all = index_mul(all, extent);
  return all;
}

// One more than the last element's index; 0 when there is no element.
Expr strided_extent(const std::vector<Expr>& shape, const std::vector<Expr>& strides) {
  Expr last = number(0);
  std::vector<Expr> not_empty;
  for (size_t d = 0; d < shape.size(); ++d) {
    last = index_add(last, index_mul(index_sub(shape[d], number(1)), strides[d]));
    const Expr some = fold_index(binary(BinaryOp::kLt, number(0), shape[d]));
    if (!is_constant(some, 1)) not_empty.push_back(some);
  }
  const Expr extent = index_add(last, number(1));
  if (not_empty.empty()) return extent;
  return make_select(conjunction_of(not_empty), extent, number(0));
}

class Flattener {
 public:
  explicit Flattener(const Program& program) {
    for (const Param& p : program->params) {
      if (p.buffer) strides_[p.buffer] = p.strides.empty() ? dense_strides(p.shape) : p.strides;
    }
    for (const Table& t : program->tables) strides_[t.buffer] = dense_strides(t.shape);
  }

  Stmt statement(const Stmt& s) {
    const auto expr = [&](const Expr& e) { return expression(e); };
    if (const For* x = s.as<For>()) {
      depth_.emplace(x->var, ++loops_);
      const Stmt result = map_children(s, expr, [&](const Stmt& body) { return statement(body); });
      --loops_;
      return result;
    }
    if (const Alloc* x = s.as<Alloc>()) {
      strides_[x->buffer] = dense_strides(x->shape);
      return alloc(x->buffer, {product(x->shape)}, x->memory, x->offset);
    }
    if (const Store* x = s.as<Store>()) {
      return store(x->buffer, {flat(x->buffer, x->indices)}, expression(x->value), masked(x->mask));
    }
    if (const Accumulate* x = s.as<Accumulate>()) {
      return accumulate(x->buffer(), {flat(x->buffer(), x->indices)}, x->by.op(),
                        expression(x->value()), masked(x->mask));
    }
    if (const Call* x = s.as<Call>()) return call(x->function, flat(x->writes), flat(x->reads));
    if (const Prefetch* x = s.as<Prefetch>())
      return prefetch(x->buffer, {flat(x->buffer, x->indices)});
    if (const Bind* x = s.as<Bind>()) depth_.emplace(x->var, loops_);
    return map_children(s, expr, [&](const Stmt& child) { return statement(child); });
  }

 private:
  Expr expression(const Expr& e) {
    const Load* l = e.as<Load>();
    if (l) return load(l->buffer, {flat(l->buffer, l->indices)}, masked(l->mask));
    return map_children(e, [&](const Expr& child) { return expression(child); });
  }

  Expr masked(const Expr& mask) { return mask ? expression(mask) : mask; }

  // A part keeps its dimensions, and gets the strides of the buffer.
  std::vector<CallRegion> flat(std::vector<CallRegion> parts) {
    for (CallRegion& part : parts) {
      for (CallRegion::Range& range : part.ranges) {
        range.lo = expression(range.lo);
        if (range.hi) range.hi = expression(range.hi);
      }
      part.strides = strides_.at(part.buffer);
      if (part.ranges.empty()) part.ranges = {{number(0), {}}}, part.strides = {number(1)};
    }
    return parts;
  }

  Expr flat(const Buffer& buffer, const std::vector<Expr>& indices) {
    const std::vector<Expr>& strides = strides_.at(buffer);
    Affine shared;  // the same for all lanes
    Expr steps;     // stride of the sum of all ramps
    Expr other;     // vectors that are no ramps
    int32_t lanes = 1;
    for (size_t d = 0; d < indices.size(); ++d) {
      const Expr index = expression(indices[d]);
      lanes = std::max(lanes, index.type().lanes);
      if (const Ramp* r = index.as<Ramp>()) {
        shared = shared + to_affine(index_mul(r->base, strides[d]));
        const Expr step = index_mul(r->stride, strides[d]);
        steps = steps ? index_add(steps, step) : step;
      } else if (const Broadcast* b = index.as<Broadcast>()) {
        shared = shared + to_affine(index_mul(b->a, strides[d]));
      } else if (index.type().is_vector()) {
        const Expr term = index_mul(index, strides[d]);
        other = other ? binary(BinaryOp::kAdd, other, term) : term;
      } else {
        shared = shared + to_affine(index_mul(index, strides[d]));
      }
    }
    const Expr base = ordered_sum(shared);
    Expr result = base;
    if (steps) result = ramp(base, to_expr(to_affine(steps)), lanes);
    if (other) result = binary(BinaryOp::kAdd, other, broadcast_lanes(result, lanes));
    return broadcast_lanes(result, lanes);
  }

  // Terms of outer loops first, the constant last.
  Expr ordered_sum(const Affine& a) {
    std::vector<std::pair<int, const Affine::Term*>> terms;
    for (const Affine::Term& t : a.terms) terms.emplace_back(depth_of(t.atom), &t);
    std::stable_sort(terms.begin(), terms.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    Expr sum = number(0);
    for (const auto& [depth, t] : terms) {
      const Expr size = index_mul(t->atom, number(std::abs(t->coefficient)));
      sum = t->coefficient < 0 ? index_sub(sum, size) : index_add(sum, size);
    }
    return index_add(sum, number(a.constant));
  }

  int depth_of(const Expr& e) {
    if (const VarRef* ref = e.as<VarRef>()) {
      const auto found = depth_.find(ref->var);
      return found == depth_.end() ? 0 : found->second;
    }
    int depth = 0;
    for_each_child(e, [&](const Expr& child) { depth = std::max(depth, depth_of(child)); });
    return depth;
  }

  std::map<Buffer, std::vector<Expr>> strides_;
  std::map<Var, int> depth_;
  int loops_ = 0;
};

Param flat_param(Param param, const Facts& facts) {
  if (!param.buffer) return param;
  const Expr extent =
      param.strides.empty() ? product(param.shape) : strided_extent(param.shape, param.strides);
  param.shape = {simplify(extent, facts)};
  param.strides.clear();
  param.packing.reset();
  return param;
}

}  // namespace

absl::StatusOr<Program> flatten_buffers(const Program& program, const Target&) {
  ProgramData flat = *program;
  flat.body = Flattener(program).statement(program->body);
  const Facts facts = facts_of(program);
  for (Param& param : flat.params) param = flat_param(std::move(param), facts);
  for (Table& table : flat.tables) table.shape = {product(table.shape)};
  return Program(std::move(flat));
}

}  // namespace tenon
