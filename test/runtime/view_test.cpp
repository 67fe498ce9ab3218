#include "tenon/runtime/view.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

namespace tenon {
namespace {

float memory[64];

StrideClass class_of(std::initializer_list<int64_t> shape, std::initializer_list<int64_t> strides) {
  return stride_class(View(memory, shape, strides));
}

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

}  // namespace

TEST_CASE("a view without strides is dense row-major") {
  const View v(memory, {2, 3, 4});
  CHECK(v.data() == memory);
  CHECK(v.type() == f32);
  CHECK(v.rank() == 3);
  CHECK(v.size(1) == 3);
  CHECK(v.stride(0) == 12);
  CHECK(v.stride(1) == 4);
  CHECK(v.stride(2) == 1);
  CHECK(v.elements() == 24);
  CHECK(v.valid());
  CHECK(stride_class(v) == StrideClass::kDense);
}

TEST_CASE("a view takes its element type from the pointer") {
  const double constant[2] = {};
  CHECK(View(constant, {2}).type() == f64);
  BFloat16 small[2];
  CHECK(View(small, {2}).type() == bf16);
  bool flags[2] = {};
  CHECK(View(flags, {2}).type() == boolean);
  CHECK(View(static_cast<void*>(memory), i8, {2}).type() == i8);
}

TEST_CASE("a view of rank 0 has one element") {
  const View v(memory, {});
  CHECK(v.rank() == 0);
  CHECK(v.elements() == 1);
  CHECK(v.to_string() == "f32[]");
  CHECK(stride_class(v) == StrideClass::kDense);
}

TEST_CASE("the text of a view shows its strides only where they matter") {
  CHECK(View(memory, {4, 8}).to_string() == "f32[4, 8]");
  CHECK(View(memory, {4, 8}, {8, 1}).to_string() == "f32[4, 8]");
  CHECK(View(memory, {8, 4}, {1, 8}).to_string() == "f32[8, 4] strides [1, 8]");
  CHECK(View(memory, {1, 8}, {999, 1}).to_string() == "f32[1, 8]");
}

TEST_CASE("a view that cannot be is kept as not valid") {
  const std::vector<int64_t> nine(9, 1);
  for (const View& v : {View(memory, f32, nine), View(memory, f32, nine, nine),
                        View(memory, {2, 3}, {1}), View(memory, {2}, {1, 1})}) {
    CHECK_FALSE(v.valid());
    CHECK(v.elements() == 0);
    CHECK(v.to_string() == "f32 with an impossible shape or strides");
    CHECK(stride_class(v) == StrideClass::kGeneral);
  }
  CHECK(View(memory, f32, std::vector<int64_t>(8, 1)).valid());
}

TEST_CASE("strides fall into three classes") {
  CHECK(class_of({4, 8}, {8, 1}) == StrideClass::kDense);
  CHECK(class_of({4, 8}, {16, 1}) == StrideClass::kInnerUnit);
  CHECK(class_of({4, 8}, {4, 1}) == StrideClass::kInnerUnit);  // overlapping rows
  CHECK(class_of({4, 8}, {0, 1}) == StrideClass::kInnerUnit);
  CHECK(class_of({2, 4, 8}, {8, 16, 1}) == StrideClass::kInnerUnit);
  CHECK(class_of({4, 8}, {1, 4}) == StrideClass::kGeneral);
  CHECK(class_of({8}, {2}) == StrideClass::kGeneral);
  CHECK(class_of({8}, {0}) == StrideClass::kGeneral);
  CHECK(class_of({8}, {-1}) == StrideClass::kGeneral);
  CHECK(class_of({4, 8}, {-8, 1}) == StrideClass::kGeneral);
}

TEST_CASE("strides of dimensions of size 1 never matter") {
  for (int64_t stride :
       {int64_t{77}, int64_t{1}, int64_t{999}, int64_t{0}, int64_t{-5}, kMost, kLeast}) {
    CHECK(class_of({1, 77}, {stride, 1}) == StrideClass::kDense);
    CHECK(class_of({77, 1}, {1, stride}) == StrideClass::kDense);
    CHECK(class_of({4, 1, 8}, {8, stride, 1}) == StrideClass::kDense);
    CHECK(class_of({1, 1}, {stride, stride}) == StrideClass::kDense);
    CHECK(class_of({4, 1}, {3, stride}) == StrideClass::kInnerUnit);
    CHECK(class_of({1, 4, 8}, {stride, 16, 1}) == StrideClass::kInnerUnit);
    CHECK(class_of({1, 8}, {stride, 2}) == StrideClass::kGeneral);
  }
}

TEST_CASE("strides of an empty view never matter") {
  for (int64_t stride : {int64_t{0}, int64_t{-7}, kMost, kLeast}) {
    CHECK(class_of({0, 8}, {stride, stride}) == StrideClass::kDense);
    CHECK(class_of({8, 0, 3}, {stride, 5, stride}) == StrideClass::kDense);
  }
}

TEST_CASE("a shape whose product wraps to zero is not empty") {
  const int64_t half = int64_t{1} << 32;
  CHECK(class_of({half, half}, {1, 3}) == StrideClass::kGeneral);
}

TEST_CASE("stride classes have names") {
  CHECK(std::string(name_of(StrideClass::kDense)) == "dense");
  CHECK(std::string(name_of(StrideClass::kInnerUnit)) == "inner-unit");
  CHECK(std::string(name_of(StrideClass::kGeneral)) == "general");
}

}  // namespace tenon
