#include <catch2/catch.hpp>

#include "support/check.h"
#include "support/rng.h"
#include "tenon/analysis/bounds.h"
#include "tenon/dsl/dsl.h"
#include "tenon/interp/interp.h"

namespace tenon {
namespace {

const Size m("m"), n("n"), k("k"), h("h");

// The loops of a program whose accesses are all proved to stay inside.
std::string loops(const Program& p) {
  const absl::StatusOr<Program> safe = with_checked_bounds(test::checked(p));
  INFO(safe.status().message());
  REQUIRE(safe.ok());
  CHECK(print(*safe) == print(p));
  return print(p->body, p);
}

std::string refusal(const Tensor& x, const Expr& value) {
  const absl::StatusOr<Program> built =
      build_program("p", {x}, {compute("y", {}, [&](Index) { return value; })});
  REQUIRE_FALSE(built.ok());
  return std::string(built.status().message());
}

TEST_CASE("a condition that is linear in the axis is a bound of the loop") {
  Tensor x = input("x", f32, {m, k});
  CHECK(loops(program("p", {x}, {compute("y", {m}, [&](Expr i) {
                        return sum(Domain(k).where([&](Expr r) { return r <= i; }),
                                   [&](Expr r) { return x(i, r); });
                      })})) == R"(for i in 0..m {
  y[i] = -0.0
  for r in 0..min(k, i + 1) {
    y[i] += x[i, r]
  }
}
)");
}

TEST_CASE("a window that padding clips becomes a shorter window") {
  Tensor x = input("x", f32, {h, n}), w = input("w", f32, {3, 3});
  CHECK(loops(program("p", {x, w}, {compute("y", {h, n}, [&](Expr i, Expr j) {
                        const Domain window = Domain({3, 3}).where([&](Expr a, Expr b) {
                          return inside(i + a - 1, h) & inside(j + b - 1, n);
                        });
                        return sum(window, [&](Expr a, Expr b) {
                          return x(i + a - 1, j + b - 1) * w(a, b);
                        });
                      })})) == R"(for i in 0..h {
  for j in 0..n {
    y[i, j] = -0.0
    for r in max(1 - i, 0)..min(h - i + 1, 3) {
      for s in max(1 - j, 0)..min(n - j + 1, 3) {
        y[i, j] += x[i + r - 1, j + s - 1] * w[r, s]
      }
    }
  }
}
)");
}

TEST_CASE("a residue class makes the axis step: a transposed convolution gathers") {
  Tensor x = input("x", f32, {h}), w = input("w", f32, {k});
  const Tensor y = compute("y", {2 * h + k - 2}, [&](Expr i) {
    const Domain taps =
        Domain(k).where([&](Expr r) { return ((i - r) % 2 == 0) & inside((i - r) / 2, h); });
    return sum(taps, [&](Expr r) { return x((i - r) / 2) * w(r); });
  });
  const Program p = program("p", {x, w}, {y});
  CHECK(loops(p) == R"(for i in 0..2 * h + k - 2 {
  y[i] = -0.0
  for r in (max(i - h * 2 + 1, 0) - i % 2 + 1) // 2..(min(k, i + 1) - i % 2 + 1) // 2 {
    y[i] += x[i // 2 - r] * w[r * 2 + i % 2]
  }
}
)");
  Array a = Array::of<float>({3}, {1, 2, 3}), b = Array::of<float>({3}, {10, 20, 30}), c(f32, {7});
  REQUIRE(interpret(p, {}, {&a, &b, &c}) == absl::OkStatus());
  CHECK(c.values<float>() == std::vector<float>{10, 20, 30 + 20, 40, 60 + 30, 60, 90});
}

TEST_CASE("a bound on an axis may use the axes before it") {
  Tensor x = input("x", f32, {n});
  CHECK(loops(program("p", {x}, {compute("y", {}, [&](Index) {
                        return sum(Domain({n, n}).where([](Expr r, Expr s) { return s < r; }),
                                   [&](Expr r, Expr s) { return x(r) * x(s); });
                      })})) == R"(y[] = -0.0
for r in 0..n {
  for s in 0..r {
    y[] += x[r] * x[s]
  }
}
)");
}

