#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "tenon/runtime/signature.h"

namespace tenon {
namespace {

using Op = SizeProgram::Op;
using Code = std::vector<SizeProgram::Instruction>;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

int64_t run(Code code, std::vector<int64_t> sizes = {}) {
  const SizeProgram program{std::move(code), "e"};
  const absl::Status status = verify(program, static_cast<int>(sizes.size()));
  INFO(status);
  REQUIRE(status.ok());
  return evaluate(program, sizes);
}

int64_t binary(Op op, int64_t a, int64_t b) {
  return run({{Op::kConst, a}, {Op::kConst, b}, {op}});
}

std::string objection(Code code, int sizes) {
  return std::string(verify(SizeProgram{std::move(code), "n + 1"}, sizes).message());
}

}  // namespace

TEST_CASE("a size program computes") {
  CHECK(evaluate(SizeProgram::constant(7), {}) == 7);
  CHECK(SizeProgram::constant(7).text == "7");
  const std::vector<int64_t> sizes = {10, 20};
  CHECK(evaluate(SizeProgram::size(1, "n"), sizes) == 20);
  CHECK(SizeProgram::size(1, "n").text == "n");
  // (h + 2 * p - k) // s + 1
  const Code window = {{Op::kSize, 0},  {Op::kConst, 2}, {Op::kSize, 1}, {Op::kMul},
                       {Op::kAdd},      {Op::kSize, 2},  {Op::kSub},     {Op::kConst, 2},
                       {Op::kFloorDiv}, {Op::kConst, 1}, {Op::kAdd}};
  CHECK(run(window, {224, 3, 7}) == 112);
  CHECK(run({{Op::kConst, 1}, {Op::kConst, 10}, {Op::kConst, 20}, {Op::kSelect}}) == 10);
  CHECK(run({{Op::kConst, 0}, {Op::kConst, 10}, {Op::kConst, 20}, {Op::kSelect}}) == 20);
  CHECK(run({{Op::kConst, 0}, {Op::kNot}}) == 1);
  CHECK(run({{Op::kConst, 5}, {Op::kNot}}) == 0);
}

TEST_CASE("division rounds down and never traps") {
  const struct {
    int64_t a, b, quotient, remainder;
  } rows[] = {
      {7, 2, 3, 1},           {-7, 2, -4, 1},          {7, -2, -4, -1}, {-7, -2, 3, -1},
      {6, 3, 2, 0},           {-6, 3, -2, 0},          {6, -3, -2, 0},  {0, 5, 0, 0},
      {5, 0, 0, 5},           {-5, 0, 0, -5},          {5, -1, -5, 0},  {kLeast, -1, kLeast, 0},
      {kLeast, 1, kLeast, 0}, {kMost, kLeast, -1, -1},
  };
  for (const auto& row : rows) {
    INFO(row.a << " by " << row.b);
    CHECK(binary(Op::kFloorDiv, row.a, row.b) == row.quotient);
    CHECK(binary(Op::kFloorMod, row.a, row.b) == row.remainder);
  }
}

TEST_CASE("arithmetic wraps") {
  CHECK(binary(Op::kAdd, kMost, 1) == kLeast);
  CHECK(binary(Op::kSub, kLeast, 1) == kMost);
  CHECK(binary(Op::kMul, kMost, 2) == -2);
}

TEST_CASE("comparisons and conditions give 0 or 1") {
  CHECK(binary(Op::kMin, -3, 2) == -3);
  CHECK(binary(Op::kMax, -3, 2) == 2);
  for (int64_t a : {-1, 0, 1, 2}) {
    for (int64_t b : {-1, 0, 1, 2}) {
      CHECK(binary(Op::kLt, a, b) == (a < b));
      CHECK(binary(Op::kLe, a, b) == (a <= b));
      CHECK(binary(Op::kEq, a, b) == (a == b));
      CHECK(binary(Op::kNe, a, b) == (a != b));
      CHECK(binary(Op::kAnd, a, b) == (a != 0 && b != 0));
      CHECK(binary(Op::kOr, a, b) == (a != 0 || b != 0));
    }
  }
}

TEST_CASE("a malformed size program is refused") {
  CHECK(objection({}, 0) == "size expression n + 1: gives 0 values instead of one");
  CHECK(objection({{Op::kConst, 1}, {Op::kConst, 1}}, 0) ==
        "size expression n + 1: gives 2 values instead of one");
  CHECK(objection({{Op::kConst, 1}, {Op::kAdd}}, 0) ==
        "size expression n + 1: an operand is missing");
  CHECK(objection({{Op::kNot}}, 0) == "size expression n + 1: an operand is missing");
  CHECK(objection({{Op::kSize, 1}}, 1) == "size expression n + 1: there is no size number 1");
  CHECK(objection({{Op::kSize, -1}}, 1) == "size expression n + 1: there is no size number -1");
  CHECK(objection({{static_cast<Op>(99)}}, 1) == "size expression n + 1: unknown operator");
}

TEST_CASE("a size program says when it wrapped") {
  const auto wraps = [](const Code& code) {
    bool wrapped = false;
    SizeProgram program;
    program.code = code;
    evaluate(program, {}, &wrapped);
    return wrapped;
  };
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  CHECK(wraps({{Op::kConst, kHigh}, {Op::kConst, 1}, {Op::kAdd}}));
  CHECK(wraps({{Op::kConst, -kHigh}, {Op::kConst, 2}, {Op::kSub}}));
  CHECK(wraps({{Op::kConst, kHigh}, {Op::kConst, 2}, {Op::kMul}}));
  CHECK(wraps({{Op::kConst, kHigh}, {Op::kConst, 2}, {Op::kMul}, {Op::kConst, 0}, {Op::kMul}}));
  CHECK_FALSE(wraps({{Op::kConst, kHigh}, {Op::kConst, 0}, {Op::kMul}}));
  CHECK_FALSE(wraps({{Op::kConst, kHigh}, {Op::kConst, -1}, {Op::kAdd}}));
}

TEST_CASE("a size program may be 32 operands deep") {
  for (size_t depth : {32u, 33u}) {
    Code code(depth, {Op::kConst, 1});
    code.resize(2 * depth - 1, {Op::kAdd});
    if (depth == 32) {
      CHECK(run(code) == 32);
    } else {
      CHECK(objection(code, 0) == "size expression n + 1: too deep");
    }
  }
}

}  // namespace tenon
