// The forms of the expression language as machine code: at every level, with odd sizes known or
// not, as written and after random steps, beside inaccessible pages.
#include <catch2/catch.hpp>

#include "support/check.h"
#include "support/extern_functions.h"
#include "support/guard_buffer.h"
#include "support/native.h"
#include "support/random_schedule.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

const Size m("m"), n("n"), k("k");

// One call; every buffer ends (or begins) at an inaccessible page. The outputs start as given.
absl::StatusOr<std::vector<Array>> call(const Kernel& kernel, const std::vector<Array>& inputs,
                                        std::vector<Array> outputs,
                                        test::GuardBuffer::Side side = test::GuardBuffer::kBack) {
  std::vector<test::GuardBuffer> memory;
  const auto guarded = [&](const Array& array) {
    memory.emplace_back(array.bytes(), side);
    std::byte* data = memory.back().data();
    if (array.bytes() > 0) std::memcpy(data, array.data(), array.bytes());
    return View(data, array.type(), array.shape());
  };
  std::vector<Argument> arguments;
  std::vector<View> views;
  for (const Array& array : inputs) arguments.emplace_back(guarded(array));
  for (const Array& array : outputs) views.push_back(guarded(array));
  const absl::Status status = kernel(arguments, views);
  if (!status.ok()) return status;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const std::byte* data = memory[inputs.size() + o].data();
    if (outputs[o].bytes() > 0) std::memcpy(outputs[o].data(), data, outputs[o].bytes());
  }
  return outputs;
}

class Differential {
 public:
  explicit Differential(Program program) : program_(test::checked(std::move(program))) {
    for (const Target& target : test::native_targets()) {
      JitOptions options;
      options.target = target;
      options.contract = false;
      jits_.push_back(std::make_unique<Jit>(options));
    }
  }

  // Small values in the float inputs; integers in [0, 7].
  void run(int seeds = 12) {
    for (uint64_t seed = 0; seed < static_cast<uint64_t>(seeds); ++seed) check(seed);
    CHECK(compiled_ > 0);
  }

 private:
  void check(uint64_t seed) {
    test::Rng rng(seed);
    std::vector<std::pair<Var, int64_t>> values, constants;
    for (const Var& size : program_->sizes) {
      values.emplace_back(size, rng.pick(std::vector<int64_t>{1, 2, 3, 5, 7, 8, 13, 17}));
      if (rng.chance(50)) constants.push_back(values.back());
    }
    std::vector<Array> data, outputs;
    for (const Param& param : program_->params) {
      std::vector<int64_t> shape;
      for (const Expr& e : param.shape) shape.push_back(*evaluate_int(e, Sizes(values)));
      Array array(param.buffer.type(), shape);
      for (int64_t e = 0; e < array.elements(); ++e) {
        const int value = param.buffer.type().is_float() ? rng.between(-8, 8) : rng.between(0, 7);
        array.set_bits(e, *bits(array.type(), value));
      }
      (is_written(param.role) ? outputs : data).push_back(array);
    }
    const std::vector<Array> start = outputs;
    std::vector<InterpArgument> arguments;
    for (Array& array : data) arguments.emplace_back(&array);
    for (Array& array : outputs) arguments.emplace_back(&array);
    INFO("seed " << seed << "\n" << program_);
    REQUIRE(interpret(program_, Sizes(values), arguments) == absl::OkStatus());
    Schedule s(program_, Sizes(constants));
    REQUIRE(s.status() == absl::OkStatus());
    for (int step = 0; step < static_cast<int>(seed % 6); ++step) {
      const Schedule before = s;
      test::try_random_step(rng, s);
      if (s.program()->reassociated) s = before;
    }
    INFO(s.program());
    for (const std::unique_ptr<Jit>& jit : jits_) {
      INFO(jit->target().to_string());
      const absl::StatusOr<Kernel> kernel = jit->compile(s);
      REQUIRE(kernel.status() == absl::OkStatus());
      for (const auto side : {test::GuardBuffer::kBack, test::GuardBuffer::kFront}) {
        const absl::StatusOr<std::vector<Array>> got = call(*kernel, data, start, side);
        REQUIRE(got.status() == absl::OkStatus());
        for (size_t o = 0; o < outputs.size(); ++o) {
          REQUIRE(first_difference(outputs[o], (*got)[o]) == "");
        }
      }
      ++compiled_;
    }
  }

  static std::optional<uint64_t> bits(Type type, int value) {
    const Expr e = type.is_float() ? constant_float(type, value * 0.25) : constant_int(type, value);
    return e.as<Const>()->bits;
  }

  Program program_;
  std::vector<std::unique_ptr<Jit>> jits_;
  int compiled_ = 0;
};