TEST_CASE("what is no bound stays a select, and a guard for reductions by functions") {
  Tensor x = input("x", f32, {m, n});
  const auto positive = [&](Expr i) {
    return Domain(n).where([&x, i](Expr r) { return (x(i, r) > 0.0f) & (r >= i); });
  };
  const Program p = program(
      "p", {x},
      {compute("y", {m}, [&](Expr i) { return sum(positive(i), [&](Expr r) { return x(i, r); }); }),
       compute("z", {m},
               [&](Expr i) { return argmax(positive(i), [&](Expr r) { return x(i, r); }); })});
  CHECK(loops(p) == R"(for i in 0..m {
  y[i] = -0.0
  for r in i..n {
    y[i] += select(0.0 < x[i, r], x[i, r], -0.0)
  }
}
alloc z_best: f32[m]
for i_1 in 0..m {
  z_best[i_1] = -inf
  z[i_1] = -1
  for r_1 in i_1..n {
    if 0.0 < x[i_1, r_1] {
      (z_best, z)[i_1] argmax= (x[i_1, r_1], r_1)
    }
  }
}
)");
  Array a = Array::of<float>({2, 3}, {-1, 5, 7, 9, -4, -5}), y(f32, {2}), z(i64, {2});
  REQUIRE(interpret(p, {}, {&a, &y, &z}) == absl::OkStatus());
  CHECK(y.values<float>() == std::vector<float>{12, 0});
  CHECK(z.values<int64_t>() == std::vector<int64_t>{2, -1});
}

TEST_CASE("an element that is left out is not evaluated, reductions in it included") {
  // The sum over r < i of the sum of x[i - r - 1].
  Tensor x = input("x", f32, {m, k});
  const Tensor y = compute("y", {m}, [&](Expr i) {
    return sum(Domain(m).where([&](Expr r) { return (r < i) & (x(r, 0) > 0.0f); }),
               [&](Expr r) { return sum(k, [&](Expr s) { return x(i - r - 1, s); }) + 1.0f; });
  });
  const Program p = test::checked(program("p", {x}, {y}, {require(k >= 1)}));
  REQUIRE(with_checked_bounds(p).ok());
  Array a = Array::of<float>({3, 2}, {1, 2, -1, 5, 7, 9}), b(f32, {3});
  REQUIRE(interpret(p, {}, {&a, &b}) == absl::OkStatus());
  CHECK(b.values<float>() == std::vector<float>{0, 4, 5});
}

TEST_CASE("an extent that is data and its promise") {
  Tensor x = input("x", f32, {m, n}), length = input("length", i32, {m});
  const Program p = program("p", {x, length}, {compute("y", {m}, [&](Expr i) {
                              return sum(at_most(length(i), n), [&](Expr r) { return x(i, r); });
                            })});
  CHECK(loops(p) == R"(for i in 0..m {
  y[i] = -0.0
  for r in 0..check(cast<i64>(length[i]), n + 1) {
    y[i] += x[i, r]
  }
}
)");
  Array a = Array::of<float>({2, 2}, {1, 2, 4, 8}), y(f32, {2});
  Array good = Array::of<int32_t>({2}, {2, 0}), long_one = Array::of<int32_t>({2}, {1, 3}),
        negative = Array::of<int32_t>({2}, {-1, 1});
  REQUIRE(interpret(p, {}, {&a, &good, &y}) == absl::OkStatus());
  CHECK(y.values<float>() == std::vector<float>{3, 0});
  const absl::Status too_long = interpret(p, {}, {&a, &long_one, &y});
  CHECK(too_long.code() == absl::StatusCode::kOutOfRange);
  CHECK(std::string(too_long.message()).substr(0, 26) == "index 3 is not in [0, 3), ");
  CHECK(interpret(p, {}, {&a, &negative, &y}).code() == absl::StatusCode::kOutOfRange);
}

TEST_CASE("data may bound a loop where moving it cannot wrap around") {
  Tensor x = input("x", i64, {m, n}), length = input("length", i32, {m}),
         far = input("far", i64, {m});
  const auto total = [&](const Tensor& limit) {
    return compute("y", {m}, [&](Expr i) {
      return sum(Domain(n).where([&](Expr r) { return r <= limit(i); }),
                 [&](Expr r) { return x(i, r); });
    });
  };
  CHECK(loops(program("p", {x, length}, {total(length)})) == R"(for i in 0..m {
  y[i] = 0
  for r in 0..min(n, cast<i64>(length[i]) + 1) {
    y[i] += x[i, r]
  }
}
)");
  const Program p = program("p", {x, far}, {total(far)});
  CHECK_THAT(loops(p), Catch::Contains("for r in 0..n") && Catch::Contains("select(r <= far[i]"));
  Array a = Array::of<int64_t>({1, 2}, {3, 4}), b = Array::of<int64_t>({1}, {INT64_MAX}),
        y(i64, {1});
  REQUIRE(interpret(p, {}, {&a, &b, &y}) == absl::OkStatus());
  CHECK(y.at<int64_t>(0) == 7);
}

