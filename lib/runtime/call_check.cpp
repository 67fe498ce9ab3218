// The check of a call, whatever its arguments are. It runs on every call that is not a plain one:
// no text, no allocation, no lock; what goes wrong is described elsewhere.
#include <cstdint>

#include "runtime/call_problem.h"
#include "tenon/runtime/plain_call.h"

namespace tenon {
namespace {

using Kind = CallProblem::Kind;
using Role = ParamSignature::Role;

// The addresses that a view touches; an empty view has none, and meets nothing.
struct Range {
  uintptr_t low, high;
  bool meets(const Range& other) const { return low < other.high && other.low < high; }
};

class Check {
 public:
  Check(const Signature& signature, absl::Span<const Argument> inputs,
        absl::Span<const View> outputs, BoundCall& bound, absl::Span<const std::byte> workspace)
      : signature_(signature),
        plan_(signature.plan),
        inputs_(inputs),
        outputs_(outputs),
        workspace_(workspace),
        bound_(bound) {}

  CallProblem run() {
    if (!plan_.ready) return {Kind::kNotReady};
    if (static_cast<int32_t>(inputs_.size()) != plan_.inputs ||
        static_cast<int32_t>(outputs_.size()) != plan_.outputs) {
      return {Kind::kCount};
    }
    const int params = static_cast<int>(plan_.params.size());
    for (int p = 0; p < params; ++p) {
      if (Kind k = take_argument(p); k != Kind::kNone) return problem(k, p);
    }
    for (const CallPlan::Binding& b : plan_.bindings) *next_size_++ = views_[b.param]->size(b.dim);
    for (int p = 0; p < params; ++p) {
      if (views_[p] == nullptr) continue;
      if (Kind k = check_view(p); k != Kind::kNone) return problem(k, p);
    }
    for (int p = 0; p < params; ++p) {
      if (!is_written(plan_.params[static_cast<size_t>(p)].role)) continue;
      if (Kind k = check_overlap(p, params); k != Kind::kNone) return problem(k, p);
    }
    if (!workspace_.empty()) {
      for (int p = 0; p < params; ++p) {
        if (ranges_[p].meets(range_of(workspace_))) return problem(Kind::kOverlapsWorkspace, p);
      }
    }
    return check_requirements();
  }

 private:
  static Range range_of(absl::Span<const std::byte> bytes) {
    const auto low = reinterpret_cast<uintptr_t>(bytes.data());
    return {low, low + bytes.size()};
  }

  CallProblem problem(Kind kind, int param) const {
    return {kind, static_cast<int16_t>(param), static_cast<int16_t>(dim_),
            static_cast<int16_t>(other_)};
  }

  absl::Span<const int64_t> sizes() const {
    return absl::Span<const int64_t>(bound_.sizes, plan_.bindings.size());
  }

  // What can be said of an argument alone; afterwards views_[p] is its view, null for a scalar.
  Kind take_argument(int p) {
    const CallPlan::Param& param = plan_.params[static_cast<size_t>(p)];
    views_[p] = nullptr;
    ranges_[p] = {0, 0};
    if (is_written(param.role)) {
      views_[p] = &outputs_[static_cast<size_t>(param.position)];
    } else {
      const Argument& argument = inputs_[static_cast<size_t>(param.position)];
      if (param.role == Role::kScalar) return take_scalar(param, argument);
      if (Kind k = check_form(param, argument); k != Kind::kNone) return k;
      views_[p] = &argument.view();
    }
    const View& view = *views_[p];
    if (view.type() != param.type) return Kind::kType;
    if (view.rank() != param.rank) return view.valid() ? Kind::kRank : Kind::kInvalidView;
    *next_buffer_++ = view.data();
    return Kind::kNone;
  }

  Kind take_scalar(const CallPlan::Param& param, const Argument& argument) {
    if (argument.kind() != Argument::Kind::kScalar) return Kind::kNotAScalar;
    const bool fits =
        convert_scalar(argument.scalar_type(), argument.scalar_bits(), param.type, next_scalar_++);
    return fits ? Kind::kNone : Kind::kScalarValue;
  }

  static Kind check_form(const CallPlan::Param& param, const Argument& argument) {
    if (argument.kind() == Argument::Kind::kScalar) return Kind::kNotAView;
    // The layout of a view, and of a weight that was stored as it was, is 0.
    if (argument.layout() == param.layout) return Kind::kNone;
    if (param.layout == 0) return Kind::kUnexpectedPack;
    return argument.kind() == Argument::Kind::kView ? Kind::kNotPacked : Kind::kOtherLayout;
  }

  Kind check_view(int p) {
    const CallPlan::Param& param = plan_.params[static_cast<size_t>(p)];
    const View& view = *views_[p];
    if (Kind k = check_sizes(p, param, view); k != Kind::kNone) return k;
    if (Kind k = check_strides(param, view, ranges_[p]); k != Kind::kNone) return k;
    const uintptr_t address = reinterpret_cast<uintptr_t>(view.data());
    if ((address & static_cast<uintptr_t>(param.element_bytes - 1)) != 0) return Kind::kAlignment;
    if (address == 0 && ranges_[p].low != ranges_[p].high) return Kind::kNull;
    if (param.has_hidden_strides) bind_strides(p, view);
    return Kind::kNone;
  }

  Kind check_sizes(int p, const CallPlan::Param& param, const View& view) {
    const CallPlan::Dim* dims = plan_.dims.data() + param.first_dim;
    for (int d = 0; d < param.rank; ++d) {
      dim_ = d;
      const int64_t expected = expected_size(dims[d], p, d);
      if (expected < 0) return Kind::kNegativeSize;
      if (view.size(d) != expected) return Kind::kSize;
    }
    return Kind::kNone;
  }

