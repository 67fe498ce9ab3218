// Loads and stores of every shape, with inaccessible pages on both sides of every buffer.
#include <catch2/catch.hpp>

#include "support/check.h"
#include "support/native.h"

using namespace tenon;
using test::native_difference;

namespace {

// 1, 2, 3 ... in the type; bool alternates.
Array counting(Type type, int64_t n) {
  Array array(type, {n});
  for (int64_t i = 0; i < n; ++i) {
    array.set_bits(i, constant_int(type, type.is_bool() ? i % 2 : i + 1).as<Const>()->bits);
  }
  return array;
}

// out[out_index] = x[in_index] for all element types; `n` elements in each buffer.
void check_copy(int64_t n, const std::string& in, const std::string& out,
                const std::string& where = "", const std::string& mask = "") {
  for (Type type : kAllTypes) {
    const std::string t = to_string(type), size = std::to_string(n);
    const std::string read = "x[" + in + "]";
    const Program program =
        test::parsed("program copy\n  input x: " + t + "[" + size + "]\n  input ids: i64[" + size +
                     "]\n  output out: " + t + "[" + size + "]\n{\n  out[" + out +
                     "] = " + (mask.empty() ? read : "masked(" + read + ", " + mask + ")") +
                     (where.empty() ? "" : " where " + where) + "\n}\n");
    Array x = counting(type, n), y(type, {n}), ids(i64, {n});
    for (int64_t i = 0; i < n; ++i) ids.set_bits(i, static_cast<uint64_t>((i * 7 + 3) % n));
    INFO(print(program));
    CHECK(native_difference(program, {}, {&x, &ids, &y}) == "");
  }
}

}  // namespace

TEST_CASE("vectors of every length lie next to each other") {
  for (const char* lanes : {"2", "3", "4", "8", "16", "32", "64"}) {
    const int64_t n = std::stoi(lanes);
    check_copy(n, std::string("ramp(0, 1, ") + lanes + ")",
               std::string("ramp(0, 1, ") + lanes + ")");
  }
}

TEST_CASE("reversed, strided, repeated and gathered lanes") {
  for (const char* lanes : {"4", "16", "32"}) {
    const int n = std::stoi(lanes);
    const std::string l = lanes, last = std::to_string(n - 1);
    check_copy(n, "ramp(" + last + ", -1, " + l + ")", "ramp(0, 1, " + l + ")");
    check_copy(n, "ramp(0, 1, " + l + ")", "ramp(" + last + ", -1, " + l + ")");
    check_copy(3 * n - 2, "ramp(0, 3, " + l + ")", "ramp(0, 1, " + l + ")");
    check_copy(3 * n - 2, "ramp(0, 1, " + l + ")",
               "ramp(" + std::to_string(3 * n - 3) + ", -3, " + l + ")");
    check_copy(n, "broadcast(" + last + ", " + l + ")", "ramp(0, 1, " + l + ")");
    check_copy(n, "ids[ramp(0, 1, " + l + ")]", "ramp(0, 1, " + l + ")");
    check_copy(n, "ramp(0, 1, " + l + ")", "ids[ramp(0, 1, " + l + ")]");
    // A stride and a base that are read.
    check_copy(2 * n + 3, "ramp(ids[0], 1, " + l + ")", "ramp(ids[0] - 1, ids[0] - 1, " + l + ")");
    // Sums of ramps are ramps.
    check_copy(3 * n, "ramp(1, 1, " + l + ") + ramp(0, 1, " + l + ")",
               "broadcast(2, " + l + ") * ramp(0, 1, " + l + ")");
  }
}