TEST_CASE("wrong conditions and extents are reported") {
  Tensor x = input("x", f32, {n});
  const auto all = [&](Index r) { return x(r); };
  const auto wrong = [&](auto condition) { return sum(Domain(n).where(condition), all); };
  CHECK(refusal(x, wrong([&](Expr r) { return x(r); })) ==
        "in the definition of y: where: the condition has type f32; it must be bool: "
        "compare it");
  CHECK(refusal(x, wrong([&](Expr) { return Expr(); })) ==
        "in the definition of y: where: the function returns no expression");
  CHECK(refusal(x, wrong([&](Expr r, Expr) { return r > 0; })) ==
        "in the definition of y: a function over 1 dimension takes 1 index or one tn::Index");
  CHECK(refusal(x, wrong([&](Expr r) { return x(r) & x(r); })).find("operator &") !=
        std::string::npos);
  CHECK(refusal(x, sum(at_most(x(0), n), all)) ==
        "in the definition of y: at_most: an extent has type f32; it must be an integer");
  CHECK(refusal(x, sum(at_most(Expr(), n), all)) ==
        "in the definition of y: at_most: an extent is empty");
}

// --- Bounds against the conditions that they come from.

class Conditions {
 public:
  explicit Conditions(uint64_t seed) : rng_(seed) {}

  // Over enclosing indices and axes; few forms, so that several meet in one axis.
  Expr draw(const std::vector<Expr>& vars, const Expr& size, const Expr& data) {
    Expr all = one(vars, size, data);
    while (rng_.chance(60)) all = all & one(vars, size, data);
    return all;
  }
  int below(int count) { return rng_.below(count); }

 private:
  Expr linear(const std::vector<Expr>& vars, const Expr& size, const Expr& data) {
    Expr e = Expr(rng_.between(-4, 4));
    for (int terms = rng_.between(1, 3); terms > 0; --terms) {
      e = e + Expr(rng_.between(-3, 3)) * rng_.pick(vars);
    }
    if (rng_.chance(20)) e = e + size;
    if (rng_.chance(10)) e = e - cast(i64, data);
    return e;
  }
  Expr one(const std::vector<Expr>& vars, const Expr& size, const Expr& data) {
    const Expr a = linear(vars, size, data), b = linear(vars, size, data);
    const Expr c(rng_.between(2, 4));
    switch (rng_.below(9)) {
      case 0: return a % c == Expr(rng_.between(-1, 3));
      case 1: return a / c < b;
      case 2: return b <= a / c;
      case 3: return Expr(rng_.between(0, 2)) == a % c;
      case 4: return rng_.chance(30) ? a == b : a != b;
      case 5: return (a < b) | (a % c == 0);
      case 6: return rng_.chance(50) ? a * a < b : a % c <= b;
      case 7: return a <= b;
      default: return a < b;
    }
  }
  test::Rng rng_;
};

TEST_CASE("random conditions: the loops run over the elements that the conditions leave") {
  Tensor x = input("x", i32, {3});
  int64_t shorter = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Conditions conditions(seed);
    const Domain box = seed % 3 == 0 ? Domain(n) : Domain({n, 3 + conditions.below(4)});
    // The order of the elements matters for the value.
    const auto define = [&](Expr i, bool by_select) {
      Expr first;
      const auto condition = [&](Index r) {
        if (!first) {
          std::vector<Expr> vars = {i};
          vars.insert(vars.end(), r.begin(), r.end());
          vars.push_back(r[-1]);
          first = conditions.draw(vars, n, x(i % 3));
        }
        return first;
      };
      const auto element = [&](Index r) {
        Expr e = i + 7;
        for (const Expr& index : r) e = e * 31 + index;
        return e;
      };
      if (!by_select) return sum(box.where(condition), element);
      return sum(box, [&](Index r) { return select(condition(r), element(r), Expr(0)); });
    };
    const Tensor y = compute("y", {5}, [&](Expr i) { return define(i, false); });
    conditions = Conditions(seed);
    if (seed % 3 != 0) conditions.below(4);
    const Tensor z = compute("z", {5}, [&](Expr i) { return define(i, true); });
    const Program p = test::checked(program("p", {x}, {y, z}));
    const std::string text = print(p);
    INFO("seed " << seed << "\n" << text);
    shorter += text.substr(0, text.find("z[")).find("select") == std::string::npos;
    for (const int64_t size : {0, 1, 4, 7}) {
      Array data = Array::of<int32_t>({3}, {-2, 1, 5}), a(i64, {5}), b(i64, {5});
      const Program whole = *specialize(p, {{n, size}});
      REQUIRE(interpret(whole, {}, {&data, &a, &b}) == absl::OkStatus());
      REQUIRE(a.values<int64_t>() == b.values<int64_t>());
    }
  }
  CHECK(shorter > 300);
}

}  // namespace
}  // namespace tenon
