// Integer arithmetic.
//
// D5, apache/tvm#2308 and #2173: the simplifier assumed that division rounds down while the code
//   truncated: (10x + 5) / 10 became x, and (3x + y) / 3 became x + y / 3.
// D6, pytorch/pytorch#105264: u8 arithmetic was done in a wider type, and the next operation saw a
//   value that had not wrapped.
#include <catch2/catch.hpp>
#include <functional>

#include "cases/everywhere.h"

namespace tenon {
namespace {

using test::CaseData;
using test::Everywhere;

int64_t floor_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
int64_t floor_mod(int64_t a, int64_t b) { return b == 0 ? a : a - floor_div(a, b) * b; }
int64_t trunc_div(int64_t a, int64_t b) { return b == 0 ? 0 : a / b; }
int64_t trunc_rem(int64_t a, int64_t b) { return b == 0 ? a : a % b; }

// One formula as an expression, and as C++.
struct Formula {
  std::string name;
  std::function<Expr(const Expr& x, const Expr& y)> expression;
  std::function<int64_t(int64_t x, int64_t y)> value;
};

std::vector<Formula> formulas() {
  std::vector<Formula> all;
  const auto add = [&](const std::string& name, auto&& e, auto&& v) {
    all.push_back({name, e, v});
  };
  add(
      "(10x + 5) // 10", [](const Expr& x, const Expr&) { return (10 * x + 5) / 10; },
      [](int64_t x, int64_t) { return floor_div(10 * x + 5, 10); });
  add(
      "trunc (10x + 5) / 10", [](const Expr& x, const Expr&) { return truncdiv(10 * x + 5, 10); },
      [](int64_t x, int64_t) { return trunc_div(10 * x + 5, 10); });
  add(
      "(3x + y) // 3", [](const Expr& x, const Expr& y) { return (3 * x + y) / 3; },
      [](int64_t x, int64_t y) { return floor_div(3 * x + y, 3); });
  add(
      "trunc (3x + y) / 3", [](const Expr& x, const Expr& y) { return truncdiv(3 * x + y, 3); },
      [](int64_t x, int64_t y) { return trunc_div(3 * x + y, 3); });
  add(
      "(3x + y) % 3", [](const Expr& x, const Expr& y) { return (3 * x + y) % 3; },
      [](int64_t x, int64_t y) { return floor_mod(3 * x + y, 3); });
  add(
      "rem (3x + y), 3", [](const Expr& x, const Expr& y) { return truncrem(3 * x + y, 3); },
      [](int64_t x, int64_t y) { return trunc_rem(3 * x + y, 3); });
  add(
      "(6x - 2y) // 4", [](const Expr& x, const Expr& y) { return (6 * x - 2 * y) / 4; },
      [](int64_t x, int64_t y) { return floor_div(6 * x - 2 * y, 4); });
  add(
      "trunc (6x - 2y) / 4",
      [](const Expr& x, const Expr& y) { return truncdiv(6 * x - 2 * y, 4); },
      [](int64_t x, int64_t y) { return trunc_div(6 * x - 2 * y, 4); });
  add(
      "(x // 3) * 3 + x % 3", [](const Expr& x, const Expr&) { return (x / 3) * 3 + x % 3; },
      [](int64_t x, int64_t) { return x; });
  add(
      "trunc: (x / 3) * 3 + rem",
      [](const Expr& x, const Expr&) { return truncdiv(x, 3) * 3 + truncrem(x, 3); },
      [](int64_t x, int64_t) { return x; });
  add(
      "(x // 2) // 3", [](const Expr& x, const Expr&) { return (x / 2) / 3; },
      [](int64_t x, int64_t) { return floor_div(floor_div(x, 2), 3); });
  add(
      "trunc trunc", [](const Expr& x, const Expr&) { return truncdiv(truncdiv(x, 2), 3); },
      [](int64_t x, int64_t) { return trunc_div(trunc_div(x, 2), 3); });
  add(
      "x // -3", [](const Expr& x, const Expr&) { return x / -3; },
      [](int64_t x, int64_t) { return floor_div(x, -3); });
  add(
      "x % -3", [](const Expr& x, const Expr&) { return x % -3; },
      [](int64_t x, int64_t) { return floor_mod(x, -3); });
  add(
      "x // y", [](const Expr& x, const Expr& y) { return x / y; }, floor_div);
  add(
      "x % y", [](const Expr& x, const Expr& y) { return x % y; }, floor_mod);
  add(
      "trunc x / y", [](const Expr& x, const Expr& y) { return truncdiv(x, y); }, trunc_div);
  add(
      "rem x, y", [](const Expr& x, const Expr& y) { return truncrem(x, y); }, trunc_rem);
  return all;
}

std::vector<Tensor> outputs_of(const std::vector<Formula>& all, const std::vector<Expr>& shape,
                               const std::function<Expr(const Formula&, const Index&)>& element) {
  std::vector<Tensor> outputs;
  for (size_t f = 0; f < all.size(); ++f) {
    outputs.push_back(compute("out" + std::to_string(f), shape,
                              [&](const Index& i) { return element(all[f], i); }));
  }
  return outputs;
}

// x = row - 20 and y = column - 20: divided as index arithmetic is.
TEST_CASE("D5: division of indices") {
  const std::vector<Formula> all = formulas();
  const Size n("n");
  Everywhere e;
  e.program = program("divide", {}, outputs_of(all, {41, n}, [](const Formula& f, const Index& i) {
                        return f.expression(i[0] - 20, i[1] - 20);
                      }));
  e.length = n;
  e.constant = false;
  e.data = [&](int64_t length) {
    CaseData data;
    for (const Formula& f : all) {
      Array out(i64, {41, length});
      for (int64_t i = 0; i < 41; ++i) {
        for (int64_t j = 0; j < length; ++j) {
          out.set_bits(i * length + j, static_cast<uint64_t>(f.value(i - 20, j - 20)));
        }
      }
      data.expected.push_back(std::move(out));
    }
    return data;
  };
  e.run();
}

TEST_CASE("D5: division of data") {
  const std::vector<Formula> all = formulas();
  for (const Type type : {i64, i32, i16}) {
    const Size n("n");
    const Tensor x = input("x", type, {n}), y = input("y", type, {n});
    const std::vector<Tensor> outputs = outputs_of(all, {n}, [&](const Formula& f, const Index& i) {
      return cast(type, f.expression(x(i), y(i)));
    });
    Everywhere e;
    e.program = program("divide", {x, y}, outputs);
    e.length = n;
    e.constant = false;
    e.data = [&](int64_t length) {
      CaseData data{{Array(type, {length}), Array(type, {length})}, {}};
      for (size_t f = 0; f < all.size(); ++f) data.expected.emplace_back(type, std::vector{length});
      const uint64_t mask =
          type.bytes() == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * type.bytes()) - 1;
      for (int64_t i = 0; i < length; ++i) {
        const int64_t vx = 17 * i % 41 - 20, vy = 7 * i % 41 - 20;
        data.inputs[0].set_bits(i, static_cast<uint64_t>(vx) & mask);
        data.inputs[1].set_bits(i, static_cast<uint64_t>(vy) & mask);
        for (size_t f = 0; f < all.size(); ++f) {
          data.expected[f].set_bits(i, static_cast<uint64_t>(all[f].value(vx, vy)) & mask);
        }
      }
      return data;
    };
    e.run();
  }
}

// --- D6. Operations of narrow types, each wrapped before it is widened.

template <class T>
Array array_of(int64_t n, const std::function<T(int64_t)>& value) {
  std::vector<T> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(value(i));
  return Array::of<T>({n}, values);
}

// cast(Wide, x op y) for Narrow x and y.
template <class Narrow, class Wide>
void check_wrap() {
  struct Op {
    std::function<Expr(const Expr&, const Expr&)> expression;
    std::function<uint64_t(uint64_t, uint64_t)> value;  // modulo 2^64; Narrow cuts it
  };
  const std::vector<Op> ops = {
      {[](const Expr& a, const Expr& b) { return a + b; }, [](auto a, auto b) { return a + b; }},
      {[](const Expr& a, const Expr& b) { return a - b; }, [](auto a, auto b) { return a - b; }},
      {[](const Expr& a, const Expr& b) { return a * b; }, [](auto a, auto b) { return a * b; }},
      {[](const Expr& a, const Expr&) { return -a; }, [](auto a, auto) { return 0 - a; }},
      {[](const Expr& a, const Expr&) { return a << 3; }, [](auto a, auto) { return a << 3; }},
      {[](const Expr& a, const Expr& b) { return (a + b) - b; }, [](auto a, auto) { return a; }},
      {[](const Expr& a, const Expr&) { return ~a; }, [](auto a, auto) { return ~a; }},
  };
  const Type narrow = type_of<Narrow>(), wide = type_of<Wide>();
  const Size n("n");
  const Tensor x = input("x", narrow, {n}), y = input("y", narrow, {n});
  std::vector<Tensor> outputs;
  for (size_t o = 0; o < ops.size(); ++o) {
    outputs.push_back(compute("out" + std::to_string(o), {n},
                              [&](Expr i) { return cast(wide, ops[o].expression(x(i), y(i))); }));
  }
  Everywhere e;
  e.program = program("wrap", {x, y}, outputs);
  e.length = n;
  e.constant = false;
  e.data = [&](int64_t length) {
    const auto at = [](int64_t i) {
      constexpr int kValues[] = {128, 200, 255, 0, 127, 1, -128, 77};
      return static_cast<Narrow>(kValues[i % 8]);
    };
    const auto other = [&](int64_t i) { return at(i + i / 8); };
    CaseData data{{array_of<Narrow>(length, at), array_of<Narrow>(length, other)}, {}};
    for (const Op& op : ops) {
      data.expected.push_back(array_of<Wide>(length, [&](int64_t i) {
        return static_cast<Wide>(static_cast<Narrow>(
            op.value(static_cast<uint64_t>(at(i)), static_cast<uint64_t>(other(i)))));
      }));
    }
    return data;
  };
  e.run();
}

TEST_CASE("D6: u8") { check_wrap<uint8_t, int16_t>(); }
TEST_CASE("D6: i8") { check_wrap<int8_t, int32_t>(); }
TEST_CASE("D6: u16") { check_wrap<uint16_t, int64_t>(); }
TEST_CASE("D6: i16") { check_wrap<int16_t, int32_t>(); }
TEST_CASE("D6: u32") { check_wrap<uint32_t, uint64_t>(); }

TEST_CASE("D6: the report's own numbers") {
  const Tensor x = input("x", u8, {2});
  const Program p =
      program("sum", {x}, {compute("y", {2}, [&](Expr i) { return cast(i16, x(i) + x(i)); })});
  Jit jit;
  const uint8_t in[] = {128, 200};
  int16_t out[2] = {};
  REQUIRE((*jit.compile(p))({View(in, {2})}, {View(out, {2})}).ok());
  CHECK(out[0] == 0);
  CHECK(out[1] == 144);
}

}  // namespace
}  // namespace tenon
