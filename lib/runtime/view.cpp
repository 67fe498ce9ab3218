#include "tenon/runtime/view.h"

namespace tenon {
namespace {

std::string list(const View& view, int64_t (View::*at)(int) const) {
  std::string text = "[";
  for (int d = 0; d < view.rank(); ++d) {
    if (d > 0) text += ", ";
    text += std::to_string((view.*at)(d));
  }
  return text + "]";
}

// Wraps on overflow: a shape that large is refused by the check of a call, not here.
int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

bool is_dense(const View& view) {
  int64_t expected = 1;
  for (int d = view.rank() - 1; d >= 0; --d) {
    if (view.size(d) != 1 && view.stride(d) != expected) return false;
    expected = multiply(expected, view.size(d));
  }
  return true;
}

bool is_empty(const View& view) {
  for (int d = 0; d < view.rank(); ++d) {
    if (view.size(d) == 0) return true;
  }
  return false;
}

}  // namespace

View::View(void* data, Type type, absl::Span<const int64_t> shape) : data_(data), type_(type) {
  if (shape.size() > kMaxRank) {
    rank_ = kMaxRank + 1;
    return;
  }
  rank_ = static_cast<int>(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    shape_[d] = shape[d];
    strides_[d] = stride;
    stride = multiply(stride, shape[d]);
  }
}

View::View(void* data, Type type, absl::Span<const int64_t> shape,
           absl::Span<const int64_t> strides)
    : data_(data), type_(type) {
  if (shape.size() > kMaxRank || strides.size() != shape.size()) {
    rank_ = kMaxRank + 1;
    return;
  }
  rank_ = static_cast<int>(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    shape_[d] = shape[d];
    strides_[d] = strides[d];
  }
}

int64_t View::elements() const {
  if (!valid()) return 0;
  int64_t product = 1;
  for (int d = 0; d < rank_; ++d) product = multiply(product, size(d));
  return product;
}

std::string View::to_string() const {
  const std::string type = tenon::to_string(type_);
  if (!valid()) return type + " with an impossible shape or strides";
  const std::string shape = type + list(*this, &View::size);
  return is_dense(*this) ? shape : shape + " strides " + list(*this, &View::stride);
}

StrideClass stride_class(const View& view) {
  if (!view.valid()) return StrideClass::kGeneral;
  if (is_empty(view) || is_dense(view)) return StrideClass::kDense;
  for (int d = 0; d < view.rank(); ++d) {
    if (view.size(d) != 1 && view.stride(d) < 0) return StrideClass::kGeneral;
  }
  const int inner = view.rank() - 1;
  const bool unit = view.size(inner) == 1 || view.stride(inner) == 1;
  return unit ? StrideClass::kInnerUnit : StrideClass::kGeneral;
}

const char* name_of(StrideClass c) {
  switch (c) {
    case StrideClass::kDense: return "dense";
    case StrideClass::kInnerUnit: return "inner-unit";
    case StrideClass::kGeneral: return "general";
  }
  return "?";
}

}  // namespace tenon
