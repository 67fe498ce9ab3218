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

// The running sum of rows up to their lengths.
Scanned sum_up_to(const Tensor& x, const Tensor& length,
                  Direction direction = Direction::kForward) {
  return scan<1>(
      {x.size(0)}, x.size(1), {carry("total", {}, 0.0f)},
      [&](Expr i, Expr t, const Carried& now) -> Next { return {now[0]() + x(i, t)}; },
      [&](Expr i, Expr t, const Carried&) { return t < length(i); }, direction)[0];
}

TEST_CASE("steps beyond a length are not taken, and the loop ends there for the last state") {
  Tensor x = input("x", f32, {m, n}), length = input("length", i32, {m});
  const Program last = program("p", {x, length}, {sum_up_to(x, length).last("y")});
  CHECK(loops(last) == R"(for i in 0..m {
  alloc total: f32[]
  total[] = 0.0
  for t in 0..min(n, cast<i64>(length[i])) {
    total[] = total[] + x[i, t]
  }
  y[i] = total[]
}
)");
  const Program after = program("p", {x, length}, {sum_up_to(x, length).after("y")});
  CHECK(loops(after) == R"(for i in 0..m {
  alloc total: f32[]
  total[] = 0.0
  for t in 0..n {
    if t < cast<i64>(length[i]) {
      total[] = total[] + x[i, t]
    }
    y[i, t] = total[]
  }
}
)");
  // Elements beyond the length are not read, NaN or not; lengths below 0 and beyond n are none and
  // all.
  const float nan = NAN;
  Array in = Array::of<float>({4, 3}, {1, 2, nan, nan, nan, nan, 4, 5, 6, nan, nan, nan});
  Array rows = Array::of<int32_t>({4}, {2, 0, 7, -1}), final_states(f32, {4}), all(f32, {4, 3});
  REQUIRE(interpret(last, {}, {&in, &rows, &final_states}) == absl::OkStatus());
  CHECK(final_states.values<float>() == std::vector<float>{3, 0, 15, 0});
  REQUIRE(interpret(after, {}, {&in, &rows, &all}) == absl::OkStatus());
  CHECK(all.values<float>() == std::vector<float>{1, 3, 3, 0, 0, 0, 4, 9, 15, 0, 0, 0});
}

TEST_CASE("states before the steps, and rows that end from the other side") {
  Tensor x = input("x", f32, {m, n}), length = input("length", i32, {m});
  const auto values = [&](const Tensor& y, std::vector<int64_t> shape) {
    Array in = Array::of<float>({2, 3}, {1, 2, NAN, NAN, NAN, NAN});
    Array rows = Array::of<int32_t>({2}, {2, 0}), out(f32, std::move(shape));
    const Program p = program("p", {x, length}, {y});
    loops(p);
    REQUIRE(interpret(p, {}, {&in, &rows, &out}) == absl::OkStatus());
    return out.values<float>();
  };
  CHECK(values(sum_up_to(x, length).before("y"), {2, 3}) == std::vector<float>{0, 1, 3, 0, 0, 0});
  const Scanned back = sum_up_to(x, length, Direction::kBackward);
  CHECK(values(back.after("y"), {2, 3}) == std::vector<float>{3, 2, 0, 0, 0, 0});
  CHECK(values(back.before("y"), {2, 3}) == std::vector<float>{2, 0, 0, 0, 0, 0});
  CHECK(values(back.last("y"), {2}) == std::vector<float>{3, 0});
  CHECK_THAT(print(program("p", {x, length}, {back.last("y")})),
             Catch::Contains("for t in max(n - cast<i64>(length[i]), 0)..n {"));
}

