// Function and Jit::call: one program, many shapes.
#include <atomic>
#include <catch2/catch.hpp>
#include <numeric>
#include <thread>

#include "jit/programs.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using test::Embed;
using test::LinearData;
using test::LinearRelu;
using test::message;
using test::Scale;

void check_call(Jit& jit, const Function& f, LinearData& data) {
  std::fill(data.out.begin(), data.out.end(), -1.0f);
  const absl::Status status = jit.call(f, {data.X(), data.W(), data.B()}, {data.Out()});
  INFO(status);
  REQUIRE(status.ok());
  CHECK(data.right());
}

TEST_CASE("sizes are read off the buffers; each shape compiles once") {
  Jit jit;
  const LinearRelu linear;
  const Function f = function(linear.program);
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t m : {1, 2, 5}) {
      for (int64_t n : {1, 33}) {
        LinearData data(m, n, 4);
        check_call(jit, f, data);
      }
    }
  }
  CHECK(jit.stats().misses == 6);
  CHECK(jit.stats().compiles == 6);
  CHECK(jit.stats().hits == 6);
}

TEST_CASE("the schedule is made for the sizes") {
  Jit jit;
  const LinearRelu linear;
  std::vector<int64_t> asked;
  const Function f = function(linear.program, [&](Schedule& s, const Sizes& sizes) {
    asked = {sizes[linear.m], sizes[linear.n], sizes[linear.k]};
    const auto [i, j] = s.loops<2>("out");
    s.vectorize(s.split(j, 8).second);
  });
  LinearData data(3, 20, 5);
  check_call(jit, f, data);
  CHECK(asked == std::vector<int64_t>{3, 20, 5});
  asked.clear();
  check_call(jit, f, data);
  CHECK(asked.empty());  // a hit needs no schedule
}

TEST_CASE("empty and single shapes are shapes like others") {
  Jit jit;
  const LinearRelu linear;
  const Function f = function(linear.program);
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{0, 4, 3}, {4, 0, 3}, {4, 3, 0}, {1, 1, 1}}) {
    LinearData data(m, n, k);
    check_call(jit, f, data);
  }
}

TEST_CASE("a symbolic size does not compile again") {
  Jit jit;
  const LinearRelu linear;
  std::vector<int64_t> asked;
  Function f = function(linear.program, [&](Schedule&, const Sizes& sizes) {
    asked = {sizes[linear.m], sizes[linear.n], sizes[linear.k]};
  });
  f.keep_symbolic(linear.m).keep_symbolic(linear.m);
  for (int64_t m : {4, 0, 1, 7, 100}) {
    LinearData data(m, 6, 5);
    check_call(jit, f, data);
  }
  CHECK(asked == std::vector<int64_t>{-1, 6, 5});
  CHECK(jit.stats().misses == 1);
  LinearData other(4, 7, 5);
  check_call(jit, f, other);
  CHECK(jit.stats().misses == 2);
}

TEST_CASE("all sizes symbolic: one kernel for everything") {
  Jit jit;
  const LinearRelu linear;
  Function f = function(linear.program);
  f.keep_symbolic(linear.m).keep_symbolic(linear.n).keep_symbolic(linear.k);
  for (int64_t size : {1, 2, 3, 17}) {
    LinearData data(size, size + 1, size + 2);
    check_call(jit, f, data);
  }
  CHECK(jit.stats().compiles == 1);
}