void differential(const std::vector<ProgramInput>& inputs, const std::vector<Tensor>& outputs,
                  const std::vector<Requirement>& requirements = {}) {
  Differential(program("p", inputs, outputs, requirements)).run();
}

TEST_CASE("states in place, and tables") {
  const Tensor x = input("x", f32, {m, n}), at = input("at", i32, {n});
  const Tensor state = inout("state", f32, {m, n}), seen = inout("seen", i64, {8});
  const Tensor taps = table("taps", {0.5f, -0.25f, 2.0f});
  const Tensor old = compute("old", {n, m}, [&](Expr i, Expr j) {
    return sum(3, [&](Expr r) { return state(j, i) * taps(r); });
  });
  const Tensor next = compute(state, [&](Expr i, Expr j) {
    const Expr most = max_over(n, [&](Expr r) { return state(i, r); });
    return select(j % 2 == 0, state(i, n - 1 - j), most) + x(i, j) * taps(j % 3);
  });
  const Tensor counted =
      update(seen, scatter(
                       n, [&](Expr r) { return at(r); }, [](Expr) { return 1; }, Reducer::kSum));
  const Tensor both =
      compute("both", {m, n}, [&](Expr i, Expr j) { return next(i, j) - old(j, i); });
  differential({x, at}, {both, next, counted, old});
}

TEST_CASE("domains with bounds, steps and conditions") {
  Tensor x = input("x", f32, {m, n}), w = input("w", f32, {k});
  const Tensor triangle = compute("triangle", {m}, [&](Expr i) {
    return sum(Domain(n).where([&](Expr r) { return r <= i; }), [&](Expr r) { return x(i, r); });
  });
  const Tensor window = compute("window", {m, n}, [&](Expr i, Expr j) {
    const auto here = [&](Expr a, Expr b) { return inside(i + a - 1, m) & inside(j + b - 2, n); };
    return max_over(Domain({3, 4}).where(here),
                    [&](Expr a, Expr b) { return x(i + a - 1, j + b - 2) * 2.0f; });
  });
  differential({x}, {triangle, window});
  const Tensor transposed = compute("transposed", {m, 3 * n + k - 3}, [&](Expr i, Expr j) {
    const Domain taps =
        Domain(k).where([&](Expr r) { return ((j - r) % 3 == 0) & inside((j - r) / 3, n); });
    return sum(taps, [&](Expr r) { return x(i, (j - r) / 3) * w(r); });
  });
  differential({x, w}, {transposed});
  const Tensor best = compute("best", {m}, [&](Expr i) {
    const auto condition = [&](Expr r) { return (x(i, r) > 0.0f) & (r >= i); };
    return argmin(Domain(n).where(condition), [&](Expr r) { return x(i, r); });
  });
  differential({x}, {best});
}

TEST_CASE("extents that are data") {
  Tensor x = input("x", f32, {m, n}), length = input("length", i32, {m});
  differential({x, length}, {compute("y", {m}, [&](Expr i) {
                 return sum(at_most(length(i) % (n + 1), n), [&](Expr r) { return x(i, r); });
               })});
  differential({x, length}, {compute("y", {m}, [&](Expr i) {
                 return max_over(Domain(n).where([&](Expr r) { return r < length(i); }),
                                 [&](Expr r) { return x(i, r); });
               })});
}

TEST_CASE("an extent that breaks its promise is an error of the call") {
  Tensor x = input("x", f32, {m, n}), length = input("length", i32, {m});
  const Program p = program("p", {x, length}, {compute("y", {m}, [&](Expr i) {
                              return sum(at_most(length(i), n), [&](Expr r) { return x(i, r); });
                            })});
  Jit jit;
  const absl::StatusOr<Kernel> kernel = jit.compile(Schedule(p));
  REQUIRE(kernel.status() == absl::OkStatus());
  const Array data = Array::of<float>({1, 2}, {1, 2}), out(f32, {1});
  for (const int32_t bad : {3, -1}) {
    const Array lengths = Array::of<int32_t>({1}, {bad});
    const absl::Status status = call(*kernel, {data, lengths}, {out}).status();
    CHECK(status.code() == absl::StatusCode::kOutOfRange);
    CHECK(std::string(status.message())
              .find("is " + std::to_string(bad) + ", but must be in [0, 3)") != std::string::npos);
  }
}

TEST_CASE("borders of every kind") {
  Tensor x = input("x", f32, {m, n});
  for (const Tensor& p : {pad_constant(x, 1.5f), pad_edge(x), pad_reflect(x), pad_wrap(x)}) {
    differential({x},
                 {compute("y", {m + 3, n + 5}, [&](Expr i, Expr j) { return p(i - 1, j - 3); })},
                 {require(m >= 1), require(n >= 1)});
  }
}