TEST_CASE("a condition on a state is asked before each step, and a state keeps it for good") {
  // Until the sum is above 4: then it stands. The flag is a state of its own.
  Tensor x = input("x", f32, {n});
  auto [total, done] = scan<2>(
      {}, n, {carry("total", {}, 0.0f), carry("done", {}, Expr(false))},
      [&](Expr t, const Carried& now) -> Next {
        return {now[0]() + x(t), x(t) < 0.0f};
      },
      [](Expr, const Carried& now) { return ~now[1]() & (now[0]() <= 4.0f); });
  const Program p = program("p", {x}, {total.after("y"), done.last("end")});
  CHECK_THAT(loops(p), Catch::Contains(R"(  alloc y_taken: bool[]
  y_taken[] = !done[] & total[] <= 4.0
  if y_taken[] {
    total[] = total[] + x[t]
  }
  if y_taken[] {
    done[] = x[t] < 0.0
  }
  y[t] = total[]
)"));
  const auto sums = [&](const std::vector<float>& values) {
    Array in = Array::of<float>({4}, values), y(f32, {4}), end(boolean, {});
    REQUIRE(interpret(p, {}, {&in, &y, &end}) == absl::OkStatus());
    return y.values<float>();
  };
  CHECK(sums({1, 2, 3, 4}) == std::vector<float>{1, 3, 6, 6});
  CHECK(sums({1, -2, 3, 4}) == std::vector<float>{1, -1, -1, -1});
  CHECK(sums({NAN, 1, 1, 1})[0] != sums({NAN, 1, 1, 1})[0]);
}

TEST_CASE("nothing of a step that is not taken is evaluated, tensors of the step included") {
  // The index is out of range where the step is not taken.
  Tensor x = input("x", f32, {k}), ids = input("ids", i32, {m, n}),
         length = input("length", i32, {m});
  auto [h, given] = scan<2>(
      {m}, n, {carry("h", {k}, 1.0f), gives("given", f32, {})},
      [&](Expr i, Expr t, const Carried& now) -> Next {
        const Tensor next = compute("h_next", {k}, [&](Expr j) {
          return now[0](k - 1 - j) + x(ids(i, t)) + sum(k, [&](Expr r) { return now[0](r); });
        });
        return {next, x(ids(i, t))};
      },
      [&](Expr i, Expr t, const Carried&) { return t < length(i); });
  const Program p = test::checked(
      program("p", {x, ids, length}, {h.last("y"), h.after("all"), given.after("g")}));
  Array in = Array::of<float>({2}, {10, 20}), at = Array::of<int32_t>({2, 2}, {1, 0, 9, -9});
  Array rows = Array::of<int32_t>({2}, {2, 0}), y(f32, {2, 2}), all(f32, {2, 2, 2}), g(f32, {2, 2});
  REQUIRE(interpret(p, {}, {&in, &at, &rows, &y, &all, &g}) == absl::OkStatus());
  // 1 + 20 + 2, and 23 + 10 + 46.
  CHECK(y.values<float>() == std::vector<float>{79, 79, 1, 1});
  CHECK(all.values<float>() == std::vector<float>{23, 23, 79, 79, 1, 1, 1, 1});
  CHECK(g.values<float>() == std::vector<float>{20, 10, 0, 0});
}

TEST_CASE("an LSTM over sequences of their own lengths") {
  const Size hidden("hidden");
  Tensor x = input("x", f32, {m, n}), w = input("w", f32, {4, hidden}),
         u = input("u", f32, {4, hidden, hidden}), length = input("length", i32, {m});
  auto [h, c] = scan<2>(
      {m}, n, {carry("h", {hidden}, 0.0f), carry("c", {hidden}, 0.0f)},
      [&](Expr i, Expr t, const Carried& now) -> Next {
        const Tensor gate = compute("gate", {4, hidden}, [&](Expr g, Expr j) {
          return x(i, t) * w(g, j) + sum(hidden, [&](Expr r) { return u(g, j, r) * now[0](r); });
        });
        const Tensor cell = compute("cell", {hidden}, [&](Expr j) {
          return sigmoid(gate(0, j)) * now[1](j) + sigmoid(gate(1, j)) * tanh(gate(2, j));
        });
        return {
            compute("next", {hidden}, [&](Expr j) { return sigmoid(gate(3, j)) * tanh(cell(j)); }),
            cell};
      },
      [&](Expr i, Expr t, const Carried&) { return t < length(i); });
  const Program p = program("lstm", {x, w, u, length}, {h.after("all"), c.last("end")});
  loops(p);
  constexpr int64_t kRows = 3, kSteps = 4, kHidden = 2;
  const std::vector<int32_t> lengths = {2, 0, 4};
  const auto values = [](int64_t count, double scale) {
    std::vector<float> v;
    for (int64_t e = 0; e < count; ++e) v.push_back(static_cast<float>(scale * ((e * 7) % 5 - 2)));
    return v;
  };
  const std::vector<float> xs = values(kRows * kSteps, 0.5), ws = values(4 * kHidden, 0.25),
                           us = values(4 * kHidden * kHidden, 0.125);
  Array in = Array::of<float>({kRows, kSteps}, xs), weights = Array::of<float>({4, kHidden}, ws);
  Array loop_weights = Array::of<float>({4, kHidden, kHidden}, us);
  Array rows = Array::of<int32_t>({kRows}, lengths), states(f32, {kRows, kSteps, kHidden});
  Array cells(f32, {kRows, kHidden});
  REQUIRE(interpret(p, {}, {&in, &weights, &loop_weights, &rows, &states, &cells}) ==
          absl::OkStatus());
  const auto sigma = [](double e) { return 1 / (1 + std::exp(-e)); };
  for (int64_t i = 0; i < kRows; ++i) {
    double hs[kHidden] = {0, 0}, cs[kHidden] = {0, 0};
    for (int64_t t = 0; t < kSteps; ++t) {
      if (t < lengths[static_cast<size_t>(i)]) {
        double gates[4][kHidden];
        for (int64_t g = 0; g < 4; ++g) {
          for (int64_t j = 0; j < kHidden; ++j) {
            double sum =
                xs[static_cast<size_t>(i * kSteps + t)] * ws[static_cast<size_t>(g * kHidden + j)];
            for (int64_t r = 0; r < kHidden; ++r) {
              sum += us[static_cast<size_t>((g * kHidden + j) * kHidden + r)] * hs[r];
            }
            gates[g][j] = sum;
          }
        }
        for (int64_t j = 0; j < kHidden; ++j) {
          cs[j] = sigma(gates[0][j]) * cs[j] + sigma(gates[1][j]) * std::tanh(gates[2][j]);
          hs[j] = sigma(gates[3][j]) * std::tanh(cs[j]);
        }
      }
      for (int64_t j = 0; j < kHidden; ++j) {
        CHECK(states.at<float>((i * kSteps + t) * kHidden + j) == Approx(hs[j]).margin(1e-6));
      }
    }
    for (int64_t j = 0; j < kHidden; ++j) {
      CHECK(cells.at<float>(i * kHidden + j) == Approx(cs[j]).margin(1e-6));
    }
  }
}

TEST_CASE("a condition may ask what the step computes, and reduce") {
  Tensor x = input("x", f32, {n, k});
  auto [h] = scan<1>(
      {}, n, {carry("h", {k}, 0.0f)},
      [&](Expr t, const Carried& now) -> Next {
        return {compute("h_next", {k}, [&](Expr j) { return now[0](j) + x(t, j); })};
      },
      [&](Expr t, const Carried& now) {
        const Tensor sums = compute("sums", {k}, [&](Expr j) { return now[0](j) + x(t, j); });
        return tenon::all(k, [&](Expr r) { return sums(r) < 5.0f; });
      });
  const Program p = program("p", {x}, {h.last("y")});
  loops(p);
  CHECK(run(p, {3, 2}, {1, 2, 9, 1, 2, 1}, {2}) == std::vector<float>{3, 3});
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
                })}) == in_y + "the step gives 2 values, and it has 1 state");
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
  const auto taken = [&](auto where) {
    return scan<1>(
               {m}, n, {carry("s", {}, 0.0f)}, [](Expr, Expr, R now) -> Next { return {now[0]}; },
               where)[0]
        .last("y");
  };
  CHECK(refusal({x}, {taken([](Expr, Expr t, R) { return t; })}) ==
        in_y + "where is i64; it must be bool");
  CHECK(refusal({x}, {taken([](Expr, Expr, R) { return Expr(); })}) ==
        in_y + "where is an empty expression");
  CHECK(refusal({x}, {taken([](Expr t, R) { return t < 1; })}) ==
        in_y + "where takes 2 indices (or one tn::Index) and the states");
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