  int64_t expected_size(const CallPlan::Dim& dim, int p, int d) const {
    switch (dim.kind) {
      case CallPlan::Dim::Kind::kConstant: return dim.value;
      case CallPlan::Dim::Kind::kSize: return bound_.sizes[dim.value];
      case CallPlan::Dim::Kind::kProgram: break;
    }
    const ParamSignature& param = signature_.params[static_cast<size_t>(p)];
    return evaluate(param.stored_shape()[static_cast<size_t>(d)], sizes());
  }

  static Kind check_strides(const CallPlan::Param& param, const View& view, Range& range) {
    int64_t elements = 1;
    bool dense = true, overflow = false;
    for (int d = param.rank - 1; d >= 0; --d) {
      dense &= view.stride(d) == elements || view.size(d) == 1;
      overflow |= __builtin_mul_overflow(elements, view.size(d), &elements);
    }
    int64_t bytes = 0;
    overflow |= __builtin_mul_overflow(elements, int64_t{param.element_bytes}, &bytes);
    if (overflow) return is_empty(view) ? Kind::kNone : Kind::kTooLarge;
    if (bytes == 0) return Kind::kNone;
    if (dense) {
      range.low = reinterpret_cast<uintptr_t>(view.data());
      return __builtin_add_overflow(range.low, static_cast<uintptr_t>(bytes), &range.high)
                 ? Kind::kTooLarge
                 : Kind::kNone;
    }
    if (stride_class(view) > param.strides) return Kind::kStrides;
    if (!find_range(view, param.element_bytes, range)) return Kind::kTooLarge;
    const bool overlaps = is_written(param.role) && may_overlap_itself(view);
    return overlaps ? Kind::kOverlapsItself : Kind::kNone;
  }

  static bool is_empty(const View& view) {
    for (int d = 0; d < view.rank(); ++d) {
      if (view.size(d) == 0) return true;
    }
    return false;
  }

  // From the lowest to the highest address of a strided view that is not empty; false when they
  // leave the address space.
  static bool find_range(const View& view, int64_t element_bytes, Range& range) {
    int64_t low = 0, high = 1;  // in elements
    bool overflow = false;
    for (int d = 0; d < view.rank(); ++d) {
      int64_t reach = 0;
      overflow |= __builtin_mul_overflow(view.size(d) - 1, view.stride(d), &reach);
      int64_t& end = reach < 0 ? low : high;
      overflow |= __builtin_add_overflow(end, reach, &end);
    }
    overflow |= __builtin_mul_overflow(low, element_bytes, &low);
    overflow |= __builtin_mul_overflow(high, element_bytes, &high);
    const uintptr_t base = reinterpret_cast<uintptr_t>(view.data());
    overflow |= __builtin_add_overflow(base, low, &range.low);
    overflow |= __builtin_add_overflow(base, high, &range.high);
    return !overflow;
  }

  void bind_strides(int p, const View& view) {
    const std::vector<int>& slots = signature_.params[static_cast<size_t>(p)].hidden_strides;
    for (int d = 0; d < view.rank(); ++d) {
      const int slot = slots[static_cast<size_t>(d)];
      if (slot >= 0) bound_.sizes[slot] = view.stride(d);
    }
  }

  Kind check_overlap(int output, int params) {
    for (int p = 0; p < params; ++p) {
      if (p == output || !ranges_[p].meets(ranges_[output])) continue;
      other_ = p;
      if (may_share_memory(*views_[p], *views_[output])) return Kind::kOverlap;
    }
    return Kind::kNone;
  }

  CallProblem check_requirements() {
    int number = 0;
    for (const Signature::Requirement& r : signature_.requirements) {
      other_ = number++;
      if (evaluate(r.condition, sizes()) == 0) return problem(Kind::kRequirement, 0);
    }
    return {};
  }

  const Signature& signature_;
  const CallPlan& plan_;
  absl::Span<const Argument> inputs_;
  absl::Span<const View> outputs_;
  absl::Span<const std::byte> workspace_;
  BoundCall& bound_;
  void** next_buffer_ = bound_.buffers;
  int64_t* next_size_ = bound_.sizes;
  uint64_t* next_scalar_ = bound_.scalars;
  int dim_ = 0, other_ = 0;
  // Filled as far as there are parameters: clearing all of it would cost more than the check.
  const View* views_[BoundCall::kInline];
  Range ranges_[BoundCall::kInline];
};

// Out of line: what it keeps on the stack would be made ready for plain calls, too.
[[gnu::noinline]] absl::Status check_any_call(const Signature& signature,
                                              absl::Span<const Argument> inputs,
                                              absl::Span<const View> outputs, BoundCall& bound,
                                              absl::Span<const std::byte> workspace) {
  const CallProblem problem = Check(signature, inputs, outputs, bound, workspace).run();
  if (problem.kind == Kind::kNone) return absl::OkStatus();
  return describe(signature, problem, inputs, outputs, bound);
}

}  // namespace

absl::Status check_call(const Signature& signature, absl::Span<const Argument> inputs,
                        absl::Span<const View> outputs, BoundCall* bound,
                        absl::Span<const std::byte> workspace) {
  if (workspace.empty() && is_plain_call(signature, inputs, outputs, *bound)) [[likely]] {
    return absl::OkStatus();
  }
  return check_any_call(signature, inputs, outputs, *bound, workspace);
}

}  // namespace tenon
