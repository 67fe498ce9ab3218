// Memory that kernels change in place, and tables in their code: at every width, level and length.
#include <catch2/catch.hpp>

#include "cases/everywhere.h"
#include "support/rng.h"
#include "tenon/ir/stmt.h"

namespace tenon {
namespace {

using test::CaseData;
using test::Everywhere;
using test::Rng;

Array random_array(Rng& rng, Type type, std::vector<int64_t> shape) {
  Array a(type, std::move(shape));
  for (int64_t i = 0; i < a.elements(); ++i) {
    const int value = rng.between(-20, 20);
    a.set_bits(i, (type.is_float() ? constant_float(type, value * 0.25) : constant_int(type, value))
                      .as<Const>()
                      ->bits);
  }
  return a;
}

// What the interpreter makes of the outputs.
CaseData answered(const Program& program, std::vector<Array> inputs, std::vector<Array> before) {
  CaseData data;
  data.inputs = std::move(inputs);
  data.before = before;
  data.expected = std::move(before);
  std::vector<InterpArgument> arguments;
  for (Array& array : data.inputs) arguments.emplace_back(&array);
  for (Array& array : data.expected) arguments.emplace_back(&array);
  REQUIRE(interpret(program, {}, arguments) == absl::OkStatus());
  return data;
}

TEST_CASE("a step of an optimiser with momentum, for every element type with a fraction") {
  for (const Type type : {f32, f64, f16, bf16}) {
    INFO(to_string(type));
    const Size n("n");
    const Tensor g = input("g", type, {n}), w = inout("w", type, {n}), v = inout("v", type, {n});
    const auto half = constant_float(type, 0.5);
    const Tensor speed = compute(v, [&](Expr i) { return v(i) * half + g(i); });
    const Tensor next = compute(w, [&](Expr i) { return w(i) - speed(i) * half; });
    Everywhere e;
    e.program = program("momentum", {g}, {next, speed});
    e.length = n;
    e.contract = false;
    e.data = [&](int64_t length) {
      Rng rng(static_cast<uint64_t>(length));
      return answered(e.program, {random_array(rng, type, {length})},
                      {random_array(rng, type, {length}), random_array(rng, type, {length})});
    };
    e.run();
  }
}

TEST_CASE("what is not written stays, beside vectors and in tails") {
  const Size n("n");
  const Tensor x = input("x", f32, {n}), s = inout("s", f32, {n});
  const auto kept = [&](Expr r) { return x(r) > 0.0f; };
  Everywhere e;
  e.program = program("some", {x},
                      {update(s, scatter(
                                     Domain(n).where(kept), [](Expr r) { return r; },
                                     [&](Expr r) { return x(r) * 2.0f; }))});
  e.length = n;
  e.data = [&](int64_t length) {
    Rng rng(static_cast<uint64_t>(length) + 7);
    return answered(e.program, {random_array(rng, f32, {length})},
                    {random_array(rng, f32, {length})});
  };
  e.run();
}

// A load of memory that the kernel writes is never taken for the same load before the store.
TEST_CASE("what was stored is read again, and what is read before is the old value") {
  const Size n("n");
  const Buffer x("x", f32), y("y", f32), z("z", f32), state("s", f32);
  ProgramData data;
  data.name = "again";
  data.sizes = {n};
  const auto param = [&](Role role, const Buffer& buffer) {
    data.params.push_back({.role = role, .buffer = buffer, .shape = {Expr(n)}});
  };
  param(Role::kInput, x), param(Role::kOutput, y), param(Role::kOutput, z);
  param(Role::kInOut, state);
  const Var i("i");
  const std::vector<Expr> at = {Expr(i)};
  data.body =
      make_for(i, Expr(0), n, ForKind::kSerial,
               seq({store(y, at, load(state, at)), store(state, at, load(state, at) + load(x, at)),
                    store(z, at, load(state, at)), store(state, at, load(state, at) * 2.0f),
                    store(y, at, load(y, at) + load(state, at))}));
  const Program p{std::move(data)};
  Everywhere e;
  e.program = p;
  e.length = n;
  e.contract = false;
  e.schedule = [](Schedule& s, int64_t lanes, bool parallel) {
    test::vectorize_stage(s, "s", lanes, parallel);
  };
  e.data = [&](int64_t length) {
    Rng rng(static_cast<uint64_t>(length) + 3);
    std::vector<Array> before;
    for (int o = 0; o < 3; ++o) before.push_back(random_array(rng, f32, {length}));
    return answered(p, {random_array(rng, f32, {length})}, before);
  };
  e.run();
}

template <class T>
void check_table(const std::vector<T>& values) {
  const Type type = type_of<T>();
  INFO(to_string(type));
  const Size n("n");
  const Tensor codes = input("codes", u8, {n}), t = table("t", values);
  const int64_t last = t.rank() == 0 ? 0 : static_cast<int64_t>(values.size()) - 1;
  Everywhere e;
  e.constant = false;  // 13 types are enough
  // At data, neighbours forwards and backwards, and one place for all.
  e.program = program("tables", {codes},
                      {compute("gathered", {n}, [&](Expr i) { return t(codes(i)); }),
                       compute("forwards", {n}, [&](Expr i) { return t(min(i, last)); }),
                       compute("backwards", {n}, [&](Expr i) { return t(last - min(i, last)); }),
                       compute("same", {n}, [&](Expr) { return t(last); })});
  e.length = n;
  e.data = [&](int64_t length) {
    Rng rng(static_cast<uint64_t>(length) + 5);
    Array in(u8, {length});
    for (int64_t i = 0; i < length; ++i) {
      in.set_bits(i, static_cast<uint64_t>(rng.below(static_cast<int>(values.size()))));
    }
    std::vector<Array> outputs(4, Array(type, {length}));
    return answered(e.program, {in}, outputs);
  };
  e.run();
}

TEST_CASE("tables of every element type in machine code") {
  check_table<float>({1.5f, -0.0f, INFINITY, 1e-45f, -3.0f, 7.0f, 2.0f, 9.0f, 11.0f});
  check_table<double>({1.5, -0.0, -INFINITY, 1e300, 5.0});
  check_table<Float16>({Float16(1.5f), Float16(-2.0f), Float16(0.25f)});
  check_table<BFloat16>({BFloat16(1.5f), BFloat16(-2.0f)});
  check_table<int8_t>({-128, -1, 127, 3, 5});
  check_table<int16_t>({-32768, 5, 7});
  check_table<int32_t>({INT32_MIN, 5, 17, 18, 19});
  check_table<int64_t>({INT64_MIN, INT64_MAX, 0});
  check_table<uint8_t>({0, 255});
  check_table<uint16_t>({0, 65535, 9});
  check_table<uint32_t>({0, UINT32_MAX});
  check_table<uint64_t>({0, UINT64_MAX});
  check_table<bool>({true, false, true});
}

TEST_CASE("a large table of two dimensions in a product") {
  const Size n("n");
  std::vector<float> values(64 * 48);
  Rng rng(11);
  for (float& v : values) v = static_cast<float>(rng.between(-8, 8));
  const Tensor x = input("x", f32, {n, 48}), t = table("t", {64, 48}, values);
  Everywhere e;
  e.program = program("product", {x}, {compute("y", {64, n}, [&](Expr j, Expr i) {
                        return sum(48, [&](Expr r) { return x(i, r) * t(j, r); });
                      })});
  e.length = n;
  e.data = [&](int64_t length) {
    Rng own(static_cast<uint64_t>(length));
    return answered(e.program, {random_array(own, f32, {length, 48})}, {Array(f32, {64, length})});
  };
  e.run();
}

}  // namespace
}  // namespace tenon
