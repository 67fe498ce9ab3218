// A view of the caller's memory: pointer, element type, shape and strides. Owns nothing.
//
//   std::vector<float> x(128 * 768);
//   tenon::View X(x.data(), {128, 768});                   // dense row-major
//   tenon::View T(x.data(), {768, 128}, {1, 768});         // strides in elements: transposed
//   status = kernel({X, 0.5f}, {Out});                     // scalars are arguments too
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "absl/types/span.h"
#include "tenon/base/half.h"
#include "tenon/base/limits.h"
#include "tenon/base/stride_class.h"
#include "tenon/base/type.h"

namespace tenon {

class View {
 public:
  View() = default;
  // Dense row-major. A rank above kMaxRank, or strides that are not one per dimension, make a view
  // that is not valid(); every argument check refuses it.
  View(void* data, Type type, absl::Span<const int64_t> shape);
  View(void* data, Type type, absl::Span<const int64_t> shape, absl::Span<const int64_t> strides);
  template <class T>
  View(T* data, std::initializer_list<int64_t> shape)
      : View(const_cast<std::remove_const_t<T>*>(data), type_of<std::remove_const_t<T>>(),
             absl::Span<const int64_t>(shape.begin(), shape.size())) {}
  template <class T>
  View(T* data, absl::Span<const int64_t> shape)
      : View(const_cast<std::remove_const_t<T>*>(data), type_of<std::remove_const_t<T>>(), shape) {}
  template <class T>
  View(T* data, std::initializer_list<int64_t> shape, std::initializer_list<int64_t> strides)
      : View(const_cast<std::remove_const_t<T>*>(data), type_of<std::remove_const_t<T>>(),
             absl::Span<const int64_t>(shape.begin(), shape.size()),
             absl::Span<const int64_t>(strides.begin(), strides.size())) {}

  bool valid() const { return rank_ <= kMaxRank; }
  void* data() const { return data_; }
  Type type() const { return type_; }
  int rank() const { return rank_; }
  int64_t size(int dim) const { return shape_[static_cast<size_t>(dim)]; }
  int64_t stride(int dim) const { return strides_[static_cast<size_t>(dim)]; }
  int64_t elements() const;       // product of the sizes; 1 for rank 0, 0 when not valid
  std::string to_string() const;  // "f32[128, 768]", "f32[768, 128] strides [1, 768]"
  View without_data() const {
    View shape = *this;
    shape.data_ = nullptr;
    return shape;
  }

 private:
  void* data_ = nullptr;
  Type type_ = f32;
  int rank_ = 0;  // above kMaxRank: not valid, and nothing stands in the arrays
  std::array<int64_t, kMaxRank> shape_{};
  std::array<int64_t, kMaxRank> strides_{};
};

// Strides of dimensions of size 1 (and of empty tensors) never matter.
StrideClass stride_class(const View& view);
const char* name_of(StrideClass c);

}  // namespace tenon
