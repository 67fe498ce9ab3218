// Splits and lengths that do not divide.
//
// D1, halide/Halide#7764: the inner part of a split was split again by a wider factor, the tail was
//   done by lanes that run past the tile, and later tiles were overwritten by what earlier ones put
//   there: all but two outputs became 0.
// D2, halide/Halide#1246: a dimension shorter than the vector gave wrong values, or writes behind
//   the end of the buffer.
// D3, halide/Halide#7938: a split factor that came out as 0 gave an output that nobody had written,
//   since a division by 0 was defined as 0.
#include <catch2/catch.hpp>
#include <numeric>

#include "cases/everywhere.h"

namespace tenon {
namespace {

using test::CaseData;
using test::Everywhere;

struct Copy {
  Size n{"n"};
  Program program;
  Copy() {
    const Tensor x = input("x", i32, {n});
    program = tenon::program("copy", {x}, {compute("y", {n}, [&](Expr i) { return x(i); })});
  }
};

Array counted(int64_t n) {
  std::vector<int32_t> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return Array::of<int32_t>({n}, values);
}

Everywhere copies(const Copy& copy) {
  Everywhere e;
  e.program = copy.program;
  e.length = copy.n;
  e.data = [](int64_t length) { return CaseData{{counted(length)}, {counted(length)}}; };
  return e;
}

TEST_CASE("D1: the inner part of a split, split again by a wider factor") {
  const Copy copy;
  Everywhere e = copies(copy);
  for (const int64_t factor : {2, 3, 5}) {
    e.schedule = [&](Schedule& s, int64_t lanes, bool parallel) {
      const auto [outer, inner] = s.split(s.loops<1>("y")[0], factor);
      const auto [middle, last] = s.split(inner, lanes);
      s.vectorize(last);
      if (parallel) s.parallelize(outer);
    };
    e.run();
  }
}

TEST_CASE("D1: three splits whose factors have nothing in common") {
  const Copy copy;
  Everywhere e = copies(copy);
  e.schedule = [&](Schedule& s, int64_t lanes, bool parallel) {
    const auto [a, b] = s.split(s.loops<1>("y")[0], 7);
    const auto [c, d] = s.split(b, 5);
    const auto [f, g] = s.split(d, lanes);
    s.vectorize(g);
    s.unroll(c);
    if (parallel) s.parallelize(a);
  };
  e.run();
}

TEST_CASE("D1: splits of both loops of a matrix, reordered") {
  const Size m("m"), n("n");
  const Tensor x = input("x", i32, {m, n});
  Everywhere e;
  e.program =
      program("copy2", {x}, {compute("y", {m, n}, [&](Expr i, Expr j) { return x(i, j) + 1; })});
  e.length = n;
  e.sizes = {{m, 5}};
  e.data = [](int64_t length) {
    Array in(i32, {5, length}), out(i32, {5, length});
    for (int64_t i = 0; i < 5 * length; ++i) {
      in.set_bits(i, static_cast<uint64_t>(i));
      out.set_bits(i, static_cast<uint64_t>(i + 1));
    }
    return CaseData{{in}, {out}};
  };
  e.schedule = [&](Schedule& s, int64_t lanes, bool parallel) {
    const auto [i, j] = s.loops<2>("y");
    const auto [io, ii] = s.split(i, 2);
    const auto [jo, ji] = s.split(j, 2 * lanes);
    const auto [jm, jl] = s.split(ji, lanes);
    s.reorder({jo, io, jm, ii, jl});
    s.vectorize(jl);
    if (parallel) s.parallelize(jo);
  };
  e.run();
}

TEST_CASE("D2: lengths below the vector's, and nothing behind the end is touched") {
  const Size n("n");
  Everywhere e;
  e.program = program("squares", {}, {compute("y", {n}, [&](Expr i) { return i * i; })});
  e.length = n;
  e.data = [](int64_t length) {
    Array squares(i64, {length});
    for (int64_t i = 0; i < length; ++i) squares.set_bits(i, static_cast<uint64_t>(i * i));
    return CaseData{{}, {squares}};
  };
  e.run();
}

TEST_CASE("D2: every element type has its own number of lanes") {
  for (const Type type : {f64, f32, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, boolean}) {
    const Size n("n");
    const Tensor x = input("x", type, {n});
    Everywhere e;
    e.program = program("copy", {x}, {compute("y", {n}, [&](Expr i) { return x(i); })});
    e.length = n;
    e.constant = type == u8;
    e.data = [&](int64_t length) {
      Array values(type, {length});
      for (int64_t i = 0; i < length; ++i) {
        values.set_bits(
            i, type.is_bool() ? static_cast<uint64_t>(i % 3 == 0) : static_cast<uint64_t>(i));
      }
      return CaseData{{values}, {values}};
    };
    e.run();
  }
}

TEST_CASE("D2: values that become narrower on their way to memory") {
  for (const auto& [from, to] :
       {std::pair{i64, i32}, {i64, i8}, {i32, i16}, {i32, u8}, {i16, i8}}) {
    const Size n("n");
    const Tensor x = input("x", from, {n});
    Everywhere e;
    e.program = program("narrow", {x}, {compute("y", {n}, [&](Expr i) { return cast(to, x(i)); })});
    e.length = n;
    e.data = [&](int64_t length) {
      CaseData data{{Array(from, {length})}, {Array(to, {length})}};
      for (int64_t i = 0; i < length; ++i) {
        data.inputs[0].set_bits(i, static_cast<uint64_t>(3 * i));
        data.expected[0].set_bits(
            i, static_cast<uint64_t>(3 * i) & (to.bits() == 64 ? ~0ull : (1ull << to.bits()) - 1));
      }
      return data;
    };
    INFO(to_string(from) << " to " << to_string(to));
    e.run();
  }
}

TEST_CASE("D3: a factor that is not positive is an error before anything runs") {
  const Copy copy;
  for (const int64_t factor : {0, -17, -1}) {
    Schedule s(copy.program, {{copy.n, 1024}});
    const auto [i] = s.loops<1>("y");
    s.split(i, factor);
    CHECK_FALSE(s.status().ok());
    CHECK_FALSE(Jit().compile(s).ok());
    Schedule t(copy.program, {{copy.n, 1024}});
    const auto [j] = t.loops<1>("y");
    t.tile(j, j, factor, factor);
    CHECK_FALSE(t.status().ok());
  }
}

TEST_CASE("D3: register_tile and cut refuse factors and places that make no sense") {
  const Size m("m"), n("n"), k("k");
  const Tensor x = input("x", f32, {m, k}), w = weight("w", f32, {n, k});
  const Tensor sums = compute("sums", {m, n}, [&](Expr i, Expr j) {
    return sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
  });
  const Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) { return max(sums(i, j), 0.0f); });
  const Program p = program("relu", {x, w}, {y});
  for (const auto& [rows, columns] : {std::pair{0, 16}, {4, 0}, {-17, 16}, {4, -17}}) {
    Schedule s(p, {{m, 8}, {n, 32}, {k, 8}});
    const auto [i, j] = s.loops<2>("y");
    s.register_tile("sums", {i, j}, {rows, columns});
    CHECK_FALSE(s.status().ok());
  }
}

}  // namespace
}  // namespace tenon
