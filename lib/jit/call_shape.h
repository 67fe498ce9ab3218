// One call of a Function in the form that the cache knows: the values of the sizes that are
// specialised, then the stride class of every argument.
#pragma once

#include <vector>

#include "jit/function.h"
#include "jit/kernel_cache.h"

namespace tenon {

class CallShape {
 public:
  explicit CallShape(const FunctionImpl& function) : function_(function) {}

  // Off the arguments of a call. False when they do not show the sizes; explain() says why.
  bool read(absl::Span<const Argument> inputs, absl::Span<const View> outputs);
  // Of a call with these sizes and dense arguments; sizes that are kept symbolic need no value.
  absl::Status take(const Sizes& sizes);

  CallKey key() const { return {function_.id, absl::MakeConstSpan(values_, count_)}; }
  Sizes constants() const;                   // the specialised sizes
  std::vector<StrideClass> classes() const;  // by parameter

  // What the kernel's own check would say, before a kernel is compiled.
  absl::Status check(absl::Span<const Argument> inputs, absl::Span<const View> outputs) const;
  // Why read() gave false.
  absl::Status explain(absl::Span<const Argument> inputs, absl::Span<const View> outputs) const;

 private:
  bool read_sizes(absl::Span<const Argument> inputs, absl::Span<const View> outputs);
  void push(int64_t value) { values_[count_++] = value; }

  const FunctionImpl& function_;
  int64_t sizes_[FunctionImpl::kMaxCallValues];  // of all sizes of the Program
  int64_t values_[FunctionImpl::kMaxCallValues];
  size_t count_ = 0;
};

}  // namespace tenon
