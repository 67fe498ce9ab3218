// Kernel: the checked call, pack, workspace, what it shows.
#include <atomic>
#include <catch2/catch.hpp>
#include <numeric>
#include <thread>

#include "jit/programs.h"
#include "support/check.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using test::Embed;
using test::LinearData;
using test::LinearRelu;
using test::Scale;

Jit& jit() {
  static Jit jit;
  return jit;
}

Kernel compiled(absl::StatusOr<Kernel> kernel) {
  INFO(kernel.status());
  REQUIRE(kernel.ok());
  return *kernel;
}

std::string message(const absl::Status& status) { return std::string(status.message()); }

// --- Mistakes. Every kind of them, with the exact message, through the kernel and through
// Jit::call, before and after the kernel is compiled.

// out = max(x w^T + b, floor), k a multiple of 2.
struct Layer {
  Size m{"m"}, n{"n"}, k{"k"};
  Program program;
  Layer() {
    const Tensor x = input("x", f32, {m, k});
    const Tensor w = weight("w", f32, {n, k});
    const Tensor b = input("b", f32, {n});
    const Expr floor = scalar("floor", f32);
    const Tensor out = compute("out", {m, n}, [&](Expr i, Expr j) {
      return max(sum(k, [&](Expr r) { return x(i, r) * w(j, r); }) + b(j), floor);
    });
    program = tenon::program("layer", {x, w, b, floor}, {out}, {require(k % 2 == 0)});
  }
};

alignas(64) float memory[4096];
float* const kX = memory;
float* const kW = memory + 1024;
float* const kB = memory + 2048;
float* const kOut = memory + 3072;

struct Mistake {
  std::string kernel_message, call_message;
  std::vector<Argument> inputs;
  std::vector<View> outputs;
};