TEST_CASE("lanes that are off touch no memory") {
  for (const char* lanes : {"4", "8", "16", "32"}) {
    const int n = std::stoi(lanes);
    const std::string l = lanes;
    for (int on : {0, 1, n / 2, n - 1}) {
      // The buffer has only `on` elements (at least one), so every other lane is outside of it.
      const int64_t size = std::max(on, 1);
      const std::string mask =
          "ramp(0, 1, " + l + ") < broadcast(" + std::to_string(on) + ", " + l + ")";
      const std::string forward = "ramp(0, 1, " + l + ")";
      const std::string backward = "ramp(" + std::to_string(on - 1) + ", -1, " + l + ")";
      check_copy(size, forward, forward, mask, mask);
      if (on > 0) {
        check_copy(size, backward, forward, mask, mask);
        check_copy(size, forward, backward, mask, mask);
        check_copy(size, "broadcast(0, " + l + ")", forward, mask, mask);
        check_copy(3 * size, "ramp(0, 3, " + l + ")", forward, mask, mask);
        check_copy(3 * size, forward, "ramp(0, 3, " + l + ")", mask, mask);
        check_copy(size,
                   "ramp(0, 1, " + l + ") * ramp(0, 1, " + l + ") % broadcast(" +
                       std::to_string(on) + ", " + l + ")",
                   forward, mask, mask);
      }
      // All lanes on one element that no lane may touch, or any.
      check_copy(size, on > 0 ? "0" : "1000000", forward, mask, mask);
    }
  }
}

TEST_CASE("a scalar mask is a branch") {
  check_copy(4, "1000000", "2", "", "ids[0] < 0");
  check_copy(4, "1", "2", "", "0 <= ids[0]");
  check_copy(4, "1", "1000000", "ids[0] < 0", "");
}

TEST_CASE("masked lanes of a local keep their value and stay in registers") {
  const Program program = test::parsed(R"(
program local
  input x: f32[16]
  output out: f32[16]
{
  alloc t: f32[16] in stack
  t[ramp(0, 1, 16)] = broadcast(2.0, 16)
  t[ramp(0, 1, 16)] = masked(x[ramp(0, 1, 16)], ramp(0, 1, 16) < broadcast(5, 16)) where ramp(0, 1, 16) < broadcast(5, 16)
  t[ramp(0, 1, 16)] += broadcast(1.0, 16) where ramp(0, 1, 16) < broadcast(3, 16)
  out[ramp(0, 1, 16)] = masked(t[ramp(0, 1, 16)], ramp(0, 1, 16) < broadcast(9, 16))
}
)");
  Array x = counting(f32, 16), out(f32, {16});
  CHECK(native_difference(program, {}, {&x, &out}) == "");
  for (const Target& target : test::native_targets()) {
    const auto code = test::engine_for(target).compile(program, {});
    REQUIRE(code.ok());
    CHECK((*code)->surviving_allocas().empty());
  }
}

TEST_CASE("lanes of a local that share an element keep the value of the last one that is on") {
  for (const char* mask : {"ramp(0, 1, 8) < broadcast(1, 8)", "ramp(0, 1, 8) < broadcast(4, 8)",
                           "ramp(0, 1, 8) < broadcast(0, 8)"}) {
    const Program program = test::parsed(
        std::string("program shared\n  input x: f32[8]\n  output out: f32[1]\n{\n"
                    "  alloc t: f32[1] in stack\n  t[0] = 9.0\n"
                    "  t[broadcast(0, 8)] = x[ramp(0, 1, 8)] where ") +
        mask + "\n  out[0] = t[0]\n}\n");
    Array x = counting(f32, 8), out(f32, {1});
    INFO(print(program));
    CHECK(native_difference(program, {}, {&x, &out}) == "");
  }
}

TEST_CASE("a local that is indexed at run time is reported as memory") {
  const Program program = test::parsed(R"(
program dynamic
  input ids: i64[4]
  output out: f32[4]
{
  alloc my_table: f32[8] in stack
  for i in 0..8 { my_table[i] = cast<f32>(i) }
  alloc good: f32[1] in stack
  good[0] = 3.0
  for i in 0..4 { out[i] = my_table[ids[i]] + good[0] }
}
)");
  Array ids = Array::of<int64_t>({4}, {7, 0, 3, 1}), out(f32, {4});
  CHECK(native_difference(program, {}, {&ids, &out}) == "");
  const auto code = test::engine_for(test::native_targets()[0]).compile(program, {});
  REQUIRE(code.ok());
  CHECK((*code)->surviving_allocas() == std::vector<std::string>{"my_table"});
}

