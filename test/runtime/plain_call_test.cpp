// The quick yes against the whole check, on random calls that are right or wrong in one respect.
#include "tenon/runtime/plain_call.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace tenon {
namespace {

using Role = ParamSignature::Role;

struct RandomCall {
  Signature signature;
  std::vector<Argument> inputs;
  std::vector<View> outputs;
  std::string change = "none";
};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  // `memory` has room for all arguments, 4 KB each.
  RandomCall draw(char* memory) {
    RandomCall call;
    call.signature.kernel = "random";
    call.signature.sizes = {"m", "n"};
    call.signature.size_slots = 2;
    const std::vector<int64_t> values = {pick(0, 5), pick(1, 5)};
    const int inputs = pick(1, 3), outputs = pick(1, 2);
    const int changed = pick(0, 3 * (inputs + outputs));  // often none
    for (int p = 0; p < inputs + outputs; ++p) {
      const bool is_output = p >= inputs;
      const bool scalar = p > 0 && !is_output && pick(0, 3) == 0;
      const Role role = is_output ? (pick(0, 1) ? Role::kOutput : Role::kInOut)
                                  : (scalar ? Role::kScalar : Role::kInput);
      add(call, role, values, p == 0, memory + 4096 * p, p == changed);
    }
    REQUIRE(finalize(call.signature).ok());
    return call;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void add(RandomCall& call, Role role, const std::vector<int64_t>& values, bool names_sizes,
           char* memory, bool changed) {
    ParamSignature p;
    p.name = "p" + std::to_string(call.signature.params.size());
    p.role = role;
    p.type = pick(0, 1) ? f32 : i64;
    if (role == Role::kScalar) {
      call.signature.params.push_back(p);
      if (changed) call.change = "scalar of another type";
      if ((p.type == f32) != changed) {
        call.inputs.push_back(1.5f);
      } else {
        call.inputs.push_back(int64_t{7});
      }
      return;
    }
    std::vector<int64_t> shape;
    const int rank = names_sizes ? 2 : pick(0, 3);
    for (int d = 0; d < rank; ++d) {
      const int kind = names_sizes ? d : pick(0, 2);
      if (kind < 2) {
        p.shape.push_back(SizeProgram::size(kind, call.signature.sizes[static_cast<size_t>(kind)]));
        shape.push_back(values[static_cast<size_t>(kind)]);
      } else {
        shape.push_back(pick(1, 4));
        p.shape.push_back(SizeProgram::constant(shape.back()));
      }
    }
    p.strides = pick(0, 1) ? StrideClass::kDense : StrideClass::kGeneral;
    call.signature.params.push_back(p);
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
    Type type = p.type;
    if (changed) change(call, shape, strides, type, memory);
    const View view(memory, type, shape, strides);
    if (is_written(role)) {
      call.outputs.push_back(view);
    } else {
      call.inputs.push_back(view);
    }
  }

  void change(RandomCall& call, std::vector<int64_t>& shape, std::vector<int64_t>& strides,
              Type& type, char*& memory) {
    const size_t last = shape.size() - 1;
    switch (pick(0, 7)) {
      case 0: call.change = "type", type = type == f32 ? i64 : f32; break;
      case 1: call.change = "alignment", memory += 1; break;
      case 2: call.change = "null", memory = nullptr; break;
      case 3: call.change = "rank", shape.push_back(1), strides.push_back(1); break;
      case 4:
        if (!shape.empty()) call.change = "size", ++shape[last];
        break;
      case 5:
        if (!shape.empty()) call.change = "negative size", shape[last] = -shape[last];
        break;
      case 6:
        if (!shape.empty()) call.change = "stride", strides[0] *= 2;
        break;
      case 7: call.change = "place", memory -= 4096; break;  // of the argument before
    }
  }

  std::mt19937 random_;
};

TEST_CASE("the quick yes agrees with the whole check") {
  std::vector<char> memory(8 * 4096);
  char* aligned = memory.data() + 4096;
  aligned += (64 - reinterpret_cast<uintptr_t>(aligned) % 64) % 64;
  // A workspace far from the arguments asks for the whole check.
  std::byte workspace[64];
  int plain = 0, right_and_plain = 0, right = 0, wrong = 0;
  for (uint32_t seed = 0; seed < 20000; ++seed) {
    const RandomCall call = Generator(seed).draw(aligned);
    INFO("seed " << seed << ", changed: " << call.change);
    BoundCall quick, whole;
    const bool yes = is_plain_call(call.signature, call.inputs, call.outputs, quick);
    const absl::Status status =
        check_call(call.signature, call.inputs, call.outputs, &whole, workspace);
    INFO(status);
    plain += yes;
    (status.ok() ? right : wrong) += 1;
    if (!yes) continue;
    REQUIRE(status.ok());
    ++right_and_plain;
    size_t views = 0, scalars = 0;
    for (const ParamSignature& p : call.signature.params) {
      ++(p.role == Role::kScalar ? scalars : views);
    }
    CHECK(std::memcmp(quick.sizes, whole.sizes, 2 * sizeof(int64_t)) == 0);
    CHECK(std::memcmp(quick.buffers, whole.buffers, views * sizeof(void*)) == 0);
    CHECK(std::memcmp(quick.scalars, whole.scalars, scalars * sizeof(uint64_t)) == 0);
  }
  INFO(plain << " plain, " << right << " right, " << wrong << " wrong");
  CHECK(wrong > 2000);
  CHECK(right_and_plain > right / 2);
}

TEST_CASE("what has no plain form is left to the whole check") {
  Signature s;
  s.kernel = "copy";
  ParamSignature x, y;
  x.name = "x", x.type = f32, x.shape = {SizeProgram::constant(4)};
  y = x, y.name = "y", y.role = Role::kOutput;
  s.params = {y, x};  // what is read after what is written
  BoundCall bound;
  float a[4] = {}, b[4] = {};
  CHECK_FALSE(is_plain_call(s, {View(a, {4})}, {View(b, {4})}, bound));  // not finalized
  REQUIRE(finalize(s).ok());
  CHECK_FALSE(is_plain_call(s, {View(a, {4})}, {View(b, {4})}, bound));
  CHECK(check_call(s, {View(a, {4})}, {View(b, {4})}, &bound).ok());
  s.params = {x, y};
  REQUIRE(finalize(s).ok());
  CHECK(is_plain_call(s, {View(a, {4})}, {View(b, {4})}, bound));
  CHECK_FALSE(is_plain_call(s, {View(a, {4})}, {}, bound));
}

}  // namespace
}  // namespace tenon
