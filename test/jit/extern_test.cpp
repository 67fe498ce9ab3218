// C functions in the middle of Programs: a product by Eigen between a bias and a relu.
#include <Eigen/Core>
#include <atomic>
#include <catch2/catch.hpp>
#include <random>
#include <sstream>

#include "jit/programs.h"
#include "support/check.h"
#include "support/native.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using test::message;

using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Mapped = Eigen::Map<Rows, Eigen::Unaligned, Strides>;

// A part of two dimensions, or of one: then a row.
Mapped matrix(const tenon_array& a) {
  const bool is_row = a.rank == 1;
  return Mapped(static_cast<float*>(a.data), is_row ? 1 : a.shape[0], a.shape[is_row ? 0 : 1],
                Strides(is_row ? 0 : a.strides[0], a.strides[is_row ? 0 : 1]));
}

// y = x * w^T. `user` counts the calls.
int32_t product(void* user, const tenon_array* arrays, int32_t count) {
  if (count != 3 || arrays[0].bits != 32) return 1;
  static_cast<std::atomic<int>*>(user)->fetch_add(1);
  Mapped y = matrix(arrays[0]);
  const Mapped x = matrix(arrays[1]), w = matrix(arrays[2]);
  if (x.cols() != w.cols() || y.rows() != x.rows() || y.cols() != w.rows()) return 2;
  y.setZero();
  if (x.cols() > 0) y += x * w.transpose();
  return 0;
}

int32_t failing(void* user, const tenon_array*, int32_t) { return *static_cast<int32_t*>(user); }

// out = relu((x + b) * w^T).
struct Fused {
  Size m{"m"}, n{"n"}, k{"k"};
  std::atomic<int> calls{0};
  ExternFunction gemm{"gemm", &product, &calls};
  Program program;

  explicit Fused(bool by_rows) {
    const Tensor x = input("x", f32, {m, k}), b = input("b", f32, {k}), w = input("w", f32, {n, k});
    const Tensor biased = compute("biased", {m, k}, [&](Expr i, Expr r) { return x(i, r) + b(r); });
    const ExternResult result{"y", f32, {m, n}};
    const auto rows = [](Expr i) -> Parts {
      return {.writes = {{i, kWhole}}, .reads = {{i, kWhole}, {kWhole, kWhole}}};
    };
    const Tensor y = by_rows ? extern_call(gemm, result, {biased, w}, m, rows)
                             : extern_call(gemm, result, {biased, w});
    const Tensor out = compute("out", {m, n}, [&](Expr i, Expr j) { return max(y(i, j), 0.0f); });
    program = test::checked(tenon::program("fused", {x, b, w}, {out}));
  }
};

struct Data {
  int64_t m, n, k;
  std::vector<float> x, b, w, out, expected;
  Data(int64_t rows, int64_t columns, int64_t depth) : m(rows), n(columns), k(depth) {
    std::mt19937 random(7);
    const auto fill = [&](std::vector<float>& v, int64_t size) {
      v.resize(static_cast<size_t>(size));
      for (float& e : v) e = static_cast<float>(static_cast<int>(random() % 15) - 7);
    };
    fill(x, m * k), fill(b, k), fill(w, n * k);
    out.assign(static_cast<size_t>(m * n), -1.0f);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t r = 0; r < k; ++r) {
          sum += (x[static_cast<size_t>(i * k + r)] + b[static_cast<size_t>(r)]) *
                 w[static_cast<size_t>(j * k + r)];
        }
        expected.push_back(std::max(sum, 0.0f));
      }
    }
  }
  absl::Status call(const Kernel& kernel) {
    return kernel({View(x.data(), {m, k}), View(b.data(), {k}), View(w.data(), {n, k})},
                  {View(out.data(), {m, n})});
  }
};

constexpr int64_t kShapes[][3] = {{1, 1, 1}, {3, 5, 7}, {16, 33, 8},
                                  {0, 4, 3}, {4, 0, 3}, {4, 6, 0}};

TEST_CASE("A product by a library between two nests, whole and by rows, at every level") {
  for (const bool by_rows : {false, true}) {
    Fused f(by_rows);
    for (const Target& target : test::native_targets()) {
      JitOptions options;
      options.target = target;
      Jit jit(options);
      const Kernel symbolic = test::compiled(jit, f.program);
      for (const auto& shape : kShapes) {
        INFO(target.to_string() << " " << shape[0] << "x" << shape[1] << "x" << shape[2]);
        Data d(shape[0], shape[1], shape[2]);
        f.calls = 0;
        REQUIRE(message(d.call(symbolic)) == "");
        CHECK(d.out == d.expected);
        CHECK(f.calls == (by_rows ? d.m : 1));
        d.out.assign(d.out.size(), -1.0f);
        const Kernel constant =
            test::compiled(jit, f.program, {{f.m, d.m}, {f.n, d.n}, {f.k, d.k}});
        REQUIRE(message(d.call(constant)) == "");
        CHECK(d.out == d.expected);
      }
    }
  }
}