TEST_CASE("sizes, strides and scalars arrive in their slots") {
  const Program program = test::parsed(R"(
program slots
  size n, x_s0
  input x: f32[n * x_s0]
  scalar a: f32
  scalar b: i8
  scalar c: bool
  scalar d: f64
  scalar e: f16
  output out: f64[n]
{
  for i in 0..n {
    out[i] = select(c, cast<f64>(x[i * x_s0] * a), d) + cast<f64>(b) + cast<f64>(e)
  }
}
)");
  const Sizes sizes = {{program->sizes[0], 5}, {program->sizes[1], 3}};
  Array x = counting(f32, 15), out(f64, {5});
  for (bool c : {false, true}) {
    CHECK(native_difference(program, sizes,
                            {&x, Expr(1.5f), constant_int(i8, -3), Expr(c),
                             constant_float(f64, 0.1), constant_float(f16, 0.25), &out}) == "");
  }
}

TEST_CASE("loops that are empty, run once, or start anywhere") {
  const Program program = test::parsed(R"(
program loops
  size lo, hi
  output out: i64[100]
{
  for i in 0..100 { out[i] = -1 }
  for i in lo..hi { out[i] = i }
  for i in 5..5 { out[i] = 100 }
  for i in 7..3 { out[i] = 100 }
  for i in 99..100 { out[i] = 77 }
  for i in lo..hi { for j in i..lo + 2 { if j % 3 == 1 { out[j + 50] = i * j } } }
}
)");
  for (auto [lo, hi] : {std::pair(3, 9), std::pair(4, 4), std::pair(9, 2), std::pair(0, 1)}) {
    Array out(i64, {100});
    const Sizes sizes = {{program->sizes[0], lo}, {program->sizes[1], hi}};
    CHECK(native_difference(program, sizes, {&out}) == "");
  }
}

TEST_CASE("a masked store that writes one lane is a store of that lane") {
  // LLVM would store it in the width that it had before the cast. Code for AVX-512 is made, not
  // run.
  const auto engine = CodeEngine::create(*Target::parse("x86-64-v4"));
  REQUIRE(engine.ok());
  const auto code_for = [&](const std::string& mask) {
    const Program program = test::parsed(
        "program narrow\n  input x: i64[16]\n  output y: i32[16]\n"
        "{ y[ramp(8, 1, 8)] = cast<i32>(x[ramp(8, 1, 8)]) where " +
        mask + " }");
    const auto code = (*engine)->compile(program, {.contract = false, .keep_text = true});
    REQUIRE(code.ok());
    return (*code)->llvm_ir();
  };
  for (const char* mask : {"ramp(0, 1, 8) < broadcast(1, 8)", "ramp(0, 1, 8) == broadcast(3, 8)"}) {
    CHECK_THAT(code_for(mask),
               !Catch::Contains("call void @llvm.masked.store") && Catch::Contains("store i32"));
  }
  CHECK_THAT(code_for("ramp(0, 1, 8) < broadcast(3, 8)"),
             Catch::Contains("call void @llvm.masked.store"));
}

TEST_CASE("a store that keeps all lanes of local memory but one writes that lane alone") {
  // The same cast, where the other lanes are blended in from the stack, or by the Program itself.
  const char* stores[] = {
      "t[ramp(8, 1, 8)] = cast<i32>(x[ramp(8, 1, 8)]) where ramp(0, 1, 8) < broadcast(1, 8)",
      "t[ramp(8, 1, 8)] = cast<i32>(x[ramp(8, 1, 8)]) where ramp(0, 1, 8) == broadcast(3, 8)",
      "t[ramp(8, 1, 8)] = select(ramp(0, 1, 8) != broadcast(3, 8), t[ramp(8, 1, 8)], "
      "cast<i32>(x[ramp(8, 1, 8)]))"};
  for (const std::string store : stores) {
    // Read back in a loop, so that the array stays memory.
    const Program program = test::parsed(
        "program narrow\n  input x: i64[16]\n  output y: i32[16]\n"
        "{\n  alloc t: i32[16] in stack\n  for i in 0..16 { t[i] = 7i32 }\n  " +
        store + "\n  for i in 0..16 { y[i] = t[15 - i] }\n}\n");
    Array x(i64, {16}), y(i32, {16});
    for (int64_t i = 0; i < 16; ++i) x.set_bits(i, static_cast<uint64_t>(i + 1) * 0x123456789);
    INFO(print(program));
    CHECK(native_difference(program, {}, {&x, &y}) == "");
  }
}
