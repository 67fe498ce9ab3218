// Literal tables as tensors.
#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/analysis/bounds.h"
#include "tenon/analysis/simplify.h"
#include "tenon/dsl/dsl.h"
#include "tenon/interp/interp.h"

namespace tenon {
namespace {

const Size n("n");

std::string refusal(const std::vector<ProgramInput>& inputs, const Tensor& output) {
  const absl::StatusOr<Program> built = build_program("p", inputs, {output});
  REQUIRE_FALSE(built.ok());
  return std::string(built.status().message());
}

TEST_CASE("a table of levels is read at indices that are data, and checked like an input") {
  const Tensor codes = input("codes", u8, {n}), levels = table("levels", {-1.0f, -0.25f, 0.5f});
  CHECK(levels.rank() == 1);
  CHECK(as_int(levels.size(0)) == 3);
  const Program p = test::checked(
      program("p", {codes}, {compute("y", {n}, [&](Expr i) { return levels(codes(i)); })}));
  CHECK(print(p) == R"(program p
  size n
  input codes: u8[n]
  output y: f32[n]
  table levels: f32[3] = (-1.0, -0.25, 0.5)
{
  for i in 0..n {
    y[i] = levels[check(cast<i64>(codes[i]), 3)]
  }
}
)");
  Array in = Array::of<uint8_t>({4}, {2, 0, 1, 2}), out(f32, {4});
  REQUIRE(interpret(p, {}, {&in, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{0.5f, -1.0f, -0.25f, 0.5f});
  in.set_bits(1, 3);
  CHECK(interpret(p, {}, {&in, &out}).code() == absl::StatusCode::kOutOfRange);
}

template <class T>
void check_type(const std::vector<T>& values) {
  INFO(to_string(type_of<T>()));
  const Tensor t = table("t", values);
  CHECK(t.type() == type_of<T>());
  const Program p =
      test::checked(program("p", {}, {compute("y", t.shape(), [&](Expr i) { return t(i); })}));
  Array out(type_of<T>(), {static_cast<int64_t>(values.size())});
  REQUIRE(interpret(p, {}, {&out}) == absl::OkStatus());
  for (size_t i = 0; i < values.size(); ++i) {
    const T value = values[i];
    CHECK(out.bits(static_cast<int64_t>(i)) == dsl::bits_of_value(value));
  }
}

TEST_CASE("tables have every element type") {
  check_type<float>({1.5f, -0.0f, INFINITY, NAN, 1e-45f});
  check_type<double>({1.5, -0.0, -INFINITY, 1e300});
  check_type<Float16>({Float16(1.5f), Float16(-2.0f)});
  check_type<BFloat16>({BFloat16(1.5f), BFloat16(-2.0f)});
  check_type<int8_t>({-128, -1, 127});
  check_type<int16_t>({-32768, 5});
  check_type<int32_t>({INT32_MIN, 5});
  check_type<int64_t>({INT64_MIN, INT64_MAX});
  check_type<uint8_t>({0, 255});
  check_type<uint16_t>({0, 65535});
  check_type<uint32_t>({0, UINT32_MAX});
  check_type<uint64_t>({0, UINT64_MAX});
  check_type<bool>({true, false, true});
}

TEST_CASE("a table has a shape, and only what is read stands in the program") {
  const Tensor grid = table("grid", {2, 3}, {1, 2, 3, 4, 5, 6}), unread = table("unread", {1.0f});
  const Tensor one = table("one", {}, {7});
  const Program p = test::checked(
      program("p", {}, {compute("y", {3, 2}, [&](Expr i, Expr j) { return grid(j, i) + one(); })}));
  CHECK(p->tables.size() == 2);
  CHECK(print(p->tables[0].shape[1]) == "3");
  CHECK(find_table(p, "grid") == &p->tables[0]);
  CHECK(find_table(p, p->tables[1].buffer) == &p->tables[1]);
  CHECK(find_table(p, "unread") == nullptr);
  CHECK(find_param(p, "grid") == nullptr);
  Array out(i32, {3, 2});
  REQUIRE(interpret(p, {}, {&out}) == absl::OkStatus());
  CHECK(out.values<int32_t>() == std::vector<int32_t>{8, 11, 9, 12, 10, 13});
}

TEST_CASE("an element at a constant place is a constant") {
  const Tensor grid = table("grid", {2, 2}, {1.0f, 2.0f, 3.0f, 4.0f}), x = input("x", f32, {n});
  const Program p = test::checked(program(
      "p", {x}, {compute("y", {n}, [&](Expr i) { return x(i) * grid(1, 0) + grid(i % 2, 1); })}));
  const Program simple = simplify(p);
  CHECK(print(simple->body, simple) == R"(for i in 0..n {
  y[i] = x[i] * 3.0 + grid[i % 2, 1]
}
)");
  // A place outside is refused by the check of accesses, and not invented.
  const Program outside =
      test::checked(program("p", {}, {compute("y", {n}, [&](Expr) { return grid(2, 0); })}));
  CHECK(print(simplify(outside)->body, outside) == print(outside->body, outside));
  const absl::Status status = with_checked_bounds(outside).status();
  CHECK(std::string(status.message()).find("grid[2, 0]") != std::string::npos);
}

TEST_CASE("a table stands in the program by itself") {
  const Tensor t = table("t", {1.0f, 2.0f});
  const Tensor y = compute("y", {2}, [&](Expr i) { return t(i); });
  CHECK(refusal({t}, y) ==
        "program p: t is a table, which is part of the program and not passed in");
  CHECK(refusal({}, t) ==
        "program p: output t is a table; an output is computed (a copy, if need be)");
  CHECK(refusal({input("t", f32, {2})}, y) == "program p: two tensors or scalars are named t");
}

TEST_CASE("a table has one value for each element, and not too many") {
  const auto read = [](const Tensor& t) {
    return compute("y", {1}, [&](Expr i) { return t.rank() == 2 ? t(i, i) : t(i); });
  };
  CHECK(refusal({}, read(table("t", {2, 2}, std::vector<float>{1, 2, 3}))) ==
        "in the definition of t: a table of 4 elements is given 3 values");
  CHECK(refusal({}, read(table("t", {-1, 2}, std::vector<float>{}))) ==
        "in the definition of t: a table has an extent of -1");
  CHECK(refusal({}, read(table("t", {INT64_MAX, 4}, std::vector<float>{}))) ==
        "in the definition of t: a table of 9223372036854775807 elements is given 0 values");
  CHECK(refusal({}, read(table("t", std::vector<uint8_t>(65537)))) ==
        "in the definition of t: a table of 65537 elements; at most 65536 are part of a program: "
        "pass it as a weight");
  test::checked(program("p", {}, {read(table("t", std::vector<uint8_t>(65536)))}));
}

}  // namespace
}  // namespace tenon
