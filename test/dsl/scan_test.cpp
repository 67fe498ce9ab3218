#include <catch2/catch.hpp>
#include <cmath>

#include "support/check.h"
#include "tenon/analysis/bounds.h"
#include "tenon/dsl/dsl.h"
#include "tenon/interp/interp.h"

namespace tenon {
namespace {

const Size m("m"), n("n"), k("k");

std::string refusal(const std::vector<ProgramInput>& inputs, const std::vector<Tensor>& outputs) {
  const absl::StatusOr<Program> built = build_program("p", inputs, outputs);
  REQUIRE_FALSE(built.ok());
  return std::string(built.status().message());
}

std::string loops(const Program& p) {
  const absl::StatusOr<Program> safe = with_checked_bounds(test::checked(p));
  INFO(safe.status().message());
  REQUIRE(safe.ok());
  CHECK(print(*safe) == print(p));
  return print(p->body, p);
}

std::vector<float> run(const Program& p, std::vector<int64_t> in_shape,
                       const std::vector<float>& in, std::vector<int64_t> out_shape) {
  Array x = Array::of<float>(std::move(in_shape), in), y(f32, std::move(out_shape));
  REQUIRE(interpret(test::checked(p), {}, {&x, &y}) == absl::OkStatus());
  return y.values<float>();
}

Scanned running_sum(const Tensor& x, Direction direction = Direction::kForward) {
  return scan<1>(
      {x.size(0)}, x.size(1), {carry("total", {}, 0.0f)},
      [&](Expr i, Expr t, const Carried& now) -> Next { return {now[0]() + x(i, t)}; },
      direction)[0];
}

TEST_CASE("a running sum is a store in a serial loop") {
  Tensor x = input("x", f32, {m, n});
  const Program p = program("p", {x}, {running_sum(x).after("y")});
  CHECK(loops(p) == R"(for i in 0..m {
  alloc total: f32[]
  total[] = 0.0
  for t in 0..n {
    total[] = total[] + x[i, t]
    y[i, t] = total[]
  }
}
)");
  CHECK(run(p, {1, 4}, {1, 2, 3, 4}, {1, 4}) == std::vector<float>{1, 3, 6, 10});
}

TEST_CASE("inclusive, exclusive, the last one, and from the other end") {
  Tensor x = input("x", f32, {m, n});
  const auto sums = [&](auto of, Direction direction, std::vector<int64_t> shape) {
    return run(program("p", {x}, {of(running_sum(x, direction))}), {1, 4}, {1, 2, 3, 4}, shape);
  };
  const auto after = [](const Scanned& s) { return s.after("y"); };
  const auto before = [](const Scanned& s) { return s.before("y"); };
  const auto last = [](const Scanned& s) { return s.last("y"); };
  CHECK(sums(before, Direction::kForward, {1, 4}) == std::vector<float>{0, 1, 3, 6});
  CHECK(sums(last, Direction::kForward, {1}) == std::vector<float>{10});
  CHECK(sums(after, Direction::kBackward, {1, 4}) == std::vector<float>{10, 9, 7, 4});
  CHECK(sums(before, Direction::kBackward, {1, 4}) == std::vector<float>{9, 7, 4, 0});
  CHECK(sums(last, Direction::kBackward, {1}) == std::vector<float>{10});
  const Program p = program("p", {x}, {running_sum(x, Direction::kBackward).after("y")});
  CHECK_THAT(loops(p), Catch::Contains("total[] = total[] + x[i, n - 1 - t]"));
}

TEST_CASE("all results of a scan come from one loop") {
  Tensor x = input("x", f32, {m, n});
  const Scanned total = running_sum(x);
  CHECK(loops(program("p", {x}, {total.before("b"), total.last("l"), total.after("a")})) ==
        R"(for i in 0..m {
  alloc total: f32[]
  total[] = 0.0
  for t in 0..n {
    b[i, t] = total[]
    total[] = total[] + x[i, t]
    a[i, t] = total[]
  }
  l[i] = total[]
}
)");
}

