#include "tenon/runtime/signature.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tenon {
namespace {

using Op = SizeProgram::Op;
using Role = ParamSignature::Role;

ParamSignature param(std::string name, std::vector<SizeProgram> shape) {
  ParamSignature p;
  p.name = std::move(name);
  p.role = Role::kInput;
  p.type = f32;
  p.shape = std::move(shape);
  return p;
}

Signature signature() {
  Signature s;
  s.kernel = "f";
  s.sizes = {"n"};
  s.size_slots = 1;
  s.params = {param("x", {SizeProgram::size(0, "n")})};
  return s;
}

std::string refusal(Signature s) {
  const absl::Status status = finalize(s);
  CHECK_FALSE(s.plan.ready);
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

const SizeProgram kTwice{{{Op::kSize, 0}, {Op::kConst, 2}, {Op::kMul}}, "n * 2"};

}  // namespace

TEST_CASE("finalize plans a good signature, again after a change") {
  Signature s = signature();
  REQUIRE(finalize(s).ok());
  CHECK(s.plan.ready);
  CHECK(s.plan.inputs == 1);
  s.params.push_back(param("y", {kTwice}));
  s.params.back().role = Role::kOutput;
  REQUIRE(finalize(s).ok());
  CHECK(s.plan.inputs == 1);
  CHECK(s.plan.outputs == 1);
  CHECK(s.plan.params.size() == 2);
  s.params[0].shape = {kTwice};
  CHECK_FALSE(finalize(s).ok());
  CHECK_FALSE(s.plan.ready);
}

TEST_CASE("a size is told by the first dimension that is the size alone") {
  Signature s = signature();
  s.params.insert(s.params.begin(), param("a", {kTwice, SizeProgram::constant(3)}));
  s.params.push_back(param("b", {SizeProgram::size(0, "n")}));
  REQUIRE(finalize(s).ok());
  REQUIRE(s.plan.bindings.size() == 1);
  CHECK(s.plan.bindings[0].param == 1);
  CHECK(s.plan.bindings[0].dim == 0);
}

TEST_CASE("an expression of constants is a constant") {
  Signature s = signature();
  s.params.push_back(
      param("c", {SizeProgram{{{Op::kConst, 6}, {Op::kConst, 7}, {Op::kMul}}, "6 * 7"}}));
  REQUIRE(finalize(s).ok());
  CHECK(s.plan.dims[1].kind == CallPlan::Dim::Kind::kConstant);
  CHECK(s.plan.dims[1].value == 42);
}

TEST_CASE("a size that no argument tells is refused") {
  const std::string message =
      "kernel f: no argument tells size n: it is no dimension by itself; specialise it";
  Signature s = signature();
  s.params[0].shape = {kTwice};
  CHECK(refusal(s) == message);
  s.params[0].shape = {SizeProgram::constant(4)};
  CHECK(refusal(s) == message);
  // A packed weight tells only what its stored form shows.
  s = signature();
  s.params[0].role = Role::kWeight;
  s.params[0].layout = 1;
  s.params[0].packed_shape = {SizeProgram::constant(16)};
  CHECK(refusal(s) == message);
  s.params[0].packed_shape = {SizeProgram::constant(16), SizeProgram::size(0, "n")};
  CHECK(finalize(s).ok());
}

TEST_CASE("more than a call can hold is refused") {
  Signature s = signature();
  s.params.resize(65, s.params[0]);
  CHECK(refusal(s) == "kernel f: 65 parameters, and at most 64 are possible");
  s = signature();
  s.size_slots = 65;
  CHECK(refusal(s) ==
        "kernel f: 65 sizes and strides are run-time values, and at most 64 are possible");
  s.size_slots = 0;
  CHECK(refusal(s) == "kernel f: 1 sizes do not fit 0 slots");
  s = signature();
  s.params.push_back(param("y", std::vector<SizeProgram>(9, SizeProgram::constant(1))));
  CHECK(refusal(s) == "kernel f: parameter y: rank 9, and at most 8 is possible");
}

TEST_CASE("a malformed parameter is refused") {
  Signature s = signature();
  s.params[0].type = f32.with_lanes(4);
  CHECK(refusal(s) == "kernel f: parameter x: its elements are vectors");
  s = signature();
  s.params[0].role = Role::kScalar;
  CHECK(refusal(s) == "kernel f: parameter x: a scalar has no shape");
  s = signature();
  s.params[0].layout = 1;
  CHECK(refusal(s) == "kernel f: parameter x: only a weight can be packed");
  s = signature();
  s.params[0].shape[0].code[0].value = 1;
  CHECK(refusal(s) == "kernel f: parameter x: size expression n: there is no size number 1");
  s = signature();
  s.requirements = {{SizeProgram{{{Op::kNot}}, "!"}, "n > 0"}};
  CHECK(refusal(s) == "kernel f: requirement n > 0: size expression !: an operand is missing");
}

TEST_CASE("slots of hidden strides are their own") {
  Signature s = signature();
  s.size_slots = 2;
  s.params[0].hidden_strides = {1, -1};
  CHECK(refusal(s) == "kernel f: parameter x: one stride slot per dimension is needed");
  s.params[0].hidden_strides = {0};
  CHECK(refusal(s) == "kernel f: parameter x: slot 0 is not one for strides");
  s.params[0].hidden_strides = {2};
  CHECK(refusal(s) == "kernel f: parameter x: slot 2 is not one for strides");
  s.params[0].hidden_strides = {1};
  CHECK(finalize(s).ok());
}

}  // namespace tenon
