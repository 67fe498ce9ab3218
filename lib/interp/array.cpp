#include <exception>
#include <functional>
#include <numeric>

#include "tenon/interp/interp.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

int64_t product(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

bool same_element(Type type, uint64_t a, uint64_t b) {
  if (a == b) return true;
  if (!type.is_float()) return false;
  const double x = float_of_bits(type, a), y = float_of_bits(type, b);
  return x != x && y != y;
}

int64_t first_different(const Array& a, const Array& b) {
  for (int64_t i = 0; i < a.elements(); ++i) {
    if (!same_element(a.type(), a.bits(i), b.bits(i))) return i;
  }
  return -1;
}

std::string place(int64_t flat, const std::vector<int64_t>& shape) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0;) {
    text = std::to_string(flat % shape[d]) + (text.empty() ? "" : ", " + text);
    flat /= shape[d];
  }
  return "[" + text + "]";
}

}  // namespace

Array::Array(Type type, std::vector<int64_t> shape) : type_(type), shape_(std::move(shape)) {
  const std::optional<int64_t> bytes = bytes_of(type, shape_);
  if (bytes) {
    try {
      bytes_.resize(static_cast<size_t>(*bytes));
      return;
    } catch (const std::exception&) {  // no memory
    }
  }
  shape_ = {0};
}

int64_t Array::elements() const { return product(shape_); }

uint64_t Array::bits(int64_t flat) const {
  const size_t size = static_cast<size_t>(type_.bytes());
  uint64_t bits = 0;
  std::memcpy(&bits, bytes_.data() + static_cast<size_t>(flat) * size, size);
  return type_.is_bool() ? bits != 0 : bits;
}

void Array::set_bits(int64_t flat, uint64_t bits) {
  const size_t size = static_cast<size_t>(type_.bytes());
  std::memcpy(bytes_.data() + static_cast<size_t>(flat) * size, &bits, size);
}

bool same_values(const Array& a, const Array& b) {
  return a.type() == b.type() && a.shape() == b.shape() && first_different(a, b) < 0;
}

std::string first_difference(const Array& a, const Array& b) {
  if (a.type() != b.type()) return "types " + to_string(a.type()) + " and " + to_string(b.type());
  if (a.shape() != b.shape()) return "different shapes";
  const int64_t flat = first_different(a, b);
  if (flat < 0) return "";
  return place(flat, a.shape()) + ": " + print(constant_bits(a.type(), a.bits(flat))) + " and " +
         print(constant_bits(b.type(), b.bits(flat)));
}

}  // namespace tenon