TEST_CASE("each combination of stride classes is a kernel of its own") {
  Jit jit;
  const Size m("m"), n("n");
  const Tensor x = input("x", f32, {m, n});
  const Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) { return x(i, j) + 1.0f; });
  const Function f = function(program("plus_one", {x}, {y}));
  std::vector<float> in(40), out(40);
  std::iota(in.begin(), in.end(), 0.0f);
  const auto call = [&](std::initializer_list<int64_t> x_strides,
                        std::initializer_list<int64_t> y_strides) {
    REQUIRE(jit.call(f, {View(in.data(), {4, 3}, x_strides)}, {View(out.data(), {4, 3}, y_strides)})
                .ok());
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        const auto from = i * x_strides.begin()[0] + j * x_strides.begin()[1];
        const auto to = i * y_strides.begin()[0] + j * y_strides.begin()[1];
        REQUIRE(out[static_cast<size_t>(to)] == in[static_cast<size_t>(from)] + 1);
      }
    }
    return jit.stats().compiles;
  };
  CHECK(call({3, 1}, {3, 1}) == 1);
  CHECK(call({8, 1}, {3, 1}) == 2);
  CHECK(call({9, 1}, {3, 1}) == 2);  // strides are values of the call
  CHECK(call({1, 4}, {3, 1}) == 3);
  CHECK(call({10, 3}, {3, 1}) == 3);
  CHECK(call({3, 1}, {8, 1}) == 4);
  CHECK(call({3, 1}, {1, 4}) == 5);
  CHECK(call({3, 1}, {3, 1}) == 5);
}

TEST_CASE("strides of dimensions of size 1 make no other kernel") {
  Jit jit;
  const Size m("m"), n("n");
  const Tensor x = input("x", i32, {m, n});
  const Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) { return x(i, j) + 1; });
  const Function f = function(program("plus_one", {x}, {y}));
  std::vector<int32_t> in(77), out(77);
  std::iota(in.begin(), in.end(), 0);
  for (const int64_t stride : {77, 1, 999, 0, -5}) {
    REQUIRE(jit.call(f, {View(in.data(), {1, 77}, {stride, 1})}, {View(out.data(), {1, 77})}).ok());
    CHECK(out[76] == 77);
  }
  CHECK(jit.stats().compiles == 1);
}

TEST_CASE("packed weights go through call") {
  Jit jit;
  const LinearRelu linear;
  const Function f = function(linear.program, [&](Schedule& s, const Sizes&) { linear.tile(s); });
  for (int64_t m : {3, 9}) {
    LinearData data(m, 40, 6);
    const absl::StatusOr<Kernel> kernel =
        jit.kernel(f, {{linear.m, m}, {linear.n, 40}, {linear.k, 6}});
    INFO(kernel.status());
    REQUIRE(kernel.ok());
    const JitStats before = jit.stats();
    const Packed packed = *kernel->pack("w", data.W());
    const absl::Status status = jit.call(f, {data.X(), packed, data.B()}, {data.Out()});
    INFO(status);
    REQUIRE(status.ok());
    CHECK(data.right());
    CHECK(jit.stats().misses == before.misses);
    CHECK(jit.stats().hits == before.hits + 1);
  }
  // A mistake beside a packed weight is found before anything is compiled.
  LinearData data(4, 40, 6);
  const Packed packed =
      *jit.kernel(f, {{linear.m, 3}, {linear.n, 40}, {linear.k, 6}})->pack("w", data.W());
  const JitStats before = jit.stats();
  CHECK(message(jit.call(f, {data.X(), packed, View(data.b.data(), {39})}, {data.Out()})) ==
        "kernel linear_relu: argument b (input 2): expected f32[n] with n = 40 (dimension 0 of w), "
        "got f32[39]: dimension 0 must be 40");
  CHECK(jit.stats().misses == before.misses);
  CHECK(
      message(jit.call(f, {data.X(), data.W(), data.B()}, {data.Out()})) ==
      "kernel linear_relu: argument w (input 1): expected packed f32[40, 6], got f32[40, 6]: make "
      "one with kernel.pack(\"w\", view)");
}

TEST_CASE("kernel() gives what call uses") {
  Jit jit;
  const LinearRelu linear;
  const Function f = function(linear.program);
  LinearData data(3, 4, 5);
  check_call(jit, f, data);
  const absl::StatusOr<Kernel> kernel =
      jit.kernel(f, {{linear.k, 5}, {linear.m, 3}, {linear.n, 4}});
  REQUIRE(kernel.ok());
  CHECK(jit.stats().misses == 1);
  CHECK((*kernel)({data.X(), data.W(), data.B()}, {data.Out()}).ok());
}

