#include <utility>

#include "tenon/runtime/signature.h"

namespace tenon {
namespace {

using Op = SizeProgram::Op;

constexpr int kMaxDepth = 32;

int operands_of(Op op) {
  switch (op) {
    case Op::kConst:
    case Op::kSize: return 0;
    case Op::kNot: return 1;
    case Op::kSelect: return 3;
    default: return 2;
  }
}

int64_t floor_mod(int64_t a, int64_t b) {
  if (b == 0) return a;
  if (b == -1) return 0;  // the lowest value divided by -1 would trap
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

int64_t floor_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t apply(Op op, int64_t a, int64_t b, bool& wrapped) {
  int64_t result = 0;
  switch (op) {
    case Op::kAdd: wrapped |= __builtin_add_overflow(a, b, &result); return result;
    case Op::kSub: wrapped |= __builtin_sub_overflow(a, b, &result); return result;
    case Op::kMul: wrapped |= __builtin_mul_overflow(a, b, &result); return result;
    case Op::kFloorDiv: return floor_div(a, b);
    case Op::kFloorMod: return floor_mod(a, b);
    case Op::kMin: return a < b ? a : b;
    case Op::kMax: return a < b ? b : a;
    case Op::kLt: return a < b;
    case Op::kLe: return a <= b;
    case Op::kEq: return a == b;
    case Op::kNe: return a != b;
    case Op::kAnd: return a != 0 && b != 0;
    case Op::kOr: return a != 0 || b != 0;
    default: return 0;
  }
}

}  // namespace

SizeProgram SizeProgram::constant(int64_t value) {
  return {{{Op::kConst, value}}, std::to_string(value)};
}

SizeProgram SizeProgram::size(int index, std::string name) {
  return {{{Op::kSize, index}}, std::move(name)};
}

absl::Status verify(const SizeProgram& program, int sizes) {
  int depth = 0;
  for (const SizeProgram::Instruction& i : program.code) {
    if (i.op > Op::kSelect) return refuse("size expression " + program.text + ": unknown operator");
    if (i.op == Op::kSize && (i.value < 0 || i.value >= sizes)) {
      return refuse("size expression " + program.text + ": there is no size number " +
                    std::to_string(i.value));
    }
    depth -= operands_of(i.op);
    if (depth < 0) return refuse("size expression " + program.text + ": an operand is missing");
    if (++depth > kMaxDepth) return refuse("size expression " + program.text + ": too deep");
  }
  if (depth != 1) {
    return refuse("size expression " + program.text + ": gives " + std::to_string(depth) +
                  " values instead of one");
  }
  return absl::OkStatus();
}

int64_t evaluate(const SizeProgram& program, absl::Span<const int64_t> sizes, bool* wrapped) {
  bool overflow = false;
  int64_t stack[kMaxDepth];
  size_t depth = 0;
  for (const SizeProgram::Instruction& i : program.code) {
    switch (i.op) {
      case Op::kConst: stack[depth++] = i.value; break;
      case Op::kSize: stack[depth++] = sizes[static_cast<size_t>(i.value)]; break;
      case Op::kNot: stack[depth - 1] = stack[depth - 1] == 0; break;
      case Op::kSelect:
        depth -= 2;
        stack[depth - 1] = stack[depth - 1] != 0 ? stack[depth] : stack[depth + 1];
        break;
      default:
        --depth;
        stack[depth - 1] = apply(i.op, stack[depth - 1], stack[depth], overflow);
        break;
    }
  }
  if (wrapped) *wrapped = overflow;
  return stack[0];
}

}  // namespace tenon
