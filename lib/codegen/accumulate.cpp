// buffer[index] op= value.
#include "codegen/access.h"

namespace tenon::codegen {

using llvm::Value;

void Emitter::emit(const Accumulate& node) {
  Value* mask = node.mask ? value(node.mask) : nullptr;
  if (!status_.ok()) return;
  if (mask && !mask->getType()->isVectorTy()) {
    emit_if(mask, [&] { emit_accumulate(node, nullptr); });
  } else {
    emit_accumulate(node, mask);
  }
}

void Emitter::emit_accumulate(const Accumulate& node, Value* mask) {
  const int lanes = node.indices.front().type().lanes;
  if (lanes == 1 && (mask || node.value().type().lanes > 1)) {
    // Memory is touched if any lane is on.
    if (!mask) return accumulate_fold(node, nullptr);
    return emit_if(any(mask), [&] { accumulate_fold(node, mask); });
  }
  const Access target = access(node.buffer(), node.indices, lanes);
  if (!status_.ok()) return;
  if (target.kind == Access::kSame || target.kind == Access::kAny) {
    return accumulate_one_by_one(node, target, mask);
  }
  Value* old = read(target, mask);
  if (old) write(target, combine(node, node.value(), target.type, old), mask);
}

namespace {

// select(condition, term, identity): the lanes that are off change nothing.
const Select* switched_term(Reducer op, const Expr& value) {
  const Select* select = value.as<Select>();
  const bool switched = select && select->condition.type().is_vector() &&
                        equal(select->on_false, identity_of(op, value.type()));
  return switched ? select : nullptr;
}

}  // namespace

// The target after the accumulation.
Value* Emitter::combine(const Accumulate& node, const Expr& term, Type type, Value* old) {
  if (const Select* switched = switched_term(node.by.op(), term)) {
    // Choosing afterwards leaves the product next to the sum, so that they can fuse.
    Value* condition = value(switched->condition);
    Value* sum = combine(node, switched->on_true, type, old);
    return condition && sum ? b_.CreateSelect(condition, sum, old) : nullptr;
  }
  const Binary* product = term.as<Binary>();
  if (node.by.op() == Reducer::kSum && type.is_float() && product &&
      product->op == BinaryOp::kMul) {
    Value* x = value(product->a);
    Value* y = value(product->b);
    if (!x || !y) return nullptr;
    return ops_.multiply_add(type, ops_.splat(x, type.lanes), ops_.splat(y, type.lanes), old);
  }
  Value* x = value(term);
  if (!x) return nullptr;
  return ops_.binary(operator_of(node.by.op()), type, old, ops_.splat(x, type.lanes));
}

// Several lanes onto one element: they meet in pairs first.
void Emitter::accumulate_fold(const Accumulate& node, Value* mask) {
  const Type type =
      node.buffer().type().with_lanes(mask ? node.mask.type().lanes : node.value().type().lanes);
  Value* lanes = value(node.value());
  const Access target = access(node.buffer(), node.indices, 1);
  if (!lanes || !status_.ok()) return;
  lanes = ops_.splat(lanes, type.lanes);
  if (mask) lanes = b_.CreateSelect(mask, lanes, value(identity_of(node.by.op(), type)));
  Value* sum = fold(node.by.op(), type, lanes);
  Value* old = read(target, nullptr);
  write(target, ops_.binary(operator_of(node.by.op()), type.element(), old, sum), nullptr);
}

// The upper half onto the lower half until one lane is left. Lanes that fill up to a power of two
// hold the identity.
Value* Emitter::fold(Reducer op, Type type, Value* lanes) {
  int width = 1;
  while (width < type.lanes) width *= 2;
  const auto take = [&](Value* x, Value* y, int first, int count) {
    std::vector<int> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(std::min(first + i, type.lanes));
    return b_.CreateShuffleVector(x, y, numbers);
  };
  if (width != type.lanes) lanes = take(lanes, value(identity_of(op, type)), 0, width);
  type.lanes = width;
  while (width > 1) {
    width /= 2;
    Value* low = take(lanes, lanes, 0, width);
    Value* high = take(lanes, lanes, width, width);
    type.lanes = width;
    if (width == 1) {
      low = b_.CreateExtractElement(low, uint64_t{0});
      high = b_.CreateExtractElement(high, uint64_t{0});
    }
    lanes = ops_.binary(operator_of(op), type, low, high);
  }
  return lanes;
}

// Lanes may meet in one element: each combines with what the lanes before it left there.
void Emitter::accumulate_one_by_one(const Accumulate& node, const Access& target, Value* mask) {
  const int lanes = target.type.lanes;
  Value* values = value(node.value());
  if (!values) return;
  values = ops_.splat(values, lanes);
  Value* addresses = lane_addresses(target);
  for (int lane = 0; lane < lanes; ++lane) {
    const auto number = static_cast<uint64_t>(lane);
    const auto combine_lane = [&] {
      Access one;
      one.type = target.type.element();
      one.first = b_.CreateExtractElement(addresses, number);
      Value* old = read(one, nullptr);
      Value* term = b_.CreateExtractElement(values, number);
      write(one, ops_.binary(operator_of(node.by.op()), one.type, old, term), nullptr);
    };
    if (mask) {
      emit_if(b_.CreateExtractElement(mask, number), combine_lane);
    } else {
      combine_lane();
    }
  }
}

}  // namespace tenon::codegen
