// Reductions.
//
// D4, pytorch/pytorch#50755: a reduction was split, its inner part brought into lanes, and the
//   initialisation landed inside the wrong loop: the sum was wrong, and wrong again on the second
//   run over the same output.
// D15, pytorch/pytorch#93630 and pytorch/xla#2415: an arg-reduction over lanes or threads gave a
// later
//   index where several elements are equal.
// D16, microsoft/onnxruntime#8146: reducing an empty axis gave an empty tensor, or an error.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cases/everywhere.h"

namespace tenon {
namespace {

using test::CaseData;
using test::Everywhere;

// The last reduction loop of each stage in vectors, rows in parallel.
auto reduce_in_lanes(std::vector<std::string> stages) {
  return [=](Schedule& s, int64_t lanes, bool parallel) {
    for (const std::string& stage : stages) {
      s.vectorize(s.split(s.all_loops(stage).back(), lanes).second);
      if (parallel) s.parallelize(s.loops(stage).front());
    }
  };
}

TEST_CASE("D4: a split sum in lanes, run twice") {
  const Tensor a = input("a", i32, {256});
  const Tensor y = compute("y", {1}, [&](Expr) { return sum(256, [&](Expr r) { return a(r); }); });
  const Program p = program("total", {a}, {y});
  std::vector<int32_t> values(256);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
  Jit jit;
  for (const int64_t factor : {1, 3, 4, 8, 16, 17, 255, 256, 300}) {
    for (const bool lanes_inside : {true, false}) {
      Schedule s(p);
      const auto [outer, inner] = s.split(s.all_loops("y").back(), factor);
      if (!lanes_inside) s.reorder({inner, outer});
      s.vectorize(lanes_inside ? inner : outer);
      const int64_t lanes = lanes_inside ? factor : (256 + factor - 1) / factor;
      if (!std::has_single_bit(static_cast<uint64_t>(lanes))) {
        CHECK_FALSE(s.status().ok());
        continue;
      }
      const absl::StatusOr<Kernel> kernel = jit.compile(s);
      INFO(s.program() << kernel.status());
      REQUIRE(kernel.ok());
      int32_t out = -1;
      for (int run = 0; run < 2; ++run) {
        REQUIRE((*kernel)({View(values.data(), {256})}, {View(&out, {1})}).ok());
        CHECK(out == 32640);
      }
    }
  }
}

TEST_CASE("D4: sums over rows of every length") {
  const Size n("n");
  const Tensor x = input("x", f32, {3, n});
  const Tensor y =
      compute("y", {3}, [&](Expr i) { return sum(n, [&](Expr r) { return x(i, r); }); });
  const Tensor z = compute(
      "z", {3}, [&](Expr i) { return prod(n, [&](Expr r) { return x(i, r) * 0.0f + 2.0f; }); });
  Everywhere e;
  e.program = program("rows", {x}, {y, z});
  e.length = n;
  e.schedule = reduce_in_lanes({"y", "z"});
  e.data = [](int64_t length) {
    Array in(f32, {3, length});
    std::vector<float> sums(3, 0);
    for (int64_t i = 0; i < 3 * length; ++i) {
      const float value = static_cast<float>(i % 13) - 4;  // small integers: exact in any order
      in.set_bits(i, std::bit_cast<uint32_t>(value));
      sums[static_cast<size_t>(i / length)] += value;
    }
    if (length == 0) sums = {-0.0f, -0.0f, -0.0f};
    const float power = std::ldexp(1.0f, static_cast<int>(length));
    return CaseData{{in},
                    {Array::of<float>({3}, sums), Array::of<float>({3}, {power, power, power})}};
  };
  e.difference = [](const Array& expected, const Array& got) {
    return test::difference_in_ulp(expected, got, 0);  // a sum of 0 may have either sign
  };
  e.run();
}

// --- D15. The lowest index of the maximum: the maximum first, then the least index that has it.

struct ArgMax {
  Size n{"n"};
  Program program;
  ArgMax() {
    const Tensor x = input("x", f32, {4, n});
    const Tensor top =
        compute("top", {4}, [&](Expr i) { return max_over(n, [&](Expr j) { return x(i, j); }); });
    const Tensor first = compute("first", {4}, [&](Expr i) {
      return min_over(n, [&](Expr j) { return select(x(i, j) == top(i), j, n); });
    });
    const Tensor last = compute("last", {4}, [&](Expr i) {
      return max_over(n, [&](Expr j) { return select(x(i, j) == top(i), j, Expr(-1)); });
    });
    program = tenon::program("argmax", {x}, {first, last});
  }
};

// Rows full of ties: all equal, two values, the report's row, one maximum at the end.
float tied(int64_t row, int64_t j, int64_t n) {
  constexpr float kReport[] = {1, 4, 4, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0};
  switch (row) {
    case 0: return 7;
    case 1: return static_cast<float>(j % 2);
    case 2: return kReport[j % 20];
    default: return j == n - 1 ? 1.0f : 0.0f;
  }
}

// `nothing` are the indices in a row without elements.
auto tied_rows(int64_t nothing_first, int64_t nothing_last) {
  return [=](int64_t length) {
    Array in(f32, {4, length});
    std::vector<int64_t> first(4, length), last(4, -1);
    for (int64_t row = 0; row < 4; ++row) {
      float top = -std::numeric_limits<float>::infinity();
      for (int64_t j = 0; j < length; ++j) {
        const float value = tied(row, j, length);
        in.set_bits(row * length + j, std::bit_cast<uint32_t>(value));
        auto& f = first[static_cast<size_t>(row)];
        auto& l = last[static_cast<size_t>(row)];
        if (value > top) f = j;
        if (value >= top) l = j;
        top = std::max(top, value);
      }
    }
    if (length == 0) {
      first.assign(4, nothing_first);
      last.assign(4, nothing_last);
    }
    return CaseData{{in}, {Array::of<int64_t>({4}, first), Array::of<int64_t>({4}, last)}};
  };
}

TEST_CASE("D15: of equal elements the first or the last index, as asked") {
  const ArgMax argmax;
  Everywhere e;
  e.program = argmax.program;
  e.length = argmax.n;
  e.schedule = reduce_in_lanes({"top", "first", "last"});
  e.data = tied_rows(INT64_MAX, INT64_MIN);  // the identities of min and max over i64
  e.run();
}

TEST_CASE("D15: the same in one pass over the rows") {
  const Size n("n");
  const Tensor x = input("x", f32, {4, n});
  const Tensor first =
      compute("first", {4}, [&](Expr i) { return argmax(n, [&](Expr j) { return x(i, j); }); });
  const Tensor last = compute("last", {4}, [&](Expr i) {
    return argmax(
        n, [&](Expr j) { return x(i, j); }, Tie::kLast);
  });
  Everywhere e;
  e.program = program("argmax", {x}, {first, last});
  e.length = n;
  e.schedule = reduce_in_lanes({"first", "last"});
  e.data = tied_rows(-1, -1);
  e.run();
}

TEST_CASE("D15: the report's row, and columns of a matrix with ties") {
  Jit jit;
  const ArgMax argmax;
  std::vector<float> rows(4 * 20);
  for (int64_t i = 0; i < 80; ++i) rows[static_cast<size_t>(i)] = tied(2, i % 20, 20);
  std::vector<int64_t> first(4), last(4);
  REQUIRE((*jit.compile(argmax.program))({View(rows.data(), {4, 20})},
                                         {View(first.data(), {4}), View(last.data(), {4})})
              .ok());
  CHECK(first[0] == 1);
  CHECK(last[0] == 17);

  const Tensor x = input("x", f32, {10, 10});
  const Tensor top =
      compute("top", {10}, [&](Expr j) { return max_over(10, [&](Expr i) { return x(i, j); }); });
  const Tensor row = compute("row", {10}, [&](Expr j) {
    return min_over(10, [&](Expr i) { return select(x(i, j) == top(j), i, 10); });
  });
  const Program columns = program("columns", {x}, {row});
  std::vector<float> matrix(100);
  std::vector<int64_t> expected(10), got(10);
  for (size_t i = 0; i < 100; ++i) matrix[i] = static_cast<float>((i / 10 * 3 + i % 10) % 4);
  for (size_t j = 0; j < 10; ++j) {
    size_t best = 0;
    for (size_t i = 1; i < 10; ++i) {
      if (matrix[10 * i + j] > matrix[10 * best + j]) best = i;
    }
    expected[j] = static_cast<int64_t>(best);
  }
  for (const int64_t lanes : {1, 4, 8, 16}) {
    for (const bool over_rows : {false, true}) {
      Schedule s(columns);
      for (const char* stage : {"top", "row"}) {
        const Loop loop = over_rows ? s.all_loops(stage).back() : s.loops(stage)[0];
        const auto [outer, inner] = s.split(loop, lanes);
        if (over_rows) s.vectorize(inner);
        if (!over_rows) s.parallelize(outer);
      }
      const absl::StatusOr<Kernel> kernel = jit.compile(s);
      INFO(s.program() << kernel.status());
      REQUIRE(kernel.ok());
      REQUIRE((*kernel)({View(matrix.data(), {10, 10})}, {View(got.data(), {10})}).ok());
      CHECK(got == expected);
    }
  }
}

// --- D16.

TEST_CASE("D16: an empty axis gives the identity") {
  const Size m("m"), k("k"), n("n");
  const Tensor x = input("x", f32, {m, k, n});
  const auto over_k = [&](auto&& reduce, const char* name) {
    return compute(name, {m, n},
                   [&](Expr i, Expr j) { return reduce(k, [&](Expr r) { return x(i, r, j); }); });
  };
  const Tensor sums = over_k([](auto... a) { return sum(a...); }, "sums");
  const Tensor products = over_k([](auto... a) { return prod(a...); }, "products");
  const Tensor highest = over_k([](auto... a) { return max_over(a...); }, "highest");
  const Tensor lowest = over_k([](auto... a) { return min_over(a...); }, "lowest");
  const Tensor log_sum = compute("log_sum", {m, n}, [&](Expr i, Expr j) {
    return log(sum(k, [&](Expr r) { return exp(x(i, r, j)); }));
  });
  // A mean divides by 0: NaN, as in numpy.
  const Tensor mean = compute("mean", {m, n}, [&](Expr i, Expr j) {
    return sum(k, [&](Expr r) { return x(i, r, j); }) / cast(f32, k);
  });
  const float inf = std::numeric_limits<float>::infinity();
  Everywhere e;
  e.program = program("empty", {x}, {sums, products, highest, lowest, log_sum, mean});
  e.length = n;
  e.sizes = {{m, 2}};
  e.data = [&](int64_t length) {
    const auto all = [&](float value) {
      return Array::of<float>({2, length},
                              std::vector<float>(static_cast<size_t>(2 * length), value));
    };
    return CaseData{{Array(f32, {2, 0, length})},
                    {all(0), all(1), all(-inf), all(inf), all(-inf), all(std::nanf(""))}};
  };
  e.difference = [](const Array& expected, const Array& got) {
    return test::difference_in_ulp(expected, got, 0);  // -0 is 0
  };
  e.run();  // k stays symbolic
  e.sizes = {{m, 2}, {k, 0}};
  e.constant = false;
  e.run();
}

TEST_CASE("D16: all of an empty tensor, and integers") {
  const Size n("n");
  const Tensor x = input("x", i32, {n});
  const Tensor y = compute("y", {1}, [&](Expr) { return sum(n, [&](Expr r) { return x(r); }); });
  const Tensor z =
      compute("z", {1}, [&](Expr) { return max_over(n, [&](Expr r) { return x(r); }); });
  const Tensor w =
      compute("w", {1}, [&](Expr) { return min_over(n, [&](Expr r) { return x(r); }); });
  Jit jit;
  int32_t sum_out = 5, max_out = 5, min_out = 5;
  const absl::Status status = (*jit.compile(program("empty", {x}, {y, z, w})))(
      {View(static_cast<int32_t*>(nullptr), {0})},
      {View(&sum_out, {1}), View(&max_out, {1}), View(&min_out, {1})});
  INFO(status);
  CHECK(status.ok());
  CHECK(sum_out == 0);
  CHECK(max_out == std::numeric_limits<int32_t>::min());
  CHECK(min_out == std::numeric_limits<int32_t>::max());
}

}  // namespace
}  // namespace tenon
