// kernel.pack: weights in the layout that a schedule gave them.
#include <atomic>
#include <catch2/catch.hpp>
#include <numeric>
#include <thread>

#include "jit/programs.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using test::compiled;
using test::LinearData;
using test::LinearRelu;
using test::message;
using test::Scale;

Jit& jit() {
  static Jit jit;
  return jit;
}

alignas(64) float memory[256];

TEST_CASE("pack reads a logical view with any strides") {
  const LinearRelu linear;
  LinearData data(5, 40, 6);
  const Kernel kernel = compiled(jit().compile(linear.scheduled(5, 40, 6)));
  std::vector<float> transposed(data.w.size()), padded(40 * 9, NAN);
  for (size_t j = 0; j < 40; ++j) {
    for (size_t r = 0; r < 6; ++r) {
      transposed[r * 40 + j] = padded[j * 9 + r] = data.w[j * 6 + r];
    }
  }
  for (const View& view : {data.W(), View(transposed.data(), {40, 6}, {1, 40}),
                           View(padded.data(), {40, 6}, {9, 1})}) {
    const absl::StatusOr<Packed> packed = kernel.pack("w", view);
    INFO(packed.status());
    REQUIRE(packed.ok());
    std::fill(data.out.begin(), data.out.end(), -1.0f);
    CHECK(kernel({data.X(), *packed, data.B()}, {data.Out()}).ok());
    CHECK(data.right());
  }
}

TEST_CASE("the packed form is aligned and padded with zeros") {
  LinearData data(5, 40, 6);
  const Kernel kernel = compiled(jit().compile(LinearRelu().scheduled(5, 40, 6)));
  const Packed packed = *kernel.pack("w", data.W());
  CHECK(packed.view().to_string() == "f32[2, 6, 32]");
  CHECK(reinterpret_cast<uintptr_t>(packed.view().data()) % 64 == 0);
  const float* values = static_cast<const float*>(packed.view().data());
  for (int64_t j = 0; j < 64; ++j) {
    for (int64_t r = 0; r < 6; ++r) {
      const float expected = j < 40 ? data.w[static_cast<size_t>(j * 6 + r)] : 0;
      REQUIRE(values[(j / 32 * 6 + r) * 32 + j % 32] == expected);
    }
  }
}

TEST_CASE("a layout may rely on what the Program requires, and so does packing") {
  const Size k("k");
  const Tensor w = weight("w", f32, {k});
  const Tensor y = compute("y", {k}, [&](Expr i) { return w(i); });
  Schedule s(program("few", {w}, {y}));
  s.assume(Expr(k) < 4);
  s.set_layout("w", [](Index i) { return Index{i[0] / 3, i[0] % 3}; });  // stored as w[1, k]
  const Kernel kernel = compiled(jit().compile(s));
  std::vector<float> values = {1, 2, 3, 4}, out(4);
  for (const int64_t n : {0, 1, 3}) {
    const absl::StatusOr<Packed> packed = kernel.pack("w", View(values.data(), {n}));
    INFO(packed.status());
    REQUIRE(packed.ok());
    std::fill(out.begin(), out.end(), -1.0f);
    REQUIRE(kernel({*packed}, {View(out.data(), {n})}).ok());
    for (int64_t i = 0; i < n; ++i) CHECK(out[static_cast<size_t>(i)] == static_cast<float>(i + 1));
  }
  CHECK(message(kernel.pack("w", View(values.data(), {4})).status()) ==
        "kernel pack_w: the requirement k < 4 does not hold with k = 4");
}