std::vector<Mistake> mistakes() {
  const View X(kX, {4, 6}), W(kW, {5, 6}), B(kB, {5}), Out(kOut, {4, 5});
  const std::string counts =
      "kernel layer: expected 4 inputs (x: f32[4, 6], w: f32[5, 6], b: f32[5], floor: f32 scalar) "
      "and 1 output (out: f32[4, 5]), got ";
  const std::string symbolic_counts =
      "kernel layer: expected 4 inputs (x: f32[m, k], w: f32[n, k], b: f32[n], floor: f32 scalar) "
      "and 1 output (out: f32[m, n]), got ";
  const auto same = [](const std::string& text, std::vector<Argument> inputs,
                       std::vector<View> outputs) {
    return Mistake{"kernel layer: " + text, "kernel layer: " + text, std::move(inputs),
                   std::move(outputs)};
  };
  const auto differ = [](const std::string& kernel, const std::string& call,
                         std::vector<Argument> inputs, std::vector<View> outputs) {
    return Mistake{"kernel layer: argument " + kernel, "kernel layer: argument " + call,
                   std::move(inputs), std::move(outputs)};
  };
  const std::vector<int64_t> rank9(9, 1);
  return {
      {counts + "3 inputs and 1 output",
       symbolic_counts + "3 inputs and 1 output",
       {X, W, B},
       {Out}},
      {counts + "4 inputs and 0 outputs",
       symbolic_counts + "4 inputs and 0 outputs",
       {X, W, B, 0.0f},
       {}},
      {counts + "4 inputs and 2 outputs",
       symbolic_counts + "4 inputs and 2 outputs",
       {X, W, B, 0.0f},
       {Out, Out}},
      differ("x (input 0): expected f32[4, 6], got the f32 value 1",
             "x (input 0): expected f32[m, k], got the f32 value 1", {1.0f, W, B, 0.0f}, {Out}),
      differ("floor (input 3): expected f32 scalar, got f32[5]",
             "floor (input 3): expected f32 scalar, got f32[5]", {X, W, B, B}, {Out}),
      differ(
          "floor (input 3): expected f32 scalar, got the f64 value 1e+300: the value does not fit",
          "floor (input 3): expected f32 scalar, got the f64 value 1e+300: the value does not fit",
          {X, W, B, 1e300}, {Out}),
      differ("b (input 2): expected f32[5], got f64[5]: the type differs",
             "b (input 2): expected f32[n], got f64[5]: the type differs",
             {X, W, View(reinterpret_cast<double*>(kB), {5}), 0.0f}, {Out}),
      differ("b (input 2): expected f32[5], got f32[5, 1]: the rank differs",
             "b (input 2): expected f32[n], got f32[5, 1]: the rank differs",
             {X, W, View(kB, {5, 1}), 0.0f}, {Out}),
      differ("x (input 0): expected f32[4, 6], got f32[24]: the rank differs",
             "x (input 0): expected f32[m, k], got f32[24]: the rank differs",
             {View(kX, {24}), W, B, 0.0f}, {Out}),
      differ("x (input 0): expected f32[4, 6], got a view of more than 8 dimensions or without one "
             "stride for each",
             "x (input 0): expected f32[m, k], got a view of more than 8 dimensions or without one "
             "stride for each",
             {View(kX, f32, rank9), W, B, 0.0f}, {Out}),
      differ("w (input 1): expected f32[5, 6], got f32[5, 8]: dimension 1 differs",
             "w (input 1): expected f32[n, k] with k = 6 (dimension 1 of x), n = 5 (dimension 0 of "
             "w), got f32[5, 8]: dimension 1 must be 6",
             {X, View(kW, {5, 8}), B, 0.0f}, {Out}),
      differ("out (output 0): expected f32[4, 5], got f32[4, 4]: dimension 1 differs",
             "out (output 0): expected f32[m, n] with m = 4 (dimension 0 of x), n = 5 (dimension 0 "
             "of w), got f32[4, 4]: dimension 1 must be 5",
             {X, W, B, 0.0f}, {View(kOut, {4, 4})}),
      differ(
          "x (input 0): expected f32[4, 6], got f32[-4, 6]: dimension 0 differs",
          "x (input 0): expected f32[m, k] with m = -4 (dimension 0 of x), k = 6 (dimension 1 of "
          "x), got f32[-4, 6]: dimension 0 is negative",
          {View(kX, {-4, 6}), W, B, 0.0f}, {Out}),
      differ("w (input 1): a null pointer for f32[5, 6]",
             "w (input 1): a null pointer for f32[5, 6]",
             {X, View(static_cast<float*>(nullptr), {5, 6}), B, 0.0f}, {Out}),
      differ(
          "b (input 2): the address must be a multiple of 4, the size of f32, and is 1 beyond one",
          "b (input 2): the address must be a multiple of 4, the size of f32, and is 1 beyond one",
          {X, W, View(reinterpret_cast<float*>(reinterpret_cast<char*>(kB) + 1), {5}), 0.0f},
          {Out}),
      differ("out (output 0): its memory overlaps argument x (input 0)",
             "out (output 0): its memory overlaps argument x (input 0)", {X, W, B, 0.0f},
             {View(kX + 3, {4, 5})}),
      same("argument out (output 0): elements of this output overlap each other: f32[4, 5] strides "
           "[1, 1]",
           {X, W, B, 0.0f}, {View(kOut, {4, 5}, {1, 1})}),
  };
}

TEST_CASE("every mistake in the arguments has its message") {
  const Layer layer;
  CompileOptions any_strides;
  for (const char* name : {"x", "w", "b", "out"}) {
    any_strides.strides.emplace_back(name, StrideClass::kGeneral);
  }
  const Kernel kernel = compiled(
      jit().compile(layer.program, {{layer.m, 4}, {layer.n, 5}, {layer.k, 6}}, any_strides));
  Jit fresh;
  const Function f = function(layer.program);
  for (const Mistake& mistake : mistakes()) {
    const absl::Status by_kernel = kernel(mistake.inputs, mistake.outputs);
    CHECK(message(by_kernel) == mistake.kernel_message);
    CHECK(by_kernel.code() == absl::StatusCode::kInvalidArgument);
    CHECK(message(fresh.call(f, mistake.inputs, mistake.outputs)) == mistake.call_message);
  }
  CHECK(fresh.stats().misses == 0);  // nothing was compiled for a mistake
}

