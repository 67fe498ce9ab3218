#include "support/extern_functions.h"

#include <cstring>

namespace tenon::test {
namespace {

int64_t elements_of(const tenon_array& array) {
  int64_t elements = 1;
  for (int32_t d = 0; d < array.rank; ++d) elements *= array.shape[d];
  return elements;
}

// The element in place `flat` of row-major order.
char* element(const tenon_array& array, int64_t flat) {
  int64_t offset = 0;
  for (int32_t d = array.rank; d-- > 0;) {
    offset += flat % array.shape[d] * array.strides[d];
    flat /= array.shape[d];
  }
  return static_cast<char*>(array.data) + offset * (array.bits / 8);
}

int32_t reverse(void*, const tenon_array* arrays, int32_t count) {
  if (count != 2 || arrays[0].rank != arrays[1].rank || arrays[0].bits != arrays[1].bits) return 1;
  const int64_t elements = elements_of(arrays[0]);
  if (elements != elements_of(arrays[1])) return 2;
  for (int64_t e = 0; e < elements; ++e) {
    std::memcpy(element(arrays[0], e), element(arrays[1], elements - 1 - e),
                static_cast<size_t>(arrays[0].bits / 8));
  }
  return 0;
}

}  // namespace

const ExternFunction& reversed() {
  static const ExternFunction function{"reversed", &reverse, nullptr};
  return function;
}

std::vector<ExternFunction> extern_functions() { return {reversed()}; }

}  // namespace tenon::test
