// Against Eigen, whose results come from other code for other loops. The data are small integers,
// so that every order of accumulation gives the same bits.
#include <Eigen/Core>
#include <catch2/catch.hpp>
#include <random>

#include "support/native.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Matrix<T> random_matrix(int64_t rows, int64_t columns, uint32_t seed) {
  std::mt19937 random(seed);
  return Matrix<T>::NullaryExpr(
      rows, columns, [&] { return static_cast<T>(static_cast<int>(random() % 15) - 7); });
}

template <class T>
View view_of(Matrix<T>& m) {
  return View(m.data(), {m.rows(), m.cols()});
}

// Every other column of a larger matrix: no stride is 1.
template <class T>
struct Strided {
  Matrix<T> memory;
  View view;
  explicit Strided(const Matrix<T>& from) : memory(from.rows(), 2 * from.cols() + 1) {
    memory.setConstant(T(99));
    for (int64_t j = 0; j < from.cols(); ++j) memory.col(2 * j) = from.col(j);
    view = View(memory.data(), {from.rows(), from.cols()}, {memory.cols(), 2});
  }
};

struct Shape {
  int64_t m, n, k;
};
constexpr Shape kShapes[] = {{1, 1, 1},    {3, 5, 7}, {13, 29, 17}, {16, 64, 32}, {31, 33, 1},
                             {65, 100, 9}, {0, 4, 3}, {4, 0, 3},    {4, 6, 0}};

template <class T>
void check_products(Type type) {
  const Size m("m"), n("n"), k("k");
  const Tensor x = input("x", type, {m, k}), w = weight("w", type, {n, k});
  const Tensor product = compute("product", {m, n}, [&](Expr i, Expr j) {
    return sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
  });
  const Tensor out = compute("out", {m, n}, [&](Expr i, Expr j) { return max(product(i, j), 0); });
  const Program p = program("product_relu", {x, w}, {out});
  for (const Target& target : test::native_targets()) {
    JitOptions options;
    options.target = target;
    Jit jit(options);
    for (const Shape& shape : kShapes) {
      INFO(to_string(type) << " " << target.to_string() << " " << shape.m << "x" << shape.n << "x"
                           << shape.k);
      Matrix<T> a = random_matrix<T>(shape.m, shape.k, 1),
                b = random_matrix<T>(shape.n, shape.k, 2);
      const Matrix<T> expected = (a * b.transpose()).cwiseMax(T(0));
      for (const bool tiled : {false, true}) {
        Schedule s(p, {{m, shape.m}, {n, shape.n}, {k, shape.k}});
        if (tiled) {
          const auto [i, j] = s.loops<2>("out");
          const auto [rows, columns] = target.matmul_tile(type);
          s.register_tile("product", {i, j}, {rows, columns});
        }
        const absl::StatusOr<Kernel> kernel = jit.compile(s);
        REQUIRE(kernel.ok());
        const absl::StatusOr<Packed> packed = kernel->pack("w", view_of(b));
        REQUIRE(packed.ok());
        Matrix<T> result = Matrix<T>::Constant(shape.m, shape.n, T(-1));
        REQUIRE((*kernel)({view_of(a), *packed}, {view_of(result)}).ok());
        CHECK(result == expected);
      }
    }
  }
}

TEST_CASE("products with relu agree with Eigen at every level, whole and ragged") {
  check_products<float>(f32);
  check_products<double>(f64);
  check_products<int32_t>(i32);
}

TEST_CASE("elementwise chains and column sums of strided views agree with Eigen") {
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m, n}), y = input("y", f32, {m, n}), b = input("b", f32, {n});
  const Tensor chain = compute(
      "chain", {m, n}, [&](Expr i, Expr j) { return max(x(i, j) * 2.0f - y(i, j), -4.0f) + b(j); });
  const Tensor columns =
      compute("columns", {n}, [&](Expr j) { return sum(m, [&](Expr i) { return chain(i, j); }); });
  const Program p = program("chain", {x, y, b}, {chain, columns});
  for (const Target& target : test::native_targets()) {
    JitOptions options;
    options.target = target;
    Jit jit(options);
    for (const Shape& shape : kShapes) {
      INFO(target.to_string() << " " << shape.m << "x" << shape.n);
      const Matrix<float> a = random_matrix<float>(shape.m, shape.n, 3);
      const Matrix<float> c = random_matrix<float>(shape.m, shape.n, 4);
      Matrix<float> row = random_matrix<float>(1, shape.n, 5);
      Matrix<float> expected = (a * 2 - c).cwiseMax(-4.0f);
      for (int64_t i = 0; i < shape.m; ++i) expected.row(i) += row;
      const Matrix<float> sums = expected.colwise().sum();
      Schedule s(p, {{m, shape.m}, {n, shape.n}});
      const auto [i, j] = s.loops<2>("chain");
      const auto [jo, ji] = s.split(j, target.lanes(f32));
      s.vectorize(ji);
      (void)i, (void)jo;
      const absl::StatusOr<Kernel> kernel = jit.compile(
          s, {.strides = {{"x", StrideClass::kGeneral}, {"chain", StrideClass::kGeneral}}});
      INFO(kernel.status());
      REQUIRE(kernel.ok());
      Strided<float> in(a), out(Matrix<float>::Zero(shape.m, shape.n));
      Matrix<float> other = c, totals(1, shape.n);
      REQUIRE((*kernel)({in.view, view_of(other), View(row.data(), {shape.n})},
                        {out.view, View(totals.data(), {shape.n})})
                  .ok());
      for (int64_t column = 0; column < out.memory.cols(); ++column) {
        if (column % 2 == 0 && column / 2 < shape.n) {
          CHECK(out.memory.col(column) == expected.col(column / 2));
        } else {
          CHECK((out.memory.col(column).array() == 99.0f).all());  // between the elements
        }
      }
      CHECK((totals.array() == sums.array()).all());
    }
  }
}

}  // namespace
}  // namespace tenon
