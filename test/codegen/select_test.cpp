// Lazy selects and check(...).
#include <catch2/catch.hpp>

#include "support/check.h"
#include "support/native.h"

using namespace tenon;
using test::native_difference;
using test::native_targets;

namespace {

Array floats(int64_t n) {
  Array x(f32, {n});
  for (int64_t i = 0; i < n; ++i)
    x.set_bits(i, constant_float(f32, 0.5 * static_cast<double>(i)).as<Const>()->bits);
  return x;
}

}  // namespace

TEST_CASE("the arm that is not chosen is not read") {
  const Program program = test::parsed(R"(
program lazy
  size n
  input x: f32[8]
  output out: f32[64]
{
  for i in 0..16 {
    out[i] = select(i < 8, x[i], 7.0)
    out[16 + i] = select(i < 8, select(i < 4, x[i + 4] + x[i], exp(x[i])), select(i == 12, x[0], -1.0))
  }
  out[ramp(32, 1, 16)] = select(n < 0, x[ramp(1000000, 1, 16)], broadcast(3.0, 16))
  out[ramp(48, 1, 16)] = select(broadcast(n < 0, 16), x[ramp(1000000, 1, 16)], broadcast(3.0, 16) + broadcast(x[n], 16))
}
)");
  Array x = floats(8), out(f32, {64});
  CHECK(native_difference(program, {{program->sizes[0], 2}}, {&x, &out}) == "");
}

TEST_CASE("a condition per lane chooses between masked loads") {
  const Program program = test::parsed(R"(
program lanes
  input x: f32[8]
  output out: f32[16]
{
  let inside = ramp(0, 1, 16) < broadcast(8, 16)
  out[ramp(0, 1, 16)] = select(inside, masked(x[ramp(0, 1, 16)], inside), broadcast(-1.0, 16))
}
)");
  Array x = floats(8), out(f32, {16});
  CHECK(native_difference(program, {}, {&x, &out}) == "");
}

TEST_CASE("a check that holds costs nothing but the test") {
  const Program program = test::parsed(R"(
program gather
  size rows
  input table: f32[rows * 4]
  input ids: i64[16]
  output out: f32[80]
{
  for i in 0..16 { for j in 0..4 { out[i * 4 + j] = table[check(ids[i], rows) * 4 + j] } }
  out[ramp(64, 1, 16)] = table[check(ids[ramp(0, 1, 16)], broadcast(rows, 16)) * broadcast(4, 16)]
}
)");
  Array table = floats(20), ids(i64, {16}), out(f32, {80});
  for (int64_t i = 0; i < 16; ++i) ids.set_bits(i, static_cast<uint64_t>(i * 3 % 5));
  CHECK(native_difference(program, {{program->sizes[0], 5}}, {&table, &ids, &out}) == "");
}

TEST_CASE("a check that fails is reported and touches nothing outside") {
  const Program scalar = test::parsed(R"(
program gather
  size rows
  input table: f32[rows]
  input ids: i64[16]
  output out: f32[16]
{
  for i in 0..16 { out[i] = table[check(ids[i], rows)] }
}
)");
  const Program vector = test::parsed(R"(
program gather
  size rows
  input table: f32[rows]
  input ids: i64[16]
  output out: f32[16]
{
  out[ramp(0, 1, 16)] = table[check(ids[ramp(0, 1, 16)], broadcast(rows, 16))]
}
)");
  for (const Program& program : {scalar, vector}) {
    for (int64_t bad : {int64_t{5}, int64_t{-1}, INT64_MIN, INT64_MAX}) {
      for (const Target& target : native_targets()) {
        Array table = floats(5), ids(i64, {16}), out(f32, {16});
        for (int64_t i = 0; i < 16; ++i) ids.set_bits(i, 2);
        ids.set_bits(6, static_cast<uint64_t>(bad));
        ids.set_bits(9, 77);  // only the first is reported
        const absl::Status status =
            test::run_native(program, target, {{program->sizes[0], 5}}, {&table, &ids, &out});
        CHECK(status.code() == absl::StatusCode::kOutOfRange);
        CHECK(std::string(status.message())
                  .find(" of table is " + std::to_string(bad) + ", outside of [0, 5)") !=
              std::string::npos);
        CHECK(out.at<float>(7) == 0.0f);  // the code ended there
      }
    }
  }
}

TEST_CASE("a bound that is not positive has no index") {
  const Program program = test::parsed(R"(
program bound
  size n
  output out: i64[1]
{
  out[0] = check(3, n - 10)
}
)");
  for (const Target& target : native_targets()) {
    Array out(i64, {1});
    CHECK(test::run_native(program, target, {{program->sizes[0], 5}}, {&out}).message() ==
          "index 3 is 3, outside of [0, -5)");
    CHECK(test::run_native(program, target, {{program->sizes[0], 14}}, {&out}).ok());
    CHECK(out.at<int64_t>(0) == 3);
  }
}

TEST_CASE("a check behind a select reports only when chosen") {
  const Program program = test::parsed(R"(
program chosen
  size n
  input x: f32[4]
  output out: f32[8]
{
  for i in 0..8 { out[i] = select(i < n, x[check(i, 4)], 0.0) }
}
)");
  for (const Target& target : native_targets()) {
    Array x = floats(4), out(f32, {8});
    CHECK(test::run_native(program, target, {{program->sizes[0], 4}}, {&x, &out}).ok());
    CHECK(test::run_native(program, target, {{program->sizes[0], 5}}, {&x, &out}).code() ==
          absl::StatusCode::kOutOfRange);
  }
}
