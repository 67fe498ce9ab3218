// buffer[index] op= value: single elements, lanes next to each other, folds, colliding lanes.
#include <catch2/catch.hpp>
#include <random>

#include "support/check.h"
#include "support/native.h"
#include "tenon/lower/lower.h"
#include "tenon/schedule/schedule.h"

using namespace tenon;
using test::native_difference;

namespace {

Array random_array(Type type, int64_t n, uint32_t seed) {
  Array array(type, {n});
  std::mt19937 random(seed);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t value = static_cast<int64_t>(random() % 2000) - 1000;
    array.set_bits(i, type.is_float()
                          ? constant_float(type, static_cast<double>(value) / 64).as<Const>()->bits
                          : constant_int(type, value).as<Const>()->bits);
  }
  return array;
}

std::vector<Type> number_types() {
  std::vector<Type> types(std::begin(kAllTypes), std::end(kAllTypes));
  types.pop_back();  // bool
  return types;
}

// out op= value over 64 elements of x, with `body` written for the type.
void check(Type type, const std::string& body) {
  const std::string t = to_string(type);
  const Program program =
      test::parsed("program sum\n  input x: " + t +
                   "[64]\n  input ids: i64[64]\n  output out: " + t + "[64]\n{\n" + body + "\n}\n");
  Array x = random_array(type, 64, 1), out = random_array(type, 64, 2), ids(i64, {64});
  for (int64_t i = 0; i < 64; ++i) ids.set_bits(i, static_cast<uint64_t>(i * i % 7));
  INFO(print(program));
  CHECK(native_difference(program, {}, {&x, &ids, &out}) == "");
}

const char* const kReducers[] = {"+", "*", "max", "min"};

}  // namespace

TEST_CASE("folds of every type, operator and length") {
  for (Type type : number_types()) {
    for (const char* op : kReducers) {
      std::string body;
      for (const char* lanes : {"2", "4", "8", "16", "32", "64", "3", "12"}) {
        body += std::string("  out[1] ") + op + "= x[ramp(0, 1, " + lanes + ")]\n";
      }
      // Lanes that are off hold the identity.
      body += std::string("  out[2] ") + op +
              "= masked(x[ramp(0, 1, 16)], ramp(0, 1, 16) < broadcast(ids[3], 16))"
              " where ramp(0, 1, 16) < broadcast(ids[3], 16)\n";
      check(type, body);
    }
  }
}

TEST_CASE("a fold without a lane touches nothing") {
  const Program program = test::parsed(R"(
program nothing
  input x: f32[16]
  output out: f32[1]
{
  out[1000000] += x[ramp(0, 1, 16)] where ramp(0, 1, 16) < broadcast(0, 16)
  out[0] += x[ramp(0, 1, 16)] where ramp(0, 1, 16) < broadcast(1, 16)
}
)");
  for (const Target& target : test::native_targets()) {
    Array x = random_array(f32, 16, 1), out(f32, {1});
    CHECK(test::run_native(program, target, {}, {&x, &out}).ok());
    CHECK(out.at<float>(0) == x.at<float>(0));
  }
}

TEST_CASE("one element, lanes next to each other, reversed and strided") {
  for (Type type : number_types()) {
    for (const char* op : kReducers) {
      const std::string o = op;
      check(type, "  out[3] " + o + "= x[5]\n  out[4] " + o + "= x[6] where ids[2] == 4\n" +
                      "  out[5] " + o + "= x[6] where ids[2] == 5\n" + "  out[ramp(8, 1, 16)] " +
                      o + "= x[ramp(0, 1, 16)]\n" + "  out[ramp(31, -1, 8)] " + o +
                      "= x[ramp(0, 1, 8)]\n" + "  out[ramp(1, 4, 8)] " + o +
                      "= x[ramp(0, 1, 8)]\n" + "  out[ramp(40, 1, 16)] " + o +
                      "= x[ramp(0, 1, 16)] where ramp(0, 1, 16) < broadcast(5, 16)\n" +
                      "  out[ramp(60, 1, 16)] " + o +
                      "= masked(x[ramp(56, 1, 16)], ramp(0, 1, 16) < broadcast(4, 16)) where "
                      "ramp(0, 1, 16) < broadcast(4, 16)");
    }
  }
}