TEST_CASE("weights of one kernel may be packed in any order, from many threads") {
  const Size n("n");
  const Tensor a = weight("a", f32, {n, 4}), b = weight("b", f32, {4, n});
  const Tensor y = compute("y", {n}, [&](Expr i) { return a(i, 0) + b(0, i); });
  Schedule s(program("two", {a, b}, {y}), {{n, 6}});
  s.set_layout("a", [](Index i) { return Index{i[1], i[0]}; });
  const Kernel kernel = compiled(jit().compile(s));
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 0.0f);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 6; ++i) {
        const bool first = (t + i) % 3 != 0;
        const absl::StatusOr<Packed> packed =
            kernel.pack(first ? "a" : "b",
                        first ? View(values.data(), {6, 4}) : View(values.data(), {4, 6}, {1, 4}));
        if (!packed.ok()) {
          ++wrong;
          continue;
        }
        // Both store [4, 6] with element [j, i] = values[4 * i + j].
        const float* stored = static_cast<const float*>(packed->view().data());
        for (int j = 0; j < 24; ++j) {
          wrong += stored[j] != values[static_cast<size_t>(j % 6 * 4 + j / 6)];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a weight without a layout of its own is copied, and stays a plain view too") {
  const LinearRelu linear;
  LinearData data(3, 4, 5);
  const Kernel kernel =
      compiled(jit().compile(linear.program, {{linear.m, 3}, {linear.n, 4}, {linear.k, 5}}));
  const Packed packed = *kernel.pack("w", data.W());
  CHECK(packed.layout() == 0);
  CHECK(packed.bytes() == data.w.size() * sizeof(float));
  CHECK(kernel({data.X(), packed, data.B()}, {data.Out()}).ok());
  CHECK(data.right());
  CHECK(kernel({data.X(), data.W(), data.B()}, {data.Out()}).ok());
}

TEST_CASE("a packed weight serves kernels with the same layout and no other") {
  const LinearRelu linear;
  LinearData small(3, 40, 6), large(9, 40, 6), deeper(3, 40, 8);
  const Kernel a = compiled(jit().compile(linear.scheduled(3, 40, 6)));
  const Kernel b = compiled(jit().compile(linear.scheduled(9, 40, 6)));
  const Kernel other = compiled(jit().compile(linear.scheduled(3, 40, 8)));
  const Packed packed = *a.pack("w", small.W());
  CHECK(b({large.X(), packed, large.B()}, {large.Out()}).ok());
  CHECK(large.right());
  CHECK(message(other({deeper.X(), packed, deeper.B()}, {deeper.Out()})) ==
        "kernel linear_relu: argument w (input 1): this weight was packed for another kernel or "
        "schedule: make one with kernel.pack(\"w\", view)");
  CHECK(
      message(a({small.X(), small.W(), small.B()}, {small.Out()})) ==
      "kernel linear_relu: argument w (input 1): expected packed f32[40, 6], got f32[40, 6]: make "
      "one with kernel.pack(\"w\", view)");
  const Kernel plain =
      compiled(jit().compile(linear.program, {{linear.m, 3}, {linear.n, 40}, {linear.k, 6}}));
  CHECK(message(plain({small.X(), packed, small.B()}, {small.Out()})) ==
        "kernel linear_relu: argument w (input 1): expected f32[40, 6], got a packed weight: pass "
        "the plain view");
}

TEST_CASE("what cannot be packed is refused") {
  LinearData data(5, 40, 6);
  const Kernel kernel = compiled(jit().compile(LinearRelu().scheduled(5, 40, 6)));
  const auto refusal = [&](std::string_view name, const View& view) {
    return message(kernel.pack(name, view).status());
  };
  CHECK(refusal("v", data.W()) == "kernel linear_relu has no weight named v; its weights are w");
  CHECK(refusal("x", data.X()) ==
        "kernel linear_relu: x is passed as it is; only what was declared with weight(...) is "
        "packed; its weights are w");
  CHECK(refusal("w", View(data.w.data(), {6, 40})) ==
        "kernel pack_w: argument w (input 0): expected f32[40, 6], got f32[6, 40]: dimension 0 "
        "differs");
  CHECK(refusal("w", View(data.w.data(), {240})) ==
        "kernel pack_w: argument w (input 0): expected f32[40, 6], got f32[240]: the rank differs");
  CHECK(
      refusal("w", View(reinterpret_cast<double*>(memory), {40, 6})) ==
      "kernel pack_w: argument w (input 0): expected f32[40, 6], got f64[40, 6]: the type differs");
  CHECK(refusal("w", View(static_cast<float*>(nullptr), {40, 6})) ==
        "kernel pack_w: argument w (input 0): a null pointer for f32[40, 6]");
  const std::vector<int64_t> rank9(9, 1);
  CHECK_FALSE(kernel.pack("w", View(memory, f32, rank9)).ok());
  const Kernel none = compiled(jit().compile(Scale().program));
  CHECK(message(none.pack("w", data.W()).status()) ==
        "kernel scale has no weight named w; it has no weights");
}

TEST_CASE("a weight with symbolic sizes is packed for the sizes of the view") {
  const LinearRelu linear;
  Schedule s(linear.program, {{linear.k, 6}});
  linear.tile(s);
  INFO(s.status());
  REQUIRE(s.status().ok());
  const Kernel kernel = compiled(jit().compile(s));
  for (int64_t n : {1, 31, 32, 33, 70}) {
    LinearData data(5, n, 6);
    const absl::StatusOr<Packed> packed = kernel.pack("w", data.W());
    INFO(packed.status());
    REQUIRE(packed.ok());
    const absl::Status status = kernel({data.X(), *packed, data.B()}, {data.Out()});
    INFO(status);
    CHECK(status.ok());
    CHECK(data.right());
  }
  CHECK_FALSE(kernel.pack("w", View(memory, {-5, 6})).ok());
  for (const int shift : {46, 62}) {
    const View huge(memory, {int64_t{1} << shift, 6}, {0, 0});
    CHECK(kernel.pack("w", huge).status().code() == absl::StatusCode::kResourceExhausted);
  }
}

TEST_CASE("a weight without elements is packed, however deep its layout") {
  const Program program = *parse(
      "program p\n  size n\n  input x: f32[n]\n  weight w: f32[n]\n  output y: f32[n]\n"
      "{ for i in 0..n { y[i] = x[i] * w[i] } }");
  for (const int64_t n : {0, 1, 7}) {
    Schedule s(program, {{program->sizes[0], n}});
    s.set_layout("w", [](Index i) { return Index{i[0] / 6, i[0] % 6}; });
    s.set_layout("w", [](Index i) { return Index{i[0], i[1] / 5, i[1] % 5}; });
    INFO(s.status());
    const Kernel kernel = compiled(jit().compile(s));
    std::iota(memory, memory + 7, 1.0f);
    float y[7] = {};
    const absl::StatusOr<Packed> packed = kernel.pack("w", View(memory, {n}));
    REQUIRE(packed.ok());
    CHECK(kernel({View(memory, {n}), *packed}, {View(y, {n})}).ok());
    for (int64_t i = 0; i < n; ++i) CHECK(y[i] == static_cast<float>((i + 1) * (i + 1)));
  }
}

TEST_CASE("a layout that leaves the packed buffer is refused when a weight is packed") {
  const absl::StatusOr<Program> p = parse(R"(
    program p
      weight w: f32[2] packs [100] by (i) -> (i)
      output y: f32[2]
    { for i in 0..2 { y[i] = w[i] } })");
  REQUIRE(p.ok());
  const Kernel kernel = compiled(jit().compile(*p));
  std::vector<float> w(100);
  const absl::StatusOr<Packed> packed = kernel.pack("w", View(w.data(), {100}));
  CHECK_THAT(message(packed.status()), Catch::Contains("packed[i] = w[i] leaves packed"));
}

TEST_CASE("a packed weight that was moved away is empty, and refused") {
  LinearData data(5, 40, 6);
  const Kernel kernel = compiled(jit().compile(LinearRelu().scheduled(5, 40, 6)));
  Packed packed = *kernel.pack("w", data.W());
  const Packed taken = std::move(packed);
  CHECK(packed.view().data() == nullptr);
  CHECK_THAT(message(kernel({data.X(), packed, data.B()}, {data.Out()})),
             Catch::Contains("argument w (input 1)"));
  REQUIRE(kernel({data.X(), taken, data.B()}, {data.Out()}).ok());
  CHECK(data.right());
}

}  // namespace
}  // namespace tenon