TEST_CASE("kernel() wants a value for every size that is not symbolic") {
  Jit jit;
  const LinearRelu linear;
  Function f = function(linear.program);
  const auto refusal = [&](const Sizes& sizes) { return message(jit.kernel(f, sizes).status()); };
  CHECK(refusal({{linear.m, 1}, {linear.k, 1}}) == "function linear_relu: size n has no value");
  CHECK(refusal({{linear.m, 1}, {linear.n, 1}, {linear.k, 1}, {Size("q"), 1}}) ==
        "function linear_relu: q is not one of its sizes");
  CHECK_FALSE(refusal({{linear.m, -1}, {linear.n, 1}, {linear.k, 1}}).empty());
  CHECK(jit.stats().compiles == 0);
  f.keep_symbolic(linear.n);
  CHECK(refusal({{linear.m, 1}, {linear.k, 1}}) == "");
  CHECK(refusal({{linear.m, 1}, {linear.k, 1}, {linear.n, 8}}) == "");
  CHECK(jit.stats().compiles == 1);
}

TEST_CASE("warm compiles everything, and calls then only hit") {
  Jit jit;
  const LinearRelu linear;
  std::atomic<int> schedules{0};
  const Function f = function(linear.program, [&](Schedule&, const Sizes&) { ++schedules; });
  std::vector<Sizes> all;
  for (int64_t m = 1; m <= 6; ++m) {
    all.push_back({{linear.m, m}, {linear.n, 5}, {linear.k, 4}});
  }
  all.push_back(all[0]);
  REQUIRE(jit.warm(f, all).ok());
  CHECK(jit.stats().compiles == 6);
  const int made = schedules;
  for (int64_t m = 1; m <= 6; ++m) {
    LinearData data(m, 5, 4);
    check_call(jit, f, data);
  }
  CHECK(jit.stats().compiles == 6);
  CHECK(schedules == made);  // not even a schedule is made
  CHECK(jit.warm(f, {}).ok());
}

TEST_CASE("warm reports what fails and compiles the rest") {
  Jit jit;
  const LinearRelu linear;
  const Function f = function(linear.program, [&](Schedule& s, const Sizes& sizes) {
    if (sizes[linear.m] == 2) s.split(s.loops<2>("out")[0], 0);
  });
  const absl::Status status = jit.warm(f, {{{linear.m, 1}, {linear.n, 1}, {linear.k, 1}},
                                           {{linear.m, 2}, {linear.n, 1}, {linear.k, 1}},
                                           {{linear.m, 3}, {linear.n, 1}, {linear.k, 1}}});
  CHECK_THAT(message(status), Catch::Contains("split(i_1, 0) refused"));
  CHECK(jit.stats().compiles == 2);
  CHECK_FALSE(jit.warm(f, {{{linear.m, 1}}}).ok());
}

TEST_CASE("a schedule that is refused is refused by call, each time") {
  Jit jit;
  const Scale scale;
  int asked = 0;
  const Function f = function(scale.program, [&](Schedule& s, const Sizes&) {
    ++asked;
    s.split(s.loops<1>("y")[0], 0);
  });
  float x = 1, y = 0;
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = jit.call(f, {View(&x, {1})}, {View(&y, {1})});
    REQUIRE(diagnostic_of(status).has_value());
    CHECK(diagnostic_of(status)->action == "split(i, 0)");
  }
  CHECK(asked == 2);
  CHECK(jit.stats().kernels == 0);
}

