#include "tenon/base/type.h"

#include <catch2/catch.hpp>
#include <set>

namespace tenon {
namespace {

TEST_CASE("every type reads back from its text, alone and as a vector") {
  for (Type type : kAllTypes) {
    CHECK(parse_type(to_string(type)) == type);
    for (int32_t lanes : {2, 3, 16, 1024}) {
      const Type vector = type.with_lanes(lanes);
      CHECK(parse_type(to_string(vector)) == vector);
    }
  }
}

TEST_CASE("types print as they are written in C++") {
  CHECK(to_string(f32) == "f32");
  CHECK(to_string(bf16) == "bf16");
  CHECK(to_string(boolean) == "bool");
  CHECK(to_string(u8.with_lanes(64)) == "u8x64");
}

TEST_CASE("a text that names no type gives nothing") {
  for (const char* text : {"", "f", "f8", "f32 ", " f32", "float", "i128", "F32", "f32x", "f32x0",
                           "f32x1", "f32x-4", "f32x04", "f32x4x4", "f32x99999999999", "boolx"}) {
    INFO(text);
    CHECK(!parse_type(text).has_value());
  }
}

TEST_CASE("the thirteen types are told apart by their text and are listed once") {
  std::set<std::string> names;
  for (Type type : kAllTypes) names.insert(to_string(type));
  CHECK(names.size() == 13);
}

TEST_CASE("every type is of exactly one kind") {
  for (Type type : kAllTypes) {
    INFO(to_string(type));
    CHECK(type.is_float() + type.is_signed_int() + type.is_unsigned_int() + type.is_bool() == 1);
    CHECK(type.is_int() == (type.is_signed_int() || type.is_unsigned_int()));
    CHECK(!type.is_vector());
    CHECK(type.with_lanes(8).is_vector());
    CHECK(type.with_lanes(8).element() == type);
  }
  CHECK(f16.is_small_float());
  CHECK(bf16.is_small_float());
  CHECK(!f32.is_small_float());
}

TEST_CASE("sizes are those of memory, and a bool carries one bit in one byte") {
  CHECK(f64.bits() == 64);
  CHECK(bf16.bytes() == 2);
  CHECK(i8.bytes() == 1);
  CHECK(u64.bytes() == 8);
  CHECK(boolean.bits() == 1);
  CHECK(boolean.bytes() == 1);
}

TEST_CASE("a C++ type has its element type") {
  STATIC_REQUIRE(type_of<float>() == f32);
  STATIC_REQUIRE(type_of<double>() == f64);
  STATIC_REQUIRE(type_of<int8_t>() == i8);
  STATIC_REQUIRE(type_of<uint64_t>() == u64);
  STATIC_REQUIRE(type_of<bool>() == boolean);
}

}  // namespace
}  // namespace tenon