TEST_CASE("Nests join the loop over the calls, which runs in parallel") {
  Fused f(true);
  Schedule s(f.program);
  const std::vector<Loop> calls = s.all_loops("y"), relu = s.all_loops("out");
  REQUIRE(calls.size() == 1);
  const Loop rows = s.merge(calls[0], relu[0]);
  REQUIRE(message(s.status()) == "");
  s.compute_at("biased", rows);
  REQUIRE(message(s.status()) == "");
  s.parallelize(rows);
  REQUIRE(message(s.status()) == "");
  test::checked(s.program());
  CHECK(print(s.program()->body, s.program()) == R"(alloc y: f32[m, n]
parallel for r in 0..m {
  alloc biased: f32[1, k]
  for i in 0..1 {
    for j in 0..k {
      biased[i, j] = x[i + r, j] + b[j]
    }
  }
  call gemm(out y[r, 0..n], biased[0, 0..k], w[0..n, 0..k])
  for j_1 in 0..n {
    out[r, j_1] = max(y[r, j_1], 0.0)
  }
}
)");
  for (const Target& target : test::native_targets()) {
    JitOptions options;
    options.target = target;
    Jit jit(options);
    const Kernel kernel = test::compiled(jit.compile(s));
    for (const auto& shape : kShapes) {
      Data d(shape[0], shape[1], shape[2]);
      REQUIRE(message(d.call(kernel)) == "");
      CHECK(d.out == d.expected);
    }
  }
}

TEST_CASE("The status of a function ends the call, with its name") {
  const Size n("n");
  int32_t status = 0;
  const ExternFunction f{"vendor_sort", &failing, &status};
  const Tensor x = input("x", f32, {n});
  const auto element = [](Expr i) -> Parts { return {.writes = {{i}}, .reads = {{i}}}; };
  const Program p =
      test::checked(program("p", {x}, {extern_call(f, {"y", f32, {n}}, {x}, n, element)}));
  for (const bool parallel : {false, true}) {
    Schedule s(p);
    if (parallel) s.parallelize(s.all_loops("y")[0]);
    Jit jit;
    const Kernel kernel = test::compiled(jit.compile(s));
    std::vector<float> in = {1, 2, 3}, out = {4, 5, 6};
    status = 0;
    CHECK(message(kernel({View(in.data(), {3})}, {View(out.data(), {3})})) == "");
    status = -7;
    const absl::Status failed = kernel({View(in.data(), {3})}, {View(out.data(), {3})});
    CHECK(failed.code() == absl::StatusCode::kAborted);
    CHECK(message(failed) == "kernel p: extern function vendor_sort returned -7");
  }
  Array in = Array::of<float>({1}, {1}), out(f32, {1});
  const absl::Status failed = interpret(p, {}, {&in, &out});
  CHECK(failed.code() == absl::StatusCode::kAborted);
  CHECK(message(failed) ==
        "extern function vendor_sort returned -7, in: call vendor_sort(out y[r], x[r])");
}

TEST_CASE("Kernels of other functions, and of functions with other data, are other kernels") {
  const Size n("n");
  int32_t a = 0, b = 3;
  const Tensor x = input("x", f32, {n});
  const auto compiled = [&](Jit& jit, const ExternFunction& f) {
    return test::compiled(jit,
                          test::checked(program("p", {x}, {extern_call(f, {"y", f32, {n}}, {x})})));
  };
  Jit jit;
  std::vector<float> in = {1}, out = {0};
  const auto call = [&](const Kernel& kernel) {
    return message(kernel({View(in.data(), {1})}, {View(out.data(), {1})}));
  };
  CHECK(call(compiled(jit, {"f", &failing, &a})) == "");
  CHECK(call(compiled(jit, {"f", &failing, &b})) == "kernel p: extern function f returned 3");
  CHECK(jit.stats().misses == 2);
  CHECK(call(compiled(jit, {"f", &failing, &a})) == "");
  CHECK(jit.stats().misses == 2);
  // A text has the name only.
  const Program p = test::checked(
      program("p", {x}, {extern_call(ExternFunction{"f", &failing, &a}, {"y", f32, {n}}, {x})}));
  const Program unbound = *parse(print(p));
  CHECK_FALSE(structurally_equal(p, unbound));
  CHECK(structurally_equal(p, *parse(print(p), {{"f", &failing, &a}})));
  CHECK(message(jit.compile(Schedule(unbound)).status()) ==
        "extern function f is bound to no function of this process: parse() takes those that a "
        "text calls");
  Array from = Array::of<float>({1}, {1}), to(f32, {1});
  CHECK(message(interpret(unbound, {}, {&from, &to})) ==
        "extern function f is bound to no function of this process, in: call f(out y[0..n], "
        "x[0..n])");
}

TEST_CASE("What a function does is not counted among the operations of a kernel") {
  Fused f(true);
  Jit jit;
  const Kernel kernel = test::compiled(jit, f.program, {{f.m, 2}, {f.n, 3}, {f.k, 4}});
  const absl::StatusOr<Explanation> e = kernel.explain();
  REQUIRE(e.ok());
  CHECK(e->operations == 2 * 4 + 2 * 3);
  CHECK(e->calls == std::vector<std::string>{"gemm"});
  std::ostringstream text;
  text << *e;
  CHECK_THAT(text.str(), Catch::Contains("  not counted: what gemm does when called\n"));
}

TEST_CASE("A function gets any strides of an argument") {
  Fused f(true);
  Jit jit;
  Data d(3, 4, 2);
  std::vector<float> transposed(d.w.size());
  for (int64_t j = 0; j < d.n; ++j) {
    for (int64_t r = 0; r < d.k; ++r) {
      transposed[static_cast<size_t>(r * d.n + j)] = d.w[static_cast<size_t>(j * d.k + r)];
    }
  }
  const Function call = function(f.program, [](Schedule&, const Sizes&) {});
  REQUIRE(message(jit.call(call,
                           {View(d.x.data(), {d.m, d.k}), View(d.b.data(), {d.k}),
                            View(transposed.data(), {d.n, d.k}, {1, d.n})},
                           {View(d.out.data(), {d.m, d.n})})) == "");
  CHECK(d.out == d.expected);
}

}  // namespace
}  // namespace tenon