TEST_CASE("a dense kernel says that it takes no strides") {
  const Layer layer;
  const Kernel kernel =
      compiled(jit().compile(layer.program, {{layer.m, 4}, {layer.n, 5}, {layer.k, 6}}));
  const View X(kX, {4, 6}, {8, 1}), W(kW, {5, 6}), B(kB, {5}), Out(kOut, {4, 5});
  CHECK(
      message(kernel({X, W, B, 0.0f}, {Out})) ==
      "kernel layer: argument x (input 0): this kernel takes dense strides, got f32[4, 6] strides "
      "[8, 1]");
}

TEST_CASE("a requirement is checked by every call") {
  const Layer layer;
  const View X(kX, {4, 7}), W(kW, {5, 7}), B(kB, {5}), Out(kOut, {4, 5});
  const std::string expected =
      "kernel layer: the requirement k % 2 == 0 does not hold with m = 4, k = 7, n = 5";
  const Kernel symbolic = compiled(jit().compile(layer.program));
  CHECK(message(symbolic({X, W, B, 0.0f}, {Out})) == expected);
  Jit fresh;
  CHECK(message(fresh.call(function(layer.program), {X, W, B, 0.0f}, {Out})) == expected);
  CHECK(fresh.stats().misses == 0);
}

TEST_CASE("inputs may overlap each other") {
  const Layer layer;
  const Kernel kernel =
      compiled(jit().compile(layer.program, {{layer.m, 4}, {layer.n, 4}, {layer.k, 6}}));
  std::fill(kX, kX + 24, 2.0f);
  const View X(kX, {4, 6});
  CHECK(kernel({X, X, View(kX, {4}), 0.0f}, {View(kOut, {4, 4})}).ok());
  CHECK(kOut[0] == 26);
}

// --- Scalars.

TEST_CASE("scalars of every type arrive") {
  for (const Type type : {f64, f32, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, boolean}) {
    const Expr s = scalar("s", type);
    const Tensor y = compute("y", {1}, [&](Expr) { return cast(f64, s); });
    const Kernel kernel = compiled(jit().compile(program("give", {s}, {y})));
    double out = -1;
    const Argument one = type.is_bool() ? Argument(true) : Argument(1);
    const absl::Status status = kernel({one}, {View(&out, {1})});
    INFO(to_string(type) << ": " << status);
    CHECK(status.ok());
    CHECK(out == 1);
  }
}

TEST_CASE("a scalar arrives among tensors, whatever their order") {
  const Size n("n");
  const Expr a = scalar("a", f32), b = scalar("b", i64);
  const Tensor x = input("x", f32, {n});
  const Tensor y = compute("y", {n}, [&](Expr i) { return x(i) * a + cast(f32, b); });
  const Kernel kernel = compiled(jit().compile(program("axpb", {a, x, b}, {y})));
  std::vector<float> in = {1, 2, 3}, out(3);
  CHECK(kernel({2.0f, View(in.data(), {3}), int64_t{10}}, {View(out.data(), {3})}).ok());
  CHECK(out == std::vector<float>{12, 14, 16});
}

// --- Strides.

