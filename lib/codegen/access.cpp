#include "codegen/access.h"

#include "codegen/loop_use.h"
#include "tenon/ir/scalar_ops.h"
#include "tenon/ir/visit.h"

namespace tenon::codegen {

using llvm::Value;

namespace {

// The node, or its value where both sides are constants. A sum keeps its constant part last.
Expr folded(BinaryOp op, const Expr& a, const Expr& b) {
  const std::optional<int64_t> x = as_int(a), y = as_int(b);
  const Binary* sum = a.as<Binary>();
  if (y && op == BinaryOp::kAdd && sum && sum->op == BinaryOp::kAdd && as_int(sum->b)) {
    return binary(op, sum->a, folded(op, sum->b, b));
  }
  if (!x || !y) return binary(op, a, b);
  return constant_bits(i64, apply_binary(op, i64, bits_of_int(i64, *x), bits_of_int(i64, *y)));
}

std::optional<LinearIndex> linear_binary(const Binary& node) {
  const std::optional<LinearIndex> x = linear_index(node.a);
  const std::optional<LinearIndex> y = linear_index(node.b);
  if (!x || !y) return std::nullopt;
  if (node.op == BinaryOp::kAdd || node.op == BinaryOp::kSub) {
    return LinearIndex{folded(node.op, x->base, y->base), folded(node.op, x->stride, y->stride)};
  }
  if (node.op != BinaryOp::kMul) return std::nullopt;
  if (is_constant(y->stride, 0)) {
    return LinearIndex{folded(node.op, x->base, y->base), folded(node.op, x->stride, y->base)};
  }
  if (is_constant(x->stride, 0)) {
    return LinearIndex{folded(node.op, x->base, y->base), folded(node.op, x->base, y->stride)};
  }
  return std::nullopt;
}

// Is every lane of a constant index inside [0, elements)?
bool lies_inside(const LinearIndex& index, int lanes, int64_t elements) {
  const std::optional<int64_t> base = as_int(index.base), stride = as_int(index.stride);
  if (!base || !stride || std::abs(*stride) > elements || *base < 0 || *base >= elements) {
    return false;
  }
  const int64_t last = *base + *stride * (lanes - 1);
  return last >= 0 && last < elements;
}

Emitter::Access::Kind kind_of(const Expr& stride) {
  const std::optional<int64_t> constant = as_int(stride);
  if (!constant) return Emitter::Access::kAny;
  switch (*constant) {
    case 0: return Emitter::Access::kSame;
    case 1: return Emitter::Access::kForward;
    case -1: return Emitter::Access::kBackward;
    default: return Emitter::Access::kStrided;
  }
}

}  // namespace

std::optional<LinearIndex> linear_index(const Expr& index) {
  if (index.type().lanes == 1) return LinearIndex{index, Expr(0)};
  if (const Broadcast* same = index.as<Broadcast>()) return LinearIndex{same->a, Expr(0)};
  if (const Ramp* ramp = index.as<Ramp>()) return LinearIndex{ramp->base, ramp->stride};
  if (const Binary* node = index.as<Binary>()) return linear_binary(*node);
  return std::nullopt;
}

Value* Emitter::element_pointer(Type type, Value* base, Value* index) {
  return b_.CreateGEP(ops_.memory_type(type.element()), base, index);
}

Value* Emitter::offset_of(const std::vector<Expr>& terms) {
  if (Value* multiple = counted(terms)) return multiple;
  Value* sum = nullptr;
  for (const Expr& term : terms) {
    Value* v = value(term);
    if (!v) return nullptr;
    sum = sum ? b_.CreateAdd(sum, v) : v;
  }
  return sum;
}

// In the order in which the parts change, so that what does not change in the innermost loop is
// one base, and accesses that differ in a constant share one address.
Value* Emitter::address(Type type, Value* base, const Expr& index) {
  const Sum sum = sum_of(index);
  std::vector<Expr> fixed, varying;
  for (const Expr& term : sum.terms) {
    (scope_.loop && uses(term, scope_.loop) ? varying : fixed).push_back(term);
  }
  Value* at = base;
  for (const std::vector<Expr>* terms : {&fixed, &varying}) {
    if (terms->empty()) continue;
    Value* offset = offset_of(*terms);
    if (!offset) return nullptr;
    at = element_pointer(type, at, offset);
  }
  if (sum.constant == 0 && at != base) return at;
  return element_pointer(type, at, b_.getInt64(static_cast<uint64_t>(sum.constant)));
}

Emitter::Access Emitter::access(const Buffer& buffer, const std::vector<Expr>& indices, int lanes) {
  Access result;
  result.type = buffer.type().with_lanes(lanes);
  const auto found = scope_.buffers.find(buffer.id());
  if (found == scope_.buffers.end() || indices.size() != 1) {
    fail(indices.size() != 1 ? "an access of " + buffer.name() + " has not one index"
                             : "buffer " + buffer.name() + " has no place");
    return result;
  }
  const Place& place = found->second.second;
  const Buffer* outer = std::exchange(indexed_, &buffer);
  fill_access(place, indices[0], &result);
  indexed_ = outer;
  return result;
}

void Emitter::fill_access(const Place& place, const Expr& index, Access* result) {
  const Type type = result->type;
  result->read_only = place.read_only;
  result->streamed = place.streamed;
  const std::optional<LinearIndex> linear = linear_index(index);
  if (!linear) {
    result->kind = Access::kAny;
    if (Value* offsets = value(index)) {
      result->lanes = element_pointer(type, place.base, offsets);
    }
    return;
  }
  result->inside_stack =
      place.stack_elements >= 0 && lies_inside(*linear, type.lanes, place.stack_elements);
  result->kind = type.lanes == 1 ? Access::kOne : kind_of(linear->stride);
  Expr first = linear->base;
  if (result->kind == Access::kBackward) {
    first = folded(BinaryOp::kAdd, first, Expr(1 - type.lanes));
  }
  result->first = address(type, place.base, first);
  if (!result->first || (result->kind != Access::kStrided && result->kind != Access::kAny)) return;
  Value* stride = value(linear->stride);
  if (!stride) return;
  Value* offsets =
      b_.CreateMul(ops_.splat(stride, type.lanes), ops_.lane_numbers(b_.getInt64Ty(), type.lanes));
  result->lanes = element_pointer(type, result->first, offsets);
}

Value* Emitter::lane_addresses(const Access& access) {
  return access.lanes ? access.lanes : ops_.splat(access.first, access.type.lanes);
}

}  // namespace tenon::codegen