TEST_CASE("lanes that meet in one element combine one after the other") {
  for (Type type : {f32, f16, i8, u64}) {
    for (const char* op : kReducers) {
      const std::string o = op;
      check(type, "  out[ids[ramp(0, 1, 16)]] " + o + "= x[ramp(0, 1, 16)]\n" +
                      "  out[broadcast(9, 8)] " + o + "= x[ramp(0, 1, 8)]\n" +
                      "  out[ids[ramp(0, 1, 16)]] " + o +
                      "= x[ramp(0, 1, 16)] where x[ramp(8, 1, 16)] < x[ramp(9, 1, 16)]");
    }
  }
}

TEST_CASE("sums of products fuse where that is allowed") {
  const Program program = test::parsed(R"(
program dot
  input x: f32[64]
  input y: f32[64]
  output out: f32[17]
{
  alloc t: f32[16] in stack
  t[ramp(0, 1, 16)] = broadcast(-0.0, 16)
  for k in 0..4 {
    t[ramp(0, 1, 16)] += x[ramp(k * 16, 1, 16)] * y[ramp(k * 16, 1, 16)]
  }
  out[ramp(0, 1, 16)] = t[ramp(0, 1, 16)]
  out[16] += x[3] * y[3]
}
)");
  Array x = random_array(f32, 64, 3), y = random_array(f32, 64, 4), out = random_array(f32, 17, 5);
  CHECK(native_difference(program, {}, {&x, &y, &out}) == "");
  for (const Target& target : test::native_targets()) {
    for (bool contract : {false, true}) {
      const auto code =
          test::engine_for(target).compile(program, {.contract = contract, .keep_text = true});
      REQUIRE(code.ok());
      const bool fused = (*code)->assembly().find("vfmadd") != std::string::npos;
      CHECK(fused == (contract && target.has("fma")));
    }
  }
}

TEST_CASE("a switched-off term still fuses, as a masked operation") {
  const Program program = test::parsed(R"(
program switched
  size n
  input x: f32[16]
  input y: f32[16]
  output out: f32[16]
{
  out[ramp(0, 1, 16)] += select(ramp(0, 1, 16) < broadcast(n, 16), x[ramp(0, 1, 16)] * y[ramp(0, 1, 16)], broadcast(-0.0, 16))
}
)");
  Array x = random_array(f32, 16, 3), y = random_array(f32, 16, 4), out = random_array(f32, 16, 5);
  const Sizes sizes = {{program->sizes[0], 5}};
  CHECK(native_difference(program, sizes, {&x, &y, &out}) == "");
  for (const Target& target : test::native_targets()) {
    const auto code = test::engine_for(target).compile(program, {.keep_text = true});
    REQUIRE(code.ok());
    CHECK(((*code)->assembly().find("vfmadd") != std::string::npos) == target.has("fma"));
  }
}

TEST_CASE("a padded reduction reads nothing behind its end") {
  const Program p = test::parsed(
      "program sums\n  input x: f32[3, 13]\n  output out: f32[3]\n{\n  for i in 0..3 {\n"
      "    out[i] = -0.0\n    for r in 0..13 {\n      out[i] += x[i, r]\n    }\n  }\n}\n");
  for (const bool vector : {false, true}) {
    Schedule s(p);
    const Loop r = s.all_loops("out")[1];
    s.pad_reduction(r, 8);
    const auto [ro, ri] = s.split(r, 8, Tail::kPerfect);
    if (vector) s.vectorize(ri);
    INFO(s.status() << s.program());
    REQUIRE(s.status().ok());
    Array x(f32, {39}), out(f32, {3});  // as lowering leaves them
    for (int64_t e = 0; e < 39; ++e) {
      x.set_bits(e, constant_float(f32, static_cast<double>(e) / 7).as<Const>()->bits);
    }
    for (const Target& target : test::native_targets()) {
      INFO(target.to_string());
      CHECK(native_difference(*lower(s.program(), target), {}, {&x, &out}) == "");
    }
  }
}
