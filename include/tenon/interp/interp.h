// The reference interpreter: it defines what a Program means, at every stage of lowering.
//
//   Array x = Array::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
//   Array out(f32, {2, 3});
//   absl::Status s = interpret(program, {}, {&x, &out});
//
// Exact and checked, not fast: every access is bounds checked, local buffers start as NaN and 0xA5
// bytes, check(...) failures and accesses outside of a buffer are errors that name the statement.
// Vector loops run their lanes in lock step and fold as docs/semantics.md says; parallel loops run
// in order.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tenon/base/half.h"
#include "tenon/base/status.h"
#include "tenon/ir/program.h"
#include "tenon/ir/size.h"

namespace tenon {

// A dense row-major array that owns its memory.
class Array {
 public:
  Array() : Array(f32, {0}) {}
  // Zeros. A shape that is negative or does not fit into memory makes an array of shape [0], which
  // no argument of that shape takes.
  Array(Type type, std::vector<int64_t> shape);
  // Values that are not one per element make a row of them, which no argument of that shape takes.
  template <class T>
  static Array of(std::vector<int64_t> shape, const std::vector<T>& values) {
    Array a(type_of<T>(), std::move(shape));
    const auto count = static_cast<int64_t>(values.size());
    if (a.elements() != count) a = Array(type_of<T>(), {count});
    for (size_t i = 0; i < values.size(); ++i) {
      const T value = values[i];
      std::memcpy(a.data() + i * sizeof(T), &value, sizeof(T));
    }
    return a;
  }

  Type type() const { return type_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t elements() const;
  std::byte* data() { return bytes_.data(); }
  const std::byte* data() const { return bytes_.data(); }
  size_t bytes() const { return bytes_.size(); }
  template <class T>
  T at(int64_t flat) const {
    T value;
    std::memcpy(&value, bytes_.data() + static_cast<size_t>(flat) * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> values() const {
    std::vector<T> out(static_cast<size_t>(elements()));
    for (size_t i = 0; i < out.size(); ++i) out[i] = at<T>(static_cast<int64_t>(i));
    return out;
  }
  // The bit pattern of one element, zero-extended (as Const::bits).
  uint64_t bits(int64_t flat) const;
  void set_bits(int64_t flat, uint64_t bits);

 private:
  Type type_;
  std::vector<int64_t> shape_;
  std::vector<std::byte> bytes_;
};

// Bit for bit, except that any NaN equals any NaN.
bool same_values(const Array& a, const Array& b);
// The first difference as text ("[1, 3]: 0.5 and 0.25"), or empty.
std::string first_difference(const Array& a, const Array& b);

// An argument of a run: an array (inputs are not written) or the value of a scalar parameter (a
// constant expression).
using InterpArgument = std::variant<Array*, Expr>;

struct InterpOptions {
  // Stop with DeadlineExceeded after this many executed statements, one per lane; 0: no bound.
  int64_t max_statements = 0;
};

// Runs the Program on one argument per parameter, in parameter order. Sizes come from `sizes` or,
// where missing, from the shapes of the arrays. Shapes, types and requirements are checked.
absl::Status interpret(const Program& program, const Sizes& sizes,
                       const std::vector<InterpArgument>& arguments,
                       const InterpOptions& options = {});

// The value of an expression without loads, given values of its variables. Empty when it loads or
// a variable has no value.
std::optional<int64_t> evaluate_int(const Expr& e, const Sizes& values);

}  // namespace tenon