TEST_CASE("functions that cannot work say so when they are used") {
  Jit jit;
  CHECK(jit.call(Function(), {}, {}).code() == absl::StatusCode::kFailedPrecondition);
  CHECK(jit.kernel(Function(), {}).status().code() == absl::StatusCode::kFailedPrecondition);
  CHECK(jit.warm(Function(), {{}}).code() == absl::StatusCode::kFailedPrecondition);
  CHECK_FALSE(Function().program());
  CHECK(message(jit.call(function(Program()), {}, {})) == "the Program of a Function is null");

  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Tensor broken = compute("y", {n}, [&](Expr i) { return x(i, i); });
  const Function bad = function(program("broken", {x}, {broken}));
  CHECK_FALSE(jit.call(bad, {}, {}).ok());
  CHECK_FALSE(jit.kernel(bad, {{n, 1}}).ok());

  Function f = function(Scale().program);
  f.keep_symbolic(Size("other"));
  CHECK(message(jit.call(f, {}, {})) == "function scale: other is not one of its sizes");
  const Scale scale;
  const Function g = function(scale.program);
  CHECK(message(jit.kernel(g, {{scale.n, 2}, {scale.n, 3}}).status()) ==
        "function scale: size n is given two values, 2 and 3");
  Function().keep_symbolic(n);
  f.keep_symbolic(Var());
}

TEST_CASE("a size that no argument shows takes kernel() instead of call") {
  Jit jit;
  const Size n("n");
  const Tensor x = input("x", f32, {2 * Expr(n)});
  const Tensor y = compute("y", {2 * Expr(n)}, [&](Expr i) { return x(i) + 1.0f; });
  const Function f = function(program("pairs", {x}, {y}));
  std::vector<float> in = {1, 2, 3, 4}, out(4);
  CHECK(message(jit.call(f, {View(in.data(), {4})}, {View(out.data(), {4})})) ==
        "function pairs: no argument tells size n: it is no dimension by itself; use Jit::kernel, "
        "which takes sizes");
  const absl::StatusOr<Kernel> kernel = jit.kernel(f, {{n, 2}});
  REQUIRE(kernel.ok());
  CHECK((*kernel)({View(in.data(), {4})}, {View(out.data(), {4})}).ok());
  CHECK(out == std::vector<float>{2, 3, 4, 5});
}

TEST_CASE("a size that only a packed weight has is read off what was packed") {
  Jit jit;
  const Size n("n"), k("k");
  const Tensor x = input("x", f32, {k}), w = weight("w", f32, {n, k});
  const Tensor y =
      compute("y", {k}, [&](Expr r) { return x(r) * sum(n, [&](Expr j) { return w(j, r); }); });
  const Function f = function(program("columns", {x, w}, {y}), [&](Schedule& s, const Sizes&) {
    s.set_layout("w", [](Index i) { return Index{i[1] / 4, i[0], i[1] % 4}; });
  });
  std::vector<float> in = {1, 2, 3, 4, 5}, weights(15, 2), out(5);
  const View X(in.data(), {5}), Out(out.data(), {5});
  const absl::StatusOr<Kernel> kernel = jit.kernel(f, {{n, 3}, {k, 5}});
  INFO(kernel.status());
  REQUIRE(kernel.ok());
  const Packed packed = *kernel->pack("w", View(weights.data(), {3, 5}));
  CHECK(packed.logical().to_string() == "f32[3, 5]");
  CHECK(packed.logical().data() == nullptr);
  CHECK(jit.call(f, {X, packed}, {Out}).ok());
  CHECK(out == std::vector<float>{6, 12, 18, 24, 30});
  CHECK(jit.stats().compiles == 1);
  // Without its logical shape, as one that was stored elsewhere may be.
  const Packed bare(nullptr, packed.view(), packed.layout());
  CHECK_FALSE(jit.call(f, {X, bare}, {Out}).ok());
  CHECK(jit.stats().compiles == 1);
}

