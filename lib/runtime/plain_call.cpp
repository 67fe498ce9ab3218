#include "tenon/runtime/plain_call.h"

#include <cstdint>

namespace tenon {
namespace {

using Dim = CallPlan::Dim;
using Param = CallPlan::Param;

struct Range {
  uintptr_t low, high;
  bool meets(const Range& other) const { return low < other.high && other.low < high; }
};

// Ranks are not known to be right yet, but every view has room for all dimensions.
void bind_sizes(const CallPlan& plan, const Argument* inputs, const View* outputs, int64_t* sizes) {
  for (const CallPlan::Binding& b : plan.bindings) {
    const Param& param = plan.params[static_cast<size_t>(b.param)];
    const View& view =
        is_written(param.role) ? outputs[param.position] : inputs[param.position].view();
    *sizes++ = view.size(b.dim);
  }
}

bool take_scalar(const Param& param, const Argument& argument, uint64_t& bits) {
  bits = argument.scalar_bits();
  return argument.kind() == Argument::Kind::kScalar && argument.scalar_type() == param.type;
}

// The bytes of a view that is as expected; 0 for any other, and for an empty one. Branches that are
// never taken cost less here than the bits that would avoid them.
int64_t plain_bytes(const Param& param, const Dim* dims, const View& view, const int64_t* sizes) {
  if (view.type() != param.type || view.rank() != param.rank) return 0;
  int64_t elements = 1, bytes = 0;
  for (int d = param.rank - 1; d >= 0; --d) {
    const int64_t size = view.size(d), value = dims[d].value;
    if (size != (dims[d].kind == Dim::Kind::kConstant ? value : sizes[value])) return 0;
    if (view.stride(d) != elements && size != 1) return 0;
    if (size <= 0 || __builtin_mul_overflow(elements, size, &elements)) return 0;
  }
  return __builtin_mul_overflow(elements, int64_t{param.element_bytes}, &bytes) ? 0 : bytes;
}

const View* find_view(const Param& param, const Argument* inputs, const View* outputs) {
  if (is_written(param.role)) return &outputs[param.position];
  const Argument& argument = inputs[param.position];
  const bool fits = argument.kind() != Argument::Kind::kScalar && argument.layout() == param.layout;
  return fits ? &argument.view() : nullptr;
}

bool find_range(const Param& param, const View& view, int64_t bytes, Range& range) {
  range.low = reinterpret_cast<uintptr_t>(view.data());
  range.high = range.low + static_cast<uintptr_t>(bytes);
  const uintptr_t offset = range.low & static_cast<uintptr_t>(param.element_bytes - 1);
  return bytes != 0 && range.low != 0 && range.low < range.high && offset == 0;
}

bool meets_any(const Range& range, const Range* others, int count) {
  for (int other = 0; other < count; ++other) {
    if (others[other].meets(range)) return true;
  }
  return false;
}

bool meets_requirements(const Signature& signature, const int64_t* sizes) {
  for (const Signature::Requirement& r : signature.requirements) {
    const absl::Span<const int64_t> values(sizes, signature.plan.bindings.size());
    if (evaluate(r.condition, values) == 0) return false;
  }
  return true;
}

}  // namespace

bool is_plain_call(const Signature& signature, absl::Span<const Argument> input_list,
                   absl::Span<const View> output_list, BoundCall& bound) {
  const CallPlan& plan = signature.plan;
  if (!plan.may_be_plain || static_cast<int32_t>(input_list.size()) != plan.inputs ||
      static_cast<int32_t>(output_list.size()) != plan.outputs) {
    return false;
  }
  const Argument* inputs = input_list.data();
  const View* outputs = output_list.data();
  bind_sizes(plan, inputs, outputs, bound.sizes);
  const Dim* dims = plan.dims.data();
  uint64_t* scalar = bound.scalars;
  Range ranges[BoundCall::kInline];
  int views = 0;
  for (const Param& param : plan.params) {
    if (param.role == ParamSignature::Role::kScalar) {
      if (!take_scalar(param, inputs[param.position], *scalar++)) return false;
      continue;
    }
    const View* view = find_view(param, inputs, outputs);
    if (!view) return false;
    const int64_t bytes = plain_bytes(param, dims + param.first_dim, *view, bound.sizes);
    if (!find_range(param, *view, bytes, ranges[views])) return false;
    // What is written comes last, and what is read may overlap.
    if (is_written(param.role) && meets_any(ranges[views], ranges, views)) return false;
    bound.buffers[views++] = view->data();
  }
  return meets_requirements(signature, bound.sizes);
}

}  // namespace tenon