TEST_CASE("a step sees the states as they were before it") {
  // Fibonacci numbers: (a, b) -> (b, a + b).
  Tensor x = input("x", f32, {1});
  auto [a, b] = scan<2>({}, 8, {carry("a", {}, 0.0f), carry("b", {}, 1.0f)},
                        [&](Expr, const Carried& now) -> Next {
                          return {now[1], now[0]() + now[1]()};
                        });
  const Program p = program("p", {x}, {a.after("y")});
  CHECK(run(p, {1}, {0}, {8}) == std::vector<float>{1, 1, 2, 3, 5, 8, 13, 21});
}

TEST_CASE("a state that is read at other indices than it is written is computed aside") {
  // One step of a diffusion on a ring.
  Tensor x = input("x", f32, {n});
  auto [u] = scan<1>(
      {}, k, {carry("u", {n}, [&](Expr j) { return x(j); })},
      [&](Expr, const Carried& now) -> Next {
        const Tensor ring = pad_wrap(now[0]);
        return {compute("next", {n}, [&](Expr j) { return ring(j - 1) + ring(j) + ring(j + 1); })};
      });
  const Program p = program("p", {x}, {u.last("y")});
  CHECK_THAT(print(test::checked(p)), Catch::Contains(R"(    for i_2 in 0..n {
      u[i_2] = next[i_2]
    }
)"));
  Array in = Array::of<float>({4}, {1, 0, 0, 0}), out(f32, {4});
  REQUIRE(interpret(p, {{k, 2}}, {&in, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{3, 2, 2, 2});
}

// c and h of an LSTM cell, without biases.
std::array<Scanned, 2> lstm(const Tensor& x, const Tensor& u, const Expr& hidden) {
  return scan<2>(
      {x.size(0)}, x.size(1), {carry("h", {hidden}, 0.0f), carry("c", {hidden}, 0.0f)},
      [&](Expr i, Expr t, const Carried& now) -> Next {
        const Tensor gate = compute("gate", {4, hidden}, [&](Expr g, Expr j) {
          return x(i, t, g, j) + sum(hidden, [&](Expr r) { return u(g, j, r) * now[0](r); });
        });
        const Tensor c = compute("c_next", {hidden}, [&](Expr j) {
          return sigmoid(gate(0, j)) * now[1](j) + sigmoid(gate(1, j)) * tanh(gate(2, j));
        });
        const Tensor h =
            compute("h_next", {hidden}, [&](Expr j) { return sigmoid(gate(3, j)) * tanh(c(j)); });
        return {h, c};
      });
}

TEST_CASE("steps build tensors and reduce over the states; what is safe happens in place") {
  Tensor x = input("x", f32, {m, n, 4, k}), u = input("u", f32, {4, k, k});
  auto [h, c] = lstm(x, u, k);
  const Program p = program("p", {x, u}, {h.after("y"), c.last("last")});
  CHECK(loops(p) == R"(for i in 0..m {
  alloc h: f32[k]
  for j in 0..k {
    h[j] = 0.0
  }
  alloc c: f32[k]
  for j_1 in 0..k {
    c[j_1] = 0.0
  }
  for t in 0..n {
    alloc gate_sum: f32[4, k]
    for i_1 in 0..4 {
      for j_2 in 0..k {
        gate_sum[i_1, j_2] = -0.0
        for r in 0..k {
          gate_sum[i_1, j_2] += u[i_1, j_2, r] * h[r]
        }
      }
    }
    alloc gate: f32[4, k]
    for i_2 in 0..4 {
      for j_3 in 0..k {
        gate[i_2, j_3] = x[i, t, i_2, j_3] + gate_sum[i_2, j_3]
      }
    }
    for i_3 in 0..k {
      c[i_3] = sigmoid(gate[0, i_3]) * c[i_3] + sigmoid(gate[1, i_3]) * tanh(gate[2, i_3])
    }
    for i_4 in 0..k {
      h[i_4] = sigmoid(gate[3, i_4]) * tanh(c[i_4])
    }
    for j_4 in 0..k {
      y[i, t, j_4] = h[j_4]
    }
  }
  for j_5 in 0..k {
    last[i, j_5] = c[j_5]
  }
}
)");
}

TEST_CASE("online softmax: an old state that is still needed is kept") {
  // y[i, d] = softmax over t of q[i, t], times v[t, d].
  Tensor q = input("q", f32, {m, n}), v = input("v", f32, {n, k});
  auto [peak, total, acc] = scan<3>(
      {m}, n,
      {carry("peak", {}, Expr(-INFINITY)), carry("total", {}, 0.0f), carry("acc", {k}, 0.0f)},
      [&](Expr i, Expr t, const Carried& now) -> Next {
        const Expr next = max(now[0](), q(i, t));
        const Expr scale = exp(now[0]() - next), p = exp(q(i, t) - next);
        return {next, now[1]() * scale + p,
                compute("acc_next", {k}, [&](Expr d) { return now[2](d) * scale + p * v(t, d); })};
      });
  const Tensor a = acc.last("a"), s = total.last("s");
  const Program p =
      program("p", {q, v}, {compute("y", {m, k}, [&](Expr i, Expr d) { return a(i, d) / s(i); })});
  const std::string text = loops(p);
  CHECK_THAT(text, Catch::Contains("alloc peak_next: f32[]") &&
                       !Catch::Contains("alloc acc_next") && !Catch::Contains("alloc total_next"));
  Array in = Array::of<float>({1, 3}, {1, 3, 2}), values = Array::of<float>({3, 1}, {1, 10, 100});
  Array out(f32, {1, 1});
  REQUIRE(interpret(p, {}, {&in, &values, &out}) == absl::OkStatus());
  const double e1 = std::exp(-2.0), e2 = 1, e3 = std::exp(-1.0);
  CHECK(out.at<float>(0) == Approx((e1 + 10 * e2 + 100 * e3) / (e1 + e2 + e3)));
}

TEST_CASE("what a step gives besides its states") {
  // A state space model: y[t] = sum of c * h, without keeping the states of all steps.
  Tensor x = input("x", f32, {n}), c = input("c", f32, {k});
  auto [h, y] = scan<2>(
      {}, n, {carry("h", {k}, 0.0f), gives("y", f32, {})}, [&](Expr t, const Carried& now) -> Next {
        const Tensor next = compute("next", {k}, [&](Expr s) { return now[0](s) * 0.5f + x(t); });
        return {next, sum(k, [&](Expr s) { return c(s) * next(s); })};
      });
  const Program p = test::checked(program("p", {x, c}, {y.after("out")}));
  Array in = Array::of<float>({3}, {1, 2, 3}), cs = Array::of<float>({2}, {1, 10}), out(f32, {3});
  REQUIRE(interpret(p, {}, {&in, &cs, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{11, 27.5f, 46.75f});
  CHECK(refusal({x, c}, {y.last("out")}) ==
        "in the definition of out: scan: y is given by each step and is no state; after() is what "
        "it has");
}

TEST_CASE("a scan in a step of a scan") {
  // The running sum over rows of the running product along each row.
  Tensor x = input("x", f32, {m, n});
  auto [total] =
      scan<1>({}, m, {carry("total", {n}, 0.0f)}, [&](Expr t, const Carried& now) -> Next {
        auto [product] =
            scan<1>({}, n, {carry("product", {}, 1.0f)},
                    [&](Expr s, const Carried& inner) -> Next { return {inner[0]() * x(t, s)}; });
        const Tensor row = product.after("row");
        return {compute("next", {n}, [&](Expr j) { return now[0](j) + row(j); })};
      });
  CHECK(run(program("p", {x}, {total.after("y")}), {2, 3}, {1, 2, 3, 4, 5, 6}, {2, 3}) ==
        std::vector<float>{1, 2, 6, 5, 22, 126});
}

TEST_CASE("an index for every rank") {
  Tensor x = input("x", f32, {2, 1, 3});
  auto [total] = scan<1>({2, 1}, 3, {carry("total", {}, 0.0f)},
                         [&](Index at, const Carried& now) -> Next { return {now[0]() + x(at)}; });
  CHECK(run(program("p", {x}, {total.last("y")}), {2, 1, 3}, {1, 2, 3, 4, 5, 6}, {2, 1}) ==
        std::vector<float>{6, 15});
}

TEST_CASE("a frozen row keeps its state") {
  Tensor x = input("x", f32, {m, n}), length = input("length", i32, {m});
  auto [total] =
      scan<1>({m}, n, {carry("total", {}, 0.0f)}, [&](Expr i, Expr t, const Carried& now) -> Next {
        return {select(t < length(i), now[0]() + x(i, t), now[0]())};
      });
  const Program p = test::checked(program("p", {x, length}, {total.last("y")}));
  Array in = Array::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), rows = Array::of<int32_t>({2}, {2, 0});
  Array out(f32, {2});
  REQUIRE(interpret(p, {}, {&in, &rows, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{3, 0});
}

TEST_CASE("two programs may share a scan, and no steps leave the start") {
  Tensor x = input("x", f32, {m, n});
  const Scanned total = running_sum(x);
  CHECK(run(program("p", {x}, {total.last("y")}), {1, 0}, {}, {1}) == std::vector<float>{0});
  CHECK(run(program("q", {x}, {total.after("y")}), {1, 2}, {1, 2}, {1, 2}) ==
        std::vector<float>{1, 3});
}

TEST_CASE("wrong scans are reported") {
  Tensor x = input("x", f32, {m, n});
  Tensor leaked, state;
  const auto define = [&](auto step) {
    return scan<1>({m}, n, {carry("s", {k}, 0.0f)}, step)[0].last("y");
  };
  const std::string in_y = "in the definition of y: scan: ";
  using R = const Carried&;
  CHECK(refusal({x}, {define([](Expr, Expr, R now) -> Next {
                  return {now[0], now[0]};
                })}) == in_y + "the step gives 2 values for 1 states");
  CHECK(refusal({x}, {define([&](Expr, Expr, R) -> Next { return {x}; })}) ==
        in_y + "the next s is f32[m, n], and the state is f32[k]");
  CHECK(refusal({x}, {define([](Expr, Expr t, R) -> Next { return {t}; })}) ==
        in_y + "the next s is i64, and the state is f32; cast it");
  CHECK(refusal({x}, {define([](Expr, R now) -> Next { return {now[0]}; })}) ==
        in_y + "the step takes 2 indices (or one tn::Index) and the states");
  CHECK(refusal({x}, {scan<1>({m}, 0.5f, {carry("s", {}, 0.0f)},
                              [](Expr, Expr, R now) -> Next { return {now[0]}; })[0]
                          .last("y")}) ==
        in_y + "the number of steps has type f32; it must be an integer");
  const auto two =
      scan<2>({m}, n, {carry("s", {}, 0.0f)}, [](Expr, Expr, R now) -> Next { return {now[0]}; });
  CHECK(refusal({x}, {two[1].last("y")}) == in_y + "it has fewer states than are asked for");
  const Tensor good = define([&](Expr, Expr t, R now) -> Next {
    state = now[0];
    leaked = compute("leaked", {k}, [&](Expr j) { return now[0](j) + cast(f32, t); });
    return {leaked};
  });
  CHECK(refusal({x}, {good, leaked}).find("outside of the") != std::string::npos);
  CHECK(refusal({x}, {state}) ==
        "program p: output s is the state of a scan; its results are after(), before() and last()");
  CHECK(refusal({x}, {good, compute("z", {k}, [&](Expr j) { return state(j); })}) ==
        "program p uses state s outside of the step that it belongs to");
}

}  // namespace
}  // namespace tenon
