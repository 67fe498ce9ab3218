#include "tenon/interp/interp.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/check.h"
#include "tenon/ir/packing.h"

namespace tenon {
namespace {

std::string error_of(const Program& p, const std::vector<InterpArgument>& arguments,
                     const Sizes& sizes = {}) {
  const absl::Status status = interpret(p, sizes, arguments);
  REQUIRE_FALSE(status.ok());
  return std::string(status.message());
}

TEST_CASE("sizes come from the shapes, and requirements are checked") {
  const Program p = test::parsed(R"(
    program double_it
      size n
      input x: f32[n]
      output y: f32[n]
      require n % 2 == 0
    { for i in 0..n { y[i] = x[i] + x[i] } })");
  Array x = Array::of<float>({2}, {1, 2}), y(f32, {2});
  REQUIRE(interpret(p, {}, {&x, &y}) == absl::OkStatus());
  CHECK(y.values<float>() == std::vector<float>{2, 4});
  Array odd(f32, {3}), out(f32, {3});
  CHECK(error_of(p, {&odd, &out}) == "requirement n % 2 == 0 does not hold");
  CHECK(error_of(p, {&x, &out}) == "argument y: expected f32[2], got f32[3]");
  CHECK(error_of(p, {&x}) == "program double_it takes 2 arguments, got 1");
  const Var n = p->sizes[0];
  CHECK(interpret(p, {{n, 2}, {n, 2}}, {&x, &y}).ok());
  CHECK(interpret(p, {{n, 2}, {n, 3}}, {&x, &y}).message() ==
        "size n is given two values, 2 and 3");
}

TEST_CASE("an access outside of a buffer is an error that names the statement") {
  const Program p = test::parsed(R"(
    program shift
      input x: f32[4]
      output y: f32[4]
    { for i in 0..4 { y[i] = x[i + 1] } })");
  Array x(f32, {4}), y(f32, {4});
  CHECK(error_of(p, {&x, &y}) == "index 0 of x is 4, outside of [0, 4), in: y[i] = x[i + 1]");
}

TEST_CASE("local buffers start poisoned") {
  const Program p = test::parsed(R"(
    program undefined
      output y: f32[2]
      output z: i32[1]
    {
      alloc t: f32[2]
      alloc u: i32[1]
      y[0] = t[0]
      y[1] = t[1]
      z[0] = u[0]
    })");
  Array y(f32, {2}), z(i32, {1});
  REQUIRE(interpret(p, {}, {&y, &z}) == absl::OkStatus());
  CHECK(std::isnan(y.at<float>(0)));
  CHECK(z.at<uint32_t>(0) == 0xa5a5a5a5u);
}

TEST_CASE("a vector loop folds the upper half onto the lower half and combines once") {
  const Program p = test::parsed(R"(
    program fold
      input x: f32[5]
      output s: f32[]
    {
      s[] = 100.0
      vector for i in 0..8 {
        if i < 5 {
          s[] += x[i]
        }
      }
    })");
  // Chosen so that the order shows: ((1e8 + 1) + -1e8 ...) differs from the tree.
  Array x = Array::of<float>({5}, {1e8f, 1.0f, 3.0f, 4.0f, -1e8f}), s(f32, {});
  REQUIRE(interpret(p, {}, {&x, &s}) == absl::OkStatus());
  const float lanes[8] = {1e8f, 1, 3, 4, -1e8f, -0.0f, -0.0f, -0.0f};
  const float a = lanes[0] + lanes[4], b = lanes[1] + lanes[5], c = lanes[2] + lanes[6],
              d = lanes[3] + lanes[7];
  CHECK(s.at<float>(0) == 100.0f + ((a + c) + (b + d)));
}

TEST_CASE("a fold whose lanes are all off does nothing and checks no index") {
  const Program p = test::parsed(R"(
    program nothing
      input x: f32[4]
      output s: f32[1]
    { s[3] += x[ramp(0, 1, 4)] where broadcast(false, 4) })");
  Array x = Array::of<float>({4}, {1, 2, 3, 4}), s = Array::of<float>({1}, {7});
  REQUIRE(interpret(p, {}, {&x, &s}) == absl::OkStatus());
  CHECK(s.at<float>(0) == 7);
}

TEST_CASE("explicit vectors mean what the vector loop meant") {
  const Program loops = test::parsed(R"(
    program p
      input x: f32[10]
      output y: f32[10]
      output s: f32[]
    {
      s[] = -0.0
      for io in 0..3 {
        vector for ii in 0..4 {
          if io * 4 + ii < 10 {
            y[io * 4 + ii] = x[io * 4 + ii] * 2.0
            s[] += x[io * 4 + ii]
          }
        }
      }
    })");
  const Program vectors = test::parsed(R"(
    program p
      input x: f32[10]
      output y: f32[10]
      output s: f32[]
    {
      s[] = -0.0
      for io in 0..3 {
        y[ramp(io * 4, 1, 4)] = masked(x[ramp(io * 4, 1, 4)], ramp(io * 4, 1, 4) < broadcast(10, 4)) * broadcast(2.0, 4) where ramp(io * 4, 1, 4) < broadcast(10, 4)
        s[] += masked(x[ramp(io * 4, 1, 4)], ramp(io * 4, 1, 4) < broadcast(10, 4)) where ramp(io * 4, 1, 4) < broadcast(10, 4)
      }
    })");
  Array x(f32, {10});
  for (int i = 0; i < 10; ++i) {
    const float value = 0.1f * static_cast<float>(i) + 1e3f;
    x.set_bits(i, constant_float(f32, value).as<Const>()->bits);
  }
  Array y1(f32, {10}), s1(f32, {}), y2(f32, {10}), s2(f32, {});
  REQUIRE(interpret(loops, {}, {&x, &y1, &s1}) == absl::OkStatus());
  REQUIRE(interpret(vectors, {}, {&x, &y2, &s2}) == absl::OkStatus());
  CHECK(first_difference(y1, y2).empty());
  CHECK(first_difference(s1, s2).empty());
}

TEST_CASE("lanes are in lock step: all read before any writes") {
  const Program p = test::parsed(R"(
    program rotate
      output y: i32[4]
    {
      for i in 0..4 { y[i] = cast<i32>(i) }
      vector for i_1 in 0..4 { y[i_1] = y[(i_1 + 1) % 4] }
    })");
  Array y(i32, {4});
  REQUIRE(interpret(p, {}, {&y}) == absl::OkStatus());
  CHECK(y.values<int32_t>() == std::vector<int32_t>{1, 2, 3, 0});
}

TEST_CASE("select is lazy, per lane too") {
  const Program p = test::parsed(R"(
    program edge
      input x: f32[4]
      output y: f32[4]
    {
      vector for i in 0..4 { y[i] = select(0 < i, x[i - 1], 9.0) }
    })");
  Array x = Array::of<float>({4}, {1, 2, 3, 4}), y(f32, {4});
  REQUIRE(interpret(p, {}, {&x, &y}) == absl::OkStatus());
  CHECK(y.values<float>() == std::vector<float>{9, 1, 2, 3});
}

TEST_CASE("what cannot run says so") {
  const Program nested = test::parsed(R"(
    program p
      output y: f32[4, 4]
    { vector for i in 0..4 { vector for j in 0..4 { y[i, j] = 1.0 } } })");
  Array y(f32, {4, 4});
  CHECK(error_of(nested, {&y}).substr(0, 36) == "a vector loop inside a vector loop, ");
  const Program ragged = test::parsed(R"(
    program p
      output y: f32[4, 4]
    { vector for i in 0..4 { for j in 0..i { y[i, j] = 1.0 } } })");
  CHECK(error_of(ragged, {&y}).substr(0, 34) == "a loop bound differs between lanes");
}

TEST_CASE("a bound on statements stops a long run") {
  const Program p = test::parsed(R"(
    program p
      output y: f32[1]
    { for i in 0..1000000000 { y[0] = 1.0 } })");
  Array y(f32, {1});
  InterpOptions options;
  options.max_statements = 1000;
  CHECK(interpret(p, {}, {&y}, options).code() == absl::StatusCode::kDeadlineExceeded);
  // Lanes are counted one by one: 1000 times 8 of them, written in either way.
  const Program lanes = test::parsed(R"(
    program p
      output y: f32[8]
    { for i in 0..1000 { vector for j in 0..8 { y[j] = 1.0 } } })");
  const Program vectors = test::parsed(R"(
    program p
      output y: f32[8]
    { for i in 0..1000 { y[ramp(0, 1, 8)] = broadcast(1.0, 8) } })");
  Array wide(f32, {8});
  for (const Program& q : {lanes, vectors}) {
    options.max_statements = 8'000;
    CHECK(interpret(q, {}, {&wide}, options).code() == absl::StatusCode::kDeadlineExceeded);
    options.max_statements = 10'000;
    CHECK(interpret(q, {}, {&wide}, options) == absl::OkStatus());
  }
}

TEST_CASE("arrays compare by bits, and any NaN equals any NaN") {
  Array a = Array::of<float>({2, 2}, {1, 2, NAN, 0.0f}), b = a;
  b.set_bits(2, 0x7fc12345);
  CHECK(same_values(a, b));
  b.set_bits(3, 0x80000000);  // -0.0
  CHECK_FALSE(same_values(a, b));
  CHECK(first_difference(a, b) == "[1, 1]: 0.0 and -0.0");
}

TEST_CASE("a packing program fills the padding with zeros") {
  const Program p = test::parsed(R"(
    program p
      size n, k
      weight w: f32[(n + 3) // 4, k, 4] packs [n, k] by (i, j) -> (i // 4, j, i % 4)
      input x: f32[n, k]
      output y: f32[n, k]
    { for a in 0..n { for b in 0..k { y[a, b] = w[a // 4, b, a % 4] * x[a, b] } } })");
  const Program pack = test::checked(packing_program(*find_param(p, "w")));
  Array w = Array::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), packed(f32, {1, 2, 4});
  REQUIRE(interpret(pack, {}, {&w, &packed}) == absl::OkStatus());
  CHECK(packed.values<float>() == std::vector<float>{1, 3, 5, 0, 2, 4, 6, 0});
  CHECK(layout_hash(*find_param(p, "w")) != 0);
}

TEST_CASE("integer expressions evaluate for given sizes") {
  const Size n("n");
  CHECK(evaluate_int((n + 3) / 4, {{n, 10}}) == 3);
  CHECK_FALSE(evaluate_int((n + 3) / 4, {}).has_value());
}

TEST_CASE("a program that could not be built, or none at all, is not run") {
  ProgramData failed;
  failed.name = "p";
  failed.error = "y is wrong";
  failed.body = seq({});
  CHECK(error_of(Program(failed), {}) == "y is wrong");
  CHECK(error_of(Program(), {}) == "the Program is null");
}

TEST_CASE("an array of the wrong number of values is not taken as an argument") {
  const Program p = test::parsed(R"(
    program copy
      input x: f32[1]
      output y: f32[1]
    { y[0] = x[0] })");
  Array x = Array::of<float>({1}, {1, 2}), y(f32, {1});
  CHECK(x.values<float>() == std::vector<float>{1, 2});
  CHECK(error_of(p, {&x, &y}) == "argument x: expected f32[1], got f32[2]");
}

TEST_CASE("a minus before a NaN or a bit pattern negates it") {
  const Program p = test::parsed(R"(
    program p
      output y: f32[3]
    {
      y[0] = -f32.bits(0x3f800000)
      y[1] = -f32.nan
      y[2] = -inf
    })");
  Array y(f32, {3});
  REQUIRE(interpret(p, {}, {&y}).ok());
  CHECK(y.bits(0) == 0xbf800000);
  CHECK(y.bits(1) == 0xffc00000);
  CHECK(y.bits(2) == 0xff800000);
}

TEST_CASE("explicit vectors inside a vector loop are refused") {
  const Program p = test::parsed(R"(
    program both
      output t: f32[16]
    { vector for k in 0..2 { t[ramp(0, 1, 16)] += broadcast(1.0, 16) } })");
  Array t(f32, {16});
  CHECK_THAT(error_of(p, {&t}), Catch::StartsWith("explicit vectors inside a vector loop"));
}

TEST_CASE("a null array or expression is refused") {
  const Program p = test::parsed(R"(
    program copy
      size n
      input x: f32[n]
      output y: f32[n]
    { for i in 0..n { y[i] = x[i] } })");
  Array y(f32, {1});
  CHECK(error_of(p, {static_cast<Array*>(nullptr), &y}) == "argument x must be an array");
  CHECK(evaluate_int(Expr(), {}) == std::nullopt);
}

TEST_CASE("an array of an impossible shape is empty") {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{-1}, {-1, -1}, {int64_t{1} << 32, int64_t{1} << 32}, {INT64_MAX}}) {
    const Array a(f32, shape);
    CHECK(a.shape() == std::vector<int64_t>{0});
    CHECK(a.elements() == 0);
  }
  CHECK(Array().elements() == 0);
}

}  // namespace
}  // namespace tenon
