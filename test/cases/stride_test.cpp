// Strides.
//
// D12, uxlfoundation/oneDNN PR 3060: a matrix product with padded rows read the padding when the
//   depth was no multiple of the step.
// D13, pytorch/pytorch#99803: the stride of a dimension of size 1 was rewritten, and two libraries
//   then disagreed on whether the tensor is contiguous.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "cases/everywhere.h"
#include "support/guard_buffer.h"
#include "support/native.h"

namespace tenon {
namespace {

using test::GuardBuffer;

struct Product {
  Size m{"m"}, n{"n"}, k{"k"};
  Program program;
  Product() {
    const Tensor a = input("a", f32, {m, k}), b = input("b", f32, {k, n});
    const Tensor sums = compute("sums", {m, n}, [&](Expr i, Expr j) {
      return sum(k, [&](Expr r) { return a(i, r) * b(r, j); });
    });
    const Tensor c = compute("c", {m, n}, [&](Expr i, Expr j) { return sums(i, j) + 0.0f; });
    program = tenon::program("product", {a, b}, {c});
  }
};

// Rows of `columns` values that stand `stride` apart, NaN between them, and nothing behind the
// last.
struct Rows {
  int64_t rows, columns, stride;
  GuardBuffer memory;
  Rows(int64_t r, int64_t c, int64_t s)
      : rows(r),
        columns(c),
        stride(s),
        memory(static_cast<size_t>(r == 0 ? 0 : (r - 1) * s + c) * sizeof(float)) {
    for (size_t i = 0; i < memory.bytes() / sizeof(float); ++i) data()[i] = std::nanf("");
  }
  float* data() const { return reinterpret_cast<float*>(memory.data()); }
  float& at(int64_t i, int64_t j) const { return data()[i * stride + j]; }
  View view() const { return View(data(), {rows, columns}, {stride, 1}); }
};

void fill(const Rows& rows, int64_t step) {
  for (int64_t i = 0; i < rows.rows; ++i) {
    for (int64_t j = 0; j < rows.columns; ++j) {
      rows.at(i, j) = static_cast<float>((i * step + j) % 9 - 4);
    }
  }
}

bool right(const Rows& a, const Rows& b, const Rows& c) {
  bool good = true;
  for (int64_t i = 0; i < c.rows; ++i) {
    for (int64_t j = 0; j < c.columns; ++j) {
      float sum = 0;
      for (int64_t r = 0; r < a.columns; ++r) sum += a.at(i, r) * b.at(r, j);
      good &= c.at(i, j) == sum;
    }
    for (int64_t j = c.columns; i + 1 < c.rows && j < c.stride; ++j) good &= std::isnan(c.at(i, j));
  }
  return good;
}

using Scheduler = std::function<void(Schedule&)>;

void check_product(Jit& jit, const Product& p, int64_t m, int64_t n, int64_t k, int64_t padding,
                   const Scheduler& scheduler) {
  const Function f = function(p.program, [&](Schedule& s, const Sizes&) { scheduler(s); });
  const Rows a(m, k, k + padding), b(k, n, n + padding), c(m, n, n + padding);
  fill(a, 5);
  fill(b, 7);
  const absl::Status status = jit.call(f, {a.view(), b.view()}, {c.view()});
  INFO(m << "x" << n << "x" << k << ", padding " << padding << ": " << status);
  REQUIRE(status.ok());
  REQUIRE(right(a, b, c));
}

TEST_CASE("D12: padding between rows is neither read nor written") {
  const Product p;
  for (const Target& target : test::native_targets()) {
    JitOptions options;
    options.target = target;
    Jit jit(options);
    for (const int64_t lanes : {1, 4, 8, 16}) {
      const auto columns = [&](Schedule& s) {
        for (const char* stage : {"sums", "c"}) test::vectorize_stage(s, stage, lanes, false);
      };
      const auto depth = [&](Schedule& s) {
        s.vectorize(s.split(s.all_loops("sums").back(), lanes).second);
        s.parallelize(s.loops("c")[0]);
      };
      const auto tile = [&](Schedule& s) {
        const auto [i, j] = s.loops<2>("c");
        s.register_tile("sums", {i, j}, {3, 2 * lanes});
      };
      for (const Scheduler& scheduler : {Scheduler(columns), Scheduler(depth), Scheduler(tile)}) {
        for (const int64_t size : {int64_t{1}, lanes - 1, lanes + 1, 3 * lanes + 1}) {
          if (size == 0) continue;
          check_product(jit, p, 2, 3, size, 1, scheduler);
          check_product(jit, p, 4, size, 3, 5, scheduler);
        }
      }
    }
    const auto tile = [&](Schedule& s) {
      const auto [i, j] = s.loops<2>("c");
      s.register_tile("sums", {i, j}, {6, 32});
    };
    check_product(jit, p, 20, 108, 36, 28, tile);
  }
}

TEST_CASE("D12: the report's own numbers") {
  const float nan = std::nanf("");
  const float a[] = {1, 2, 3, nan, 4, 5, 6, nan}, b[] = {1, 0, 0, 1, 1, 1};
  float c[4] = {};
  Jit jit;
  const Product p;
  REQUIRE(
      jit.call(function(p.program), {View(a, {2, 3}, {4, 1}), View(b, {3, 2})}, {View(c, {2, 2})})
          .ok());
  CHECK(std::vector<float>(c, c + 4) == std::vector<float>{4, 5, 10, 11});
}

// --- D13.

TEST_CASE("D13: strides of dimensions of size 1 change nothing, wherever they are") {
  const Size a("a"), b("b"), c("c");
  const Tensor x = input("x", i32, {a, b, c});
  const Function f = function(
      program("plus_one", {x}, {compute("y", {a, b, c}, [&](Index i) { return x(i) + 1; })}));
  constexpr int64_t kOdd[] = {77, 1, 999, 0, -3, INT64_MAX, INT64_MIN};
  std::vector<int32_t> in(77), out(77), expected(77);
  std::iota(in.begin(), in.end(), 0);
  std::iota(expected.begin(), expected.end(), 1);
  for (int place = 0; place < 3; ++place) {
    Jit jit;
    std::vector<int64_t> shape(3, 1);
    shape[static_cast<size_t>(place)] = 77;
    for (const int64_t first : kOdd) {
      for (const int64_t second : kOdd) {
        std::vector<int64_t> strides = {first, second};
        strides.insert(strides.begin() + place, 1);
        for (const bool odd_output : {false, true}) {
          const View X(in.data(), i32, shape, strides);
          const View Y =
              odd_output ? View(out.data(), i32, shape, strides) : View(out.data(), i32, shape);
          std::fill(out.begin(), out.end(), -1);
          const absl::Status status = jit.call(f, {X}, {Y});
          INFO(X.to_string() << ": " << status);
          REQUIRE(status.ok());
          REQUIRE(out == expected);
        }
      }
    }
    CHECK(jit.stats().compiles == 1);
  }
}

TEST_CASE("D13: one element in eight dimensions, any strides") {
  Jit jit;
  const Tensor x = input("x", i32, std::vector<Expr>(8, Expr(1)));
  const Tensor y = compute("y", std::vector<Expr>(8, Expr(1)), [&](Index i) { return x(i) + 1; });
  const Function f = function(program("plus_one", {x}, {y}));
  const std::vector<int64_t> shape(8, 1), odd = {0, -1, 99, INT64_MIN, 5, INT64_MAX, 1, -7};
  int32_t in = 41, out = 0;
  CHECK(jit.call(f, {View(&in, i32, shape, odd)}, {View(&out, i32, shape)}).ok());
  CHECK(jit.call(f, {View(&in, i32, shape)}, {View(&out, i32, shape, odd)}).ok());
  CHECK(out == 42);
  CHECK(jit.stats().compiles == 1);
}

}  // namespace
}  // namespace tenon
