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
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "tenon/base/half.h"
#include "tenon/base/stride_class.h"
#include "tenon/base/type.h"

namespace tenon {

inline constexpr int kMaxRank = 8;

class View {
 public:
  View() = default;
  // Dense row-major. A rank above 8 is kept as rank 9, which every argument check refuses.
  View(void* data, Type type, absl::Span<const int64_t> shape);
  View(void* data, Type type, absl::Span<const int64_t> shape, absl::Span<const int64_t> strides);
  template <class T>
  View(T* data, std::initializer_list<int64_t> shape)
      : View(const_cast<std::remove_const_t<T>*>(data), type_of<std::remove_const_t<T>>(),
             absl::Span<const int64_t>(shape.begin(), shape.size())) {}
  template <class T>
  View(T* data, std::initializer_list<int64_t> shape, std::initializer_list<int64_t> strides)
      : View(const_cast<std::remove_const_t<T>*>(data), type_of<std::remove_const_t<T>>(),
             absl::Span<const int64_t>(shape.begin(), shape.size()),
             absl::Span<const int64_t>(strides.begin(), strides.size())) {}

  void* data() const { return data_; }
  Type type() const { return type_; }
  int rank() const { return rank_; }
  int64_t size(int dim) const { return shape_[static_cast<size_t>(dim)]; }
  int64_t stride(int dim) const { return strides_[static_cast<size_t>(dim)]; }
  int64_t elements() const;  // product of the sizes; 1 for rank 0
  std::string to_string() const;  // "f32[128, 768]", "f32[768, 128] strides [1, 768]"

 private:
  void* data_ = nullptr;
  Type type_ = f32;
  int rank_ = 0;
  std::array<int64_t, kMaxRank> shape_{};
  std::array<int64_t, kMaxRank> strides_{};
};

// Strides of dimensions of size 1 (and of empty tensors) never matter.
StrideClass stride_class(const View& view);
const char* name_of(StrideClass c);

}  // namespace tenon