TEST_CASE("a kernel for strides takes every view of its class") {
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m, n});
  const Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) { return x(i, j) + 1.0f; });
  const Program p = program("plus_one", {x}, {y});
  const auto with = [&](StrideClass c) {
    return compiled(jit().compile(p, {}, {.strides = {{"x", c}}}));
  };
  std::vector<float> in(24), out(6);
  std::iota(in.begin(), in.end(), 0.0f);
  const View Out(out.data(), {2, 3});
  const View dense(in.data(), {2, 3}), rows(in.data(), {2, 3}, {8, 1}),
      transposed(in.data(), {2, 3}, {1, 2}), backwards(in.data() + 23, {2, 3}, {-8, -2});
  const Kernel inner = with(StrideClass::kInnerUnit), general = with(StrideClass::kGeneral);
  CHECK(inner({dense}, {Out}).ok());
  CHECK(out == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(inner({rows}, {Out}).ok());
  CHECK(out == std::vector<float>{1, 2, 3, 9, 10, 11});
  CHECK_FALSE(inner({transposed}, {Out}).ok());
  CHECK(general({dense}, {Out}).ok());
  CHECK(general({transposed}, {Out}).ok());
  CHECK(out == std::vector<float>{1, 3, 5, 2, 4, 6});
  CHECK(general({backwards}, {Out}).ok());
  CHECK(out == std::vector<float>{24, 22, 20, 16, 14, 12});
}

// --- pack.

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
  CHECK(refusal("v", data.W()) ==
        "kernel linear_relu has no weight named v\n  legal here: its weights: w");
  CHECK(refusal("x", data.X()) ==
        "kernel linear_relu: x is passed as it is; only what was declared with weight(...) is "
        "packed\n"
        "  legal here: its weights: w");
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
        "kernel scale has no weight named w\n  legal here: it has no weights");
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

// --- Workspaces.

struct Reverse {
  Size n{"n"};
  Program program;
  Reverse() {
    const Tensor x = input("x", f32, {n});
    const Tensor copy = compute("copy", {n}, [&](Expr i) { return x(i) * 2.0f; });
    const Tensor y = compute("y", {n}, [&](Expr i) { return copy(n - 1 - i); });
    program = tenon::program("reverse", {x}, {y});
  }
};