TEST_CASE("several results, pieces and slices") {
  Tensor x = input("x", f32, {m, n});
  auto [mean, peak] = compute<2>({"mean", "peak"}, {m}, [&](Expr i) -> Values {
    const Expr best = max_over(n, [&](Expr r) { return x(i, r); });
    return {sum(n, [&](Expr r) { return x(i, r) - best; }), best};
  });
  differential({x}, {mean, peak});
  const Tensor twice = compute("twice", {m, n}, [&](Index i) { return x(i) * 2.0f; });
  differential({x}, {concat("y", -1, {x, slice(x, 1, n / 2, n), twice, slice(twice, 1, 0, n, 2)})});
}

TEST_CASE("updates") {
  Tensor x = input("x", f32, {m, n}), ids = input("ids", i32, {k}), v = input("v", f32, {k, n});
  const auto row = [&](Expr r, Expr s) -> Values { return {ids(r) % m, s}; };
  const auto value = [&](Index r) { return v(r); };
  for (const std::optional<Reducer> by :
       {std::optional<Reducer>(), std::optional(Reducer::kSum), std::optional(Reducer::kMax)}) {
    differential(
        {x, ids, v},
        {update("y", x, by ? scatter({k, n}, row, value, *by) : scatter({k, n}, row, value))},
        {require(m >= 1)});
  }
}

TEST_CASE("updates by functions") {
  Tensor bins = input("bins", i32, {n}), v = input("v", f32, {n}), x = input("x", f32, {8});
  const auto greater = [](const Values& s, const Values& t) -> Values {
    const Expr takes = (s[0] < t[0]) | ((s[0] == t[0]) & (t[1] < s[1]));
    return {select(takes, t[0], s[0]), select(takes, t[1], s[1])};
  };
  const Reduction best = reducer("best", {-INFINITY, Expr(std::numeric_limits<int64_t>::max())},
                                 {f32, i64}, greater, greater);
  const Tensor none = compute("none", {8}, [](Expr) { return Expr(-1); });
  const auto at = [&](Expr r) { return bins(r); };
  const auto element = [&](Expr r) -> Values { return {v(r), r}; };
  const auto [value, place] =
      update<2>({"value", "place"}, {x, none}, scatter(n, at, element, best));
  differential({bins, v, x}, {value, place});
  differential({bins, v, x}, {place});
  // Stores of two values at one index.
  const auto [a, b] = update<2>({"a", "b"}, {x, none}, scatter(n, at, element));
  differential({bins, v, x}, {a, b});
  // Whatever commutes, two elements may meet in one bin.
  Schedule s(program("p", {bins, v, x}, {value, place}));
  s.parallelize(s.all_loops("place").back());
  CHECK_FALSE(s.status().ok());
}

TEST_CASE("an index of an update that is out of range is an error of the call") {
  Tensor x = input("x", f32, {m}), ids = input("ids", i32, {n});
  const Program p =
      program("p", {x, ids},
              {update("y", x,
                      scatter(
                          n, [&](Expr r) { return ids(r); }, [](Expr) { return 1.0f; }))});
  Jit jit;
  const absl::StatusOr<Kernel> kernel = jit.compile(Schedule(p));
  REQUIRE(kernel.status() == absl::OkStatus());
  const Array data = Array::of<float>({2}, {1, 2}), out(f32, {2});
  for (const int32_t bad : {2, -1}) {
    const absl::Status status =
        call(*kernel, {data, Array::of<int32_t>({2}, {0, bad})}, {out}).status();
    CHECK(status.code() == absl::StatusCode::kOutOfRange);
    CHECK(std::string(status.message())
              .find("is " + std::to_string(bad) + ", but must be in [0, 2)") != std::string::npos);
  }
}

TEST_CASE("scatters are not run in parallel") {
  Tensor x = input("x", f32, {m}), ids = input("ids", i32, {n});
  Schedule s(program("p", {x, ids},
                     {update("y", x,
                             scatter(
                                 n, [&](Expr r) { return ids(r); }, [](Expr) { return 1.0f; }))}));
  s.parallelize(s.loops("y").back());
  CHECK_FALSE(s.status().ok());
}

TEST_CASE("scans") {
  Tensor x = input("x", f32, {m, n}), u = input("u", f32, {k, k});
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    auto [total, recent] = scan<2>(
        {m}, n, {carry("total", {}, 0.0f), carry("recent", {}, [&](Expr i) { return x(i, 0); })},
        [&](Expr i, Expr t, const Carried& now) -> Next {
          return {now[0]() + x(i, t) * now[1](), max(now[1]() - 1.0f, x(i, t))};
        },
        direction);
    differential({x}, {total.after("a"), total.before("b"), recent.last("c")}, {require(n >= 1)});
  }
  auto [h] =
      scan<1>({m}, n, {carry("h", {k}, 0.5f)}, [&](Expr i, Expr t, const Carried& now) -> Next {
        return {compute("next", {k}, [&](Expr j) {
          return tanh(x(i, t) + sum(k, [&](Expr r) { return u(j, r) * now[0](r); }) -
                      now[0](k - 1 - j));
        })};
      });
  differential({x, u}, {h.after("y"), h.last("z")});
}

