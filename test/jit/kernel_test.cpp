// Kernel: the checked call, its workspace, what it shows.
#include <atomic>
#include <catch2/catch.hpp>
#include <numeric>
#include <thread>

#include "jit/programs.h"
#include "support/check.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using test::compiled;
using test::Embed;
using test::LinearData;
using test::LinearRelu;
using test::message;
using test::Reverse;
using test::Scale;

Jit& jit() {
  static Jit jit;
  return jit;
}

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

// --- Workspaces.

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

}  // namespace
}  // namespace tenon