TEST_CASE("the workspace of a call is known before it") {
  const Reverse reverse;
  const Kernel symbolic = compiled(jit().compile(reverse.program));
  const WorkspaceSize need = symbolic.workspace({{reverse.n, 10'000}});
  CHECK(need.shared_bytes >= 40'000);
  CHECK(need.shared_bytes < 41'000);
  CHECK(need.bytes_per_worker == 0);
  CHECK(need.alignment == 64);
  CHECK(symbolic.workspace({{reverse.n, 0}}).shared_bytes == 0);
  CHECK(symbolic.workspace({{reverse.n, -5}}).shared_bytes == 0);
  CHECK(symbolic.workspace().shared_bytes == 0);

  const Kernel constant = compiled(jit().compile(reverse.program, {{reverse.n, 10'000}}));
  CHECK(constant.workspace().shared_bytes == need.shared_bytes);
  const Kernel small = compiled(jit().compile(reverse.program, {{reverse.n, 100}}));
  CHECK(small.workspace().shared_bytes == 0);  // on the stack
  const Kernel none = compiled(jit().compile(Scale().program));
  CHECK(none.workspace().shared_bytes == 0);
}

TEST_CASE("a workspace that no address space holds is refused") {
  // Stage t has m * n elements, and no argument has more than m or n: with strides of 0, sizes cost
  // the caller nothing.
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m}), y = input("y", f32, {n});
  const Tensor t = compute("t", {m, n}, [&](Expr i, Expr j) { return x(i) * y(j); });
  const Tensor z = compute("z", {1}, [&](Expr) {
    return max_over({m, n}, [&](Expr i, Expr j) { return t(m - 1 - i, j); });
  });
  const CompileOptions options{
      .strides = {{"x", StrideClass::kGeneral}, {"y", StrideClass::kGeneral}}};
  const Kernel kernel = compiled(jit().compile(program("outer", {x, y}, {z}), {}, options));
  float value = 1, out = 0;
  for (const int shift : {31, 32, 40, 58}) {
    const int64_t size = int64_t{1} << shift;
    const View huge(&value, {size}, {0});
    CHECK(kernel({huge, huge}, {View(&out, {1})}).code() == absl::StatusCode::kResourceExhausted);
    CHECK(kernel.workspace({{m, size}, {n, size}}).shared_bytes > size_t{1} << 47);
  }
}

TEST_CASE("the sizes of a workspace go by name") {
  Jit fresh;
  const Reverse a, b;
  compiled(fresh.compile(a.program));
  const Kernel kernel = compiled(fresh.compile(b.program));
  REQUIRE(fresh.stats().hits == 1);
  CHECK(kernel.workspace({{b.n, 10'000}}).shared_bytes >= 40'000);
}

TEST_CASE("a stage inside a parallel loop has one slice per worker") {
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m, n});
  const Tensor row = compute("row", {m, n}, [&](Expr i, Expr j) { return x(i, j) * 2.0f; });
  const Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) { return row(i, n - 1 - j); });
  const Program p = program("reverse_rows", {x}, {y});
  Schedule s(p, {{n, 5'000}});
  const auto [i, j] = s.loops<2>("y");
  s.compute_at("row", i);
  s.parallelize(i);
  INFO(s.status());
  REQUIRE(s.status().ok());
  ThreadPool pool(3);
  JitOptions options;
  options.executor = &pool;
  Jit own(options);
  const Kernel kernel = compiled(own.compile(s));
  CHECK(kernel.workspace().shared_bytes == 0);
  CHECK(kernel.workspace().bytes_per_worker >= 20'000);
  std::vector<float> in(20 * 5'000), out(in.size());
  std::iota(in.begin(), in.end(), 0.0f);
  REQUIRE(kernel({View(in.data(), {20, 5'000})}, {View(out.data(), {20, 5'000})}).ok());
  bool right = true;
  for (size_t r = 0; r < 20; ++r) {
    for (size_t c = 0; c < 5'000; ++c) right &= out[r * 5'000 + c] == 2 * in[r * 5'000 + 4'999 - c];
  }
  CHECK(right);
}

// --- Broken promises.

TEST_CASE("an index that is data and out of range is an error that names the table") {
  const Embed embed;
  const Kernel kernel = compiled(jit().compile(embed.program));
  std::vector<float> table(10 * 3);
  std::iota(table.begin(), table.end(), 0.0f);
  std::vector<float> out(4 * 3);
  const auto call = [&](std::vector<int64_t> ids) {
    return kernel({View(table.data(), {10, 3}), View(ids.data(), {4})}, {View(out.data(), {4, 3})});
  };
  CHECK(call({0, 9, 5, 5}).ok());
  CHECK(out == std::vector<float>{0, 1, 2, 27, 28, 29, 15, 16, 17, 15, 16, 17});
  for (const int64_t bad : {int64_t{12}, int64_t{10}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    const absl::Status status = call({0, bad, 5, 5});
    CHECK(status.code() == absl::StatusCode::kOutOfRange);
    CHECK_THAT(message(status), Catch::StartsWith("kernel embed: index ") &&
                                    Catch::EndsWith(" of table is " + std::to_string(bad) +
                                                    ", but must be in [0, 10)"));
  }
  CHECK(call({0, 9, 5, 5}).ok());  // and nothing stays behind
}

TEST_CASE("a broken promise in a parallel loop is reported once, and whole") {
  const Embed embed;
  Schedule s(embed.program);
  const auto [i, j] = s.loops<2>("out");
  s.parallelize(i);
  ThreadPool pool(3);
  JitOptions options;
  options.executor = &pool;
  Jit own(options);
  const Kernel kernel = compiled(own.compile(s));
  std::vector<float> table(10), out(100);
  std::vector<int64_t> ids(100, 1);
  ids[20] = 77;
  ids[90] = -3;
  const absl::Status status =
      kernel({View(table.data(), {10, 1}), View(ids.data(), {100})}, {View(out.data(), {100, 1})});
  CHECK(status.code() == absl::StatusCode::kOutOfRange);
  CHECK_THAT(
      message(status),
      Catch::Matches("kernel embed: index .* of table is (77|-3), but must be in \\[0, 10\\)"));
}

// --- What a kernel shows.

TEST_CASE("a kernel shows what it was made of") {
  const LinearRelu linear;
  const Schedule s = linear.scheduled(8, 64, 16);
  const Kernel kernel = compiled(jit().compile(s));
  CHECK(kernel.name() == "linear_relu");
  CHECK(structurally_equal(kernel.program(), s.program()));
  CHECK(kernel.signature().params.size() == 4);
  CHECK(kernel.code_bytes() > 0);
  CHECK(kernel.surviving_allocas().empty());
  CHECK(kernel.times().total >= kernel.times().lower + kernel.times().machine);
  CHECK_THAT(print(kernel.lowered()), Catch::Contains("ramp"));
}

TEST_CASE("text is kept only when asked for") {
  const Scale scale;
  const Kernel quiet = compiled(jit().compile(scale.program));
  CHECK(quiet.llvm_ir().empty());
  CHECK(quiet.assembly().empty());
  const Kernel text = compiled(jit().compile(scale.program, {}, {.keep_text = true}));
  CHECK_THAT(text.llvm_ir(), Catch::Contains("define") && Catch::Contains("float"));
  CHECK_THAT(text.assembly(), Catch::Contains("ret"));
  CHECK(quiet.entry() != text.entry());
}

TEST_CASE("the raw function computes without checks") {
  const Scale scale;
  const Kernel kernel = compiled(jit().compile(scale.program));
  float x[] = {1, 2, 3}, y[3] = {};
  void* buffers[] = {x, y};
  const int64_t sizes[] = {3};
  tenon_fault fault{-1, 0, 0};
  tenon_call call{};
  call.buffers = buffers;
  call.sizes = sizes;
  call.math = &default_math();
  call.fault = &fault;
  kernel.entry()(&call);
  CHECK(y[2] == 6);
  CHECK(fault.site == -1);
}

TEST_CASE("an index that fails on an empty table touches nothing") {
  const Size rows("rows"), count("count");
  const Tensor table = input("table", f32, {rows}), ids = input("ids", i64, {count});
  const Tensor y = compute("y", {count}, [&](Expr i) { return table(ids(i)); });
  const Kernel kernel = compiled(jit().compile(program("gather", {table, ids}, {y})));
  std::vector<int64_t> id = {0};
  std::vector<float> out(1);
  const absl::Status status = kernel(
      {View(static_cast<float*>(nullptr), {0}), View(id.data(), {1})}, {View(out.data(), {1})});
  CHECK(status.code() == absl::StatusCode::kOutOfRange);
  CHECK(message(status) == "kernel gather: index ids[i] of table is 0, but must be in [0, 0)");
}

TEST_CASE("a condition does not take the check away from what stands beside it") {
  // Both sides of & are evaluated, so the index is checked although the other side bounds it.
  const Tensor d = input("d", i64, {4}), x = input("x", f32, {10});
  const Tensor y = compute("y", {4}, [&](Expr i) {
    return select((d(i) >= 0) & (d(i) < 10) & (x(d(i)) > 0.0f), 1.0f, 0.0f);
  });
  const Kernel kernel = compiled(jit().compile(program("beside", {d, x}, {y})));
  std::vector<int64_t> at = {0, 3, 9, int64_t{1} << 40};
  std::vector<float> table(10, 1.0f), out(4);
  const auto call = [&] {
    return kernel({View(at.data(), {4}), View(table.data(), {10})}, {View(out.data(), {4})});
  };
  CHECK(call().code() == absl::StatusCode::kOutOfRange);
  at[3] = 5;
  CHECK(call().ok());
  CHECK(out == std::vector<float>{1, 1, 1, 1});
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

}  // namespace
}  // namespace tenon