TEST_CASE("scans of some steps") {
  Tensor x = input("x", f32, {m, n}), u = input("u", f32, {k, k}),
         length = input("length", i32, {m});
  const auto within = [&](Expr i, Expr t, const Carried&) { return t < length(i); };
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    auto [total, given] = scan<2>(
        {m}, n, {carry("total", {}, 0.0f), gives("given", f32, {})},
        [&](Expr i, Expr t, const Carried& now) -> Next {
          return {now[0]() + x(i, t), now[0]() * x(i, t)};
        },
        within, direction);
    differential({x, length}, {total.last("y")});
    differential({x, length},
                 {total.after("a"), total.before("b"), total.last("c"), given.after("d")});
  }
  // A recurrent network over sequences of different lengths.
  auto [h, c] = scan<2>(
      {m}, n, {carry("h", {k}, 0.0f), carry("c", {k}, 0.25f)},
      [&](Expr i, Expr t, const Carried& now) -> Next {
        const Tensor gate = compute("gate", {k}, [&](Expr j) {
          return sigmoid(x(i, t) + sum(k, [&](Expr r) { return u(j, r) * now[0](r); }));
        });
        const Tensor cell = compute("c_next", {k}, [&](Expr j) {
          return gate(j) * now[1](j) + (1.0f - gate(j)) * tanh(x(i, t));
        });
        return {compute("h_next", {k}, [&](Expr j) { return gate(j) * tanh(cell(j)); }), cell};
      },
      within);
  differential({x, u, length}, {h.last("y"), c.last("cell")});
  differential({x, u, length}, {h.after("all")});
  // Until the sum of a row is above 3, and for odd steps alone.
  auto [sums] = scan<1>(
      {m}, n, {carry("sums", {k}, 0.0f)},
      [&](Expr i, Expr t, const Carried& now) -> Next {
        return {compute("next", {k}, [&](Expr j) { return now[0](k - 1 - j) + x(i, t); })};
      },
      [&](Expr, Expr t, const Carried& now) {
        return (t % 2 == 1) & (sum(k, [&](Expr r) { return now[0](r); }) <= 3.0f);
      });
  differential({x}, {sums.last("y")});
  differential({x}, {sums.after("y")});
}

TEST_CASE("functions of another library") {
  Tensor x = input("x", f32, {m, n});
  const Tensor more = compute("more", {m, n}, [&](Expr i, Expr j) { return x(i, j) + 1.0f; });
  const ExternResult result{"y", f32, {m, n}};
  const auto twice = [&](const Tensor& y) {
    return compute("z", {m, n}, [&](Expr i, Expr j) { return y(i, j) * 2.0f; });
  };
  differential({x}, {twice(extern_call(test::reversed(), result, {more}))});
  differential({x}, {twice(extern_call(test::reversed(), result, {more}, m, [](Expr i) -> Parts {
                 return {.writes = {{i, kWhole}}, .reads = {{m - 1 - i, kWhole}}};
               }))});
  // Blocks of four columns.
  Tensor wide = input("wide", f32, {m, n * 4}), b = input("b", f32, {n});
  const Tensor biased =
      compute("biased", wide.shape(), [&](Expr i, Expr j) { return wide(i, j) + b(j / 4); });
  const Tensor blocks = extern_call(test::reversed(), {"blocks", f32, wide.shape()}, {biased},
                                    {m, n}, [](Expr i, Expr s) -> Parts {
                                      const Part columns(s * 4, s * 4 + 4);
                                      return {.writes = {{i, columns}}, .reads = {{i, columns}}};
                                    });
  differential({wide, b},
               {compute("z", wide.shape(), [&](Expr i, Expr j) { return blocks(i, j) * 2.0f; })});
}

TEST_CASE("the rows of a scan run in parallel, its steps do not") {
  Tensor x = input("x", f32, {m, n});
  auto [total] =
      scan<1>({m}, n, {carry("total", {}, 0.0f)},
              [&](Expr i, Expr t, const Carried& now) -> Next { return {now[0]() + x(i, t)}; });
  const Program p = program("p", {x}, {total.after("y")});
  Schedule rows(p), steps(p);
  const auto [i, t] = rows.loops<2>("y");
  rows.parallelize(i);
  CHECK(rows.status() == absl::OkStatus());
  steps.parallelize(t);
  CHECK(std::string(steps.status().message()).find("both touch total[]") != std::string::npos);
}

}  // namespace
}  // namespace tenon