TEST_CASE("many tensors of high rank are no reason to refuse") {
  Jit jit;
  const Size n("n");
  std::vector<Tensor> tensors;
  std::vector<ProgramInput> inputs;
  for (int t = 0; t < 20; ++t) {
    tensors.push_back(input("x" + std::to_string(t), f32, {n, n, n, n, n}));
    inputs.emplace_back(tensors.back());
  }
  const Tensor y = compute("y", {n, n, n, n, n}, [&](Index i) {
    Expr total = tensors[0](i);
    for (size_t t = 1; t < tensors.size(); ++t) total = total + tensors[t](i);
    return total;
  });
  const Function f = function(program("add_all", inputs, {y}));
  std::vector<float> ones(32, 1), out(32);
  const std::vector<Argument> arguments(20, View(ones.data(), {2, 2, 2, 2, 2}));
  const std::vector<View> outputs = {View(out.data(), {2, 2, 2, 2, 2})};
  const absl::Status status = jit.call(f, arguments, outputs);
  INFO(status);
  CHECK(status.ok());
  CHECK(out == std::vector<float>(32, 20));
}

TEST_CASE("functions with equal programs share kernels, and outlive what made them") {
  Jit jit;
  for (int i = 0; i < 50; ++i) {
    const Scale scale;
    const Function f = function(scale.program);
    std::vector<float> x = {1, 2}, y(2);
    REQUIRE(jit.call(f, {View(x.data(), {2})}, {View(y.data(), {2})}).ok());
    REQUIRE(y == std::vector<float>{2, 4});
  }
  CHECK(jit.stats().compiles == 1);
  CHECK(jit.stats().hits == 49);
}

TEST_CASE("one function serves two Jits") {
  Jit a, b;
  const Scale scale;
  const Function f = function(scale.program);
  std::vector<float> x = {1, 2}, y(2);
  for (Jit* jit : {&a, &b, &a, &b}) {
    CHECK(jit->call(f, {View(x.data(), {2})}, {View(y.data(), {2})}).ok());
  }
  CHECK(a.stats().compiles == 1);
  CHECK(b.stats().compiles == 1);
}

TEST_CASE("calls from many threads, new shapes and old ones, small cache") {
  JitOptions options;
  options.cache.max_bytes = 100'000;
  Jit jit(options);
  const Scale scale;
  const Function f = function(scale.program);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        const int64_t n = 1 + (7 * t + i) % 10;
        std::vector<float> x(static_cast<size_t>(n), 1), y(x.size());
        if (!jit.call(f, {View(x.data(), {n})}, {View(y.data(), {n})}).ok()) ++wrong;
        wrong += y != std::vector<float>(x.size(), 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a broken promise comes back through call") {
  Jit jit;
  const Embed embed;
  const Function f = function(embed.program);
  std::vector<float> table(10), out(1);
  std::vector<int64_t> id = {12};
  const absl::Status status =
      jit.call(f, {View(table.data(), {10, 1}), View(id.data(), {1})}, {View(out.data(), {1, 1})});
  CHECK(status.code() == absl::StatusCode::kOutOfRange);
  CHECK_THAT(message(status),
             Catch::Matches("kernel embed: index .* of table is 12, but must be in "
                            "\\[0, 10\\)"));
}

TEST_CASE("a schedule that was replaced by another one is refused") {
  const Size n("n");
  const Tensor x = input("x", f32, {n});
  const Program twice =
      program("twice", {x}, {compute("y", {n}, [&](Expr i) { return x(i) * 2; })});
  const Program thrice =
      program("twice", {x}, {compute("y", {n}, [&](Expr i) { return x(i) * 3; })});
  float in[4] = {1, 2, 3, 4}, out[4] = {};
  Jit jit;
  for (const Schedule& other : {Schedule(thrice, {{n, 4}}), Schedule(twice, {{n, 3}})}) {
    const Function f = function(twice, [&](Schedule& s, const Sizes&) { s = other; });
    CHECK(
        message(jit.call(f, {View(in, {4})}, {View(out, {4})})) ==
        "the schedule of function twice was replaced by one of another program or of other sizes");
  }
  CHECK(out[0] == 0);
}

}  // namespace
}  // namespace tenon
