#include <catch2/catch.hpp>

#include "support/check.h"
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

// The values of the only output, an f32 one, for one f32 input.
std::vector<float> run(const Program& p, const Sizes& sizes, std::vector<int64_t> in_shape,
                       const std::vector<float>& in, std::vector<int64_t> out_shape) {
  Array x = Array::of<float>(std::move(in_shape), in);
  Array y(f32, std::move(out_shape));
  REQUIRE(interpret(test::checked(p), sizes, {&x, &y}) == absl::OkStatus());
  return y.values<float>();
}

TEST_CASE("a linear layer with relu becomes two nests over one local buffer") {
  Tensor x = input("x", f32, {m, k});
  Tensor w = weight("w", f32, {n, k});
  Tensor b = input("b", f32, {n});
  Tensor linear = compute("linear", {m, n}, [&](Expr i, Expr j) {
    return sum(k, [&](Expr r) { return x(i, r) * w(j, r); });
  });
  Tensor out =
      compute("out", {m, n}, [&](Expr i, Expr j) { return max(linear(i, j) + b(j), 0.0f); });
  const Program p = program("linear_relu", {x, w, b}, {out}, {require(n % 2 == 0)});
  CHECK(print(test::checked(p)) == R"(program linear_relu
  size m, k, n
  input x: f32[m, k]
  weight w: f32[n, k]
  input b: f32[n]
  output out: f32[m, n]
  require n % 2 == 0
{
  alloc linear: f32[m, n]
  for i in 0..m {
    for j in 0..n {
      linear[i, j] = -0.0
      for r in 0..k {
        linear[i, j] += x[i, r] * w[j, r]
      }
    }
  }
  for i_1 in 0..m {
    for j_1 in 0..n {
      out[i_1, j_1] = max(linear[i_1, j_1] + b[j_1], 0.0)
    }
  }
}
)");
}

TEST_CASE("a reduction inside an expression is hoisted over just the indices that it uses") {
  Tensor x = input("x", f32, {m, n});
  Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) {
    const Expr peak = max_over(n, [&](Expr r) { return x(i, r); });
    const Expr total = sum(n, [&](Expr r) { return exp(x(i, r) - peak); });
    return exp(x(i, j) - peak) / total;
  });
  const Program p = program("softmax", {x}, {y});
  CHECK(print(test::checked(p)) == R"(program softmax
  size m, n
  input x: f32[m, n]
  output y: f32[m, n]
{
  alloc y_max: f32[m]
  for i in 0..m {
    y_max[i] = -inf
    for r in 0..n {
      y_max[i] max= x[i, r]
    }
  }
  alloc y_sum: f32[m]
  for i_1 in 0..m {
    y_sum[i_1] = -0.0
    for r_1 in 0..n {
      y_sum[i_1] += exp(x[i_1, r_1] - y_max[i_1])
    }
  }
  for i_2 in 0..m {
    for j in 0..n {
      y[i_2, j] = exp(x[i_2, j] - y_max[i_2]) / y_sum[i_2]
    }
  }
}
)");
  const std::vector<float> y_values = run(p, {}, {1, 2}, {0.0f, 0.0f}, {1, 2});
  CHECK(y_values == std::vector<float>{0.5f, 0.5f});
}

TEST_CASE("a reduction in the arm of a select runs only under its condition") {
  Tensor x = input("x", f32, {n});
  Tensor y = compute("y", {n}, [&](Expr i) {
    return select(i > 0, sum(2, [&](Expr r) { return x(i - r); }), Expr(7.0f));
  });
  CHECK(run(program("pairs", {x}, {y}), {}, {4}, {1, 2, 3, 4}, {4}) ==
        std::vector<float>{7, 3, 5, 7});
}

TEST_CASE("a reduction inside a reduction keeps the indices of both") {
  Tensor x = input("x", f32, {3, 4});
  // The sum of the row maxima.
  Tensor y = compute("y", {}, [&](Index) {
    return sum(3, [&](Expr r) { return max_over(4, [&](Expr s) { return x(r, s); }) + 0.0f; });
  });
  CHECK(run(program("p", {x}, {y}), {}, {3, 4}, {1, 9, 3, 4, 5, 6, 7, 2, 0, 1, 0, 0}, {}) ==
        std::vector<float>{17});
}

TEST_CASE("one definition serves every rank from 0 to 8") {
  for (size_t rank = 0; rank <= 8; ++rank) {
    std::vector<Expr> shape;
    std::vector<int64_t> extents;
    for (size_t d = 0; d < rank; ++d) {
      extents.push_back(d % 3 == 2 ? 2 : 1 + static_cast<int64_t>(d % 2));
      shape.emplace_back(extents.back());
    }
    Tensor x = input("x", f32, shape);
    Tensor y = compute("y", shape, [&](Index i) { return x(i) * 2.0f; });
    Tensor total =
        compute("total", {}, [&](Index) { return sum(shape, [&](Index r) { return y(r); }); });
    const Program p = test::checked(program("p", {x}, {y, total}));
    Array in(f32, extents), out(f32, extents), all(f32, {});
    for (int64_t e = 0; e < in.elements(); ++e) in.set_bits(e, 0x3f800000);
    REQUIRE(interpret(p, {}, {&in, &out, &all}) == absl::OkStatus());
    CHECK(out.at<float>(out.elements() - 1) == 2.0f);
    CHECK(all.at<float>(0) == 2.0f * static_cast<float>(in.elements()));
  }
}

TEST_CASE("an Index slices, concatenates and replaces") {
  const Index i({Expr(1), Expr(2), Expr(3)});
  CHECK(print(i[-1]) == "3");
  CHECK(i.first(2).size() == 2);
  CHECK(print((i.last(1) + i.first(1))[1]) == "1");
  CHECK(print(i.with(1, Expr(9))[1]) == "9");
  CHECK(i.inserted(1, Expr(9)).size() == 4);
  CHECK(print(i.without(0)[0]) == "2");
  CHECK(i.slice(2, 1).size() == 0);
  CHECK(i[3].is<Invalid>());
}

TEST_CASE("broadcast reads stand under the last indices and repeat dimensions of size 1") {
  Tensor x = input("x", f32, {2, 3});
  Tensor row = input("row", f32, {3});
  Tensor column = input("column", f32, {2, 1});
  Tensor y = compute("y", {2, 3},
                     [&](Index i) { return x(i) + broadcast(row, i) + broadcast(column, i); });
  const Program p = test::checked(program("p", {x, row, column}, {y}));
  Array a = Array::of<float>({2, 3}, {0, 0, 0, 0, 0, 0}), b = Array::of<float>({3}, {1, 2, 3}),
        c = Array::of<float>({2, 1}, {10, 20}), out(f32, {2, 3});
  REQUIRE(interpret(p, {}, {&a, &b, &c, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{11, 12, 13, 21, 22, 23});
}

TEST_CASE("an index that is data is checked, and not in the arm that is not taken") {
  Tensor table = input("table", f32, {n});
  Tensor ids = input("ids", i32, {m});
  Tensor y = compute("y", {m}, [&](Expr i) { return table(ids(i)); });
  Tensor z =
      compute("z", {m}, [&](Expr i) { return select(ids(i) >= 0, table(ids(i)), Expr(-1.0f)); });
  const Program gather = test::checked(program("gather", {table, ids}, {y}));
  const Program safe = test::checked(program("safe", {table, ids}, {z}));
  Array t = Array::of<float>({3}, {10, 20, 30}), out(f32, {2});
  Array good = Array::of<int32_t>({2}, {2, 0}), bad = Array::of<int32_t>({2}, {1, 3});
  Array negative = Array::of<int32_t>({2}, {-5, 1});
  REQUIRE(interpret(gather, {}, {&t, &good, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{30, 10});
  const absl::Status status = interpret(gather, {}, {&t, &bad, &out});
  CHECK(status.code() == absl::StatusCode::kOutOfRange);
  CHECK(std::string(status.message()).substr(0, 28) == "index 3 is not in [0, 3), in");
  REQUIRE(interpret(safe, {}, {&t, &negative, &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{-1, 20});
}

TEST_CASE("empty reductions give the identity, and sizes 0 and 1 work") {
  Tensor x = input("x", f32, {m, n});
  const auto row = [&](auto reduce) { return [&, reduce](Expr i) { return reduce(i); }; };
  Tensor total =
      compute("total", {m}, row([&](Expr i) { return sum(n, [&](Expr r) { return x(i, r); }); }));
  Tensor product = compute("product", {m},
                           row([&](Expr i) { return prod(n, [&](Expr r) { return x(i, r); }); }));
  Tensor highest = compute(
      "highest", {m}, row([&](Expr i) { return max_over(n, [&](Expr r) { return x(i, r); }); }));
  Tensor lowest = compute(
      "lowest", {m}, row([&](Expr i) { return min_over(n, [&](Expr r) { return x(i, r); }); }));
  const Program p = test::checked(program("p", {x}, {total, product, highest, lowest}));
  Array in(f32, {2, 0}), a(f32, {2}), b(f32, {2}), c(f32, {2}), d(f32, {2});
  REQUIRE(interpret(p, {}, {&in, &a, &b, &c, &d}) == absl::OkStatus());
  CHECK(a.at<float>(0) == 0.0f);
  CHECK(b.at<float>(1) == 1.0f);
  CHECK(c.at<float>(0) == -INFINITY);
  CHECK(d.at<float>(1) == INFINITY);
  Array one = Array::of<float>({1, 1}, {3}), e(f32, {1}), f(f32, {1}), g(f32, {1}), h(f32, {1});
  REQUIRE(interpret(p, {}, {&one, &e, &f, &g, &h}) == absl::OkStatus());
  CHECK(e.at<float>(0) == 3.0f);
  CHECK(h.at<float>(0) == 3.0f);
}

TEST_CASE("shapes are integer expressions over sizes") {
  const Size h("h");
  Tensor x = input("x", f32, {h});
  Tensor y = compute("y", {(h + 2 - 3) / 2 + 1}, [&](Expr i) {
    return sum(3, [&](Expr r) {
      const Expr at = i * 2 + r - 1;
      return select((at >= 0) & (at < h), x(at), Expr(0.0f));
    });
  });
  const Program p = program("window", {x}, {y});
  CHECK(print(p->params[1].shape[0]) == "(h + 2 - 3) // 2 + 1");
  CHECK(run(p, {}, {5}, {1, 2, 3, 4, 5}, {3}) == std::vector<float>{3, 9, 9});
}

TEST_CASE("scalars are parameters too") {
  Tensor x = input("x", f32, {n});
  Expr eps = scalar("eps", f32);
  Tensor y = compute("y", {n}, [&](Expr i) { return x(i) + eps; });
  const Program p = test::checked(program("p", {x, eps}, {y}));
  Array in = Array::of<float>({2}, {1, 2}), out(f32, {2});
  REQUIRE(interpret(p, {}, {&in, constant_float(f32, 0.5), &out}) == absl::OkStatus());
  CHECK(out.values<float>() == std::vector<float>{1.5f, 2.5f});
}

TEST_CASE("an output may be read by another output, and chains may be long") {
  Tensor x = input("x", f32, {2});
  Tensor y = compute("y", {2}, [&](Expr i) { return x(i) + 1.0f; });
  Tensor last = y;
  for (int step = 0; step < 300; ++step) {
    const Tensor before = last;
    last = compute("t" + std::to_string(step), {2}, [&](Expr i) { return before(i) + 1.0f; });
  }
  const Program p = test::checked(program("p", {x}, {y, last}));
  Array in = Array::of<float>({2}, {0, 1}), a(f32, {2}), b(f32, {2});
  REQUIRE(interpret(p, {}, {&in, &a, &b}) == absl::OkStatus());
  CHECK(a.at<float>(0) == 1.0f);
  CHECK(b.at<float>(1) == 302.0f);
}

TEST_CASE("two programs may share tensors") {
  Tensor x = input("x", f32, {2});
  Tensor y = compute("y", {2}, [&](Expr i) { return x(i) + 1.0f; });
  Tensor z = compute("z", {2}, [&](Expr i) { return y(i) * y(i); });
  const Program p = test::checked(program("p", {x}, {y}));
  const Program q = test::checked(program("q", {x}, {z}));
  CHECK(find_param(p, "y") != nullptr);
  CHECK(find_param(q, "y") == nullptr);
}

TEST_CASE("mistakes are reported where the program is built") {
  Tensor x = input("x", f32, {m, n});
  Tensor ids = input("ids", f32, {n});
  const Expr eps = scalar("eps", f32);
  const auto define = [&](auto f) { return compute("y", {m, n}, f); };

  CHECK(refusal({x}, {}) == "program p has no outputs");
  CHECK(refusal({x}, {x}) ==
        "program p: output x is an input; an output is computed (a copy, if need be)");
  CHECK(refusal({x}, {define([&](Expr i) { return x(i, i); })}) ==
        "in the definition of y: a function over 2 dimensions takes 2 indices or one tn::Index");
  CHECK(refusal({x}, {define([&](Expr i, Expr) { return x(i); })}) ==
        "in the definition of y: x has 2 dimensions and is read with 1 index");
  CHECK(refusal({x, ids}, {define([&](Expr i, Expr j) { return x(i, ids(j)); })}) ==
        "in the definition of y: index 1 of x has type f32; an index is an integer");
  CHECK(refusal({}, {define([&](Expr i, Expr j) { return x(i, j); })}) ==
        "program p reads x, which is not among its inputs");
  CHECK(refusal({x}, {define([&](Expr i, Expr j) { return x(i, j) + eps; })}) ==
        "program p uses the scalar eps, which is not among its inputs");
  CHECK(refusal({x, x}, {define([&](Expr i, Expr j) { return x(i, j); })}) ==
        "program p: two tensors or scalars are named x");
  CHECK(refusal({x, Expr(3)}, {define([&](Expr i, Expr j) { return x(i, j); })}) ==
        "program p: an input that is neither a tensor nor made by tn::scalar");
  Tensor y = define([&](Expr i, Expr j) { return x(i, j); });
  CHECK(refusal({x, y}, {y}) ==
        "program p: y is computed; only inputs, weights and scalars are passed in");
  CHECK(refusal({x}, {define([&](Expr i, Expr j) {
                  return sum(m, [&](Expr) { return x(i, j) > 0.0f; });
                })}) ==
        "in the definition of y: sum of bool values; cast them to an "
        "integer first");
  CHECK(refusal({x}, {define([&](Expr i, Expr j) { return x(i, j) & x(i, j); })}).find("&") !=
        std::string::npos);
}

TEST_CASE("a program that could not be built carries the reason to its users") {
  Tensor x = input("x", f32, {n});
  const Program p = program("p", {x}, {x});
  const absl::Status status = verify(p);
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.message()) ==
        "program p: output x is an input; an output is computed (a copy, if need be)");
}

TEST_CASE("a reduction in a reduction in a select is under the condition of the select") {
  // y[i] = i < 1 ? 0 : sum over r of x[i - 1, r] * (sum over s of x[i - 1, s])
  Tensor x = input("x", f32, {m, k});
  Tensor y = compute("y", {m}, [&](Expr i) {
    const Expr squared =
        sum(k, [&](Expr r) { return x(i - 1, r) * sum(k, [&](Expr s) { return x(i - 1, s); }); });
    return select(i >= 1, squared, 0.0f);
  });
  const Program p = program("shifted", {x}, {y});
  CHECK(run(p, {{m, 3}, {k, 2}}, {3, 2}, {1, 2, 3, 4, 5, 6}, {3}) == std::vector<float>{0, 9, 49});
}

TEST_CASE("names that the program invents give way to the user's") {
  Tensor x = input("x", f32, {n});
  Tensor y_sum = compute("y_sum", {n}, [&](Expr i) { return x(i) * 2.0f; });
  const auto total = [&] { return sum(n, [&](Expr r) { return x(r) + y_sum(r); }); };
  Tensor y = compute("y", {n}, [&](Expr i) { return y_sum(i) + total() * total(); });
  const Program p = program("p", {x}, {y});
  CHECK(run(p, {{n, 2}}, {2}, {1, 2}, {2}) == std::vector<float>{2 + 81, 4 + 81});
  const std::string text = print(p);
  CHECK_THAT(text,
             Catch::Contains("alloc y_sum: f32[n]") && Catch::Contains("alloc y_sum2: f32[]"));
}

TEST_CASE("an empty expression is an error wherever it stands") {
  Tensor x = input("x", f32, {n});
  const auto defined = [&](const Expr& value) {
    return refusal({x}, {compute("y", {n}, [&](Expr) { return value; })});
  };
  CHECK(defined(Expr()) == "in the definition of y: the definition of y returns no expression");
  CHECK(defined(x(Expr())) == "in the definition of y: index 0 of x is empty");
  CHECK(defined(sum(Expr(), [&](Expr r) { return x(r); })) ==
        "in the definition of y: sum: an extent is empty");
  const std::string nothing = ": an expression is empty; a default-made Expr has no value";
  const Tensor wrong = input("w", f32, {Expr()});
  CHECK(refusal({wrong}, {compute("y", {n}, [&](Expr) { return Expr(1.0f); })}) ==
        "the shape of w" + nothing);
  CHECK(refusal({x}, {compute("y", {Expr()}, [&](Expr i) { return x(i); })}) ==
        "the shape of y" + nothing);
  const absl::StatusOr<Program> required =
      build_program("p", {x}, {compute("y", {n}, [&](Expr i) { return x(i); })}, {require(Expr())});
  CHECK(required.status().message() == "a requirement" + nothing);
}

TEST_CASE("a scalar that is not passed in is a mistake, of an integer type too") {
  const Tensor x = input("x", f32, {n});
  for (const Type type : {f32, i64}) {
    const Expr s = scalar("s", type);
    CHECK(refusal({x}, {compute("y", {n}, [&](Expr i) { return x(i) * cast(f32, s); })}) ==
          "program p uses the scalar s, which is not among its inputs");
  }
}

TEST_CASE("wrong reductions and broadcasts say what is wrong") {
  const Tensor x = input("x", f32, {n});
  const auto defined = [&](const Expr& value) {
    return refusal({x}, {compute("y", {n}, [&](Expr) { return value; })});
  };
  CHECK(defined(sum(n, [](Expr) { return Expr(); })) ==
        "in the definition of y: sum: the function returns no expression");
  CHECK(defined(max_over(cast(f32, n), [&](Expr r) { return x(r); })) ==
        "in the definition of y: max_over: an extent has type f32; it must be an integer");
  const Tensor wide = input("wide", f32, {m, n});
  CHECK(refusal({wide}, {compute("y", {n}, [&](Index i) { return broadcast(wide, i); })}) ==
        "in the definition of y: wide has 2 dimensions and is broadcast over 1");
}

TEST_CASE("two sizes of one name are two sizes, and the message says so") {
  const Size other("n");
  const Tensor x = input("x", f32, {n}), y = input("y", f32, {other});
  const Tensor z = compute("z", {n}, [&](Expr i) { return x(i) + y(0); });
  CHECK(refusal({x, y}, {z}) ==
        "program p: a size and something else are named n (two Size objects are two sizes: use one "
        "of them)");
}

TEST_CASE("one axis in braces is one axis") {
  const Tensor x = input("x", f32, {n});
  const Tensor y = compute("y", {1}, [&](Expr) { return sum({n}, [&](Expr r) { return x(r); }); });
  CHECK(run(program("p", {x}, {y}), {{n, 3}}, {3}, {1, 2, 3}, {1}) == std::vector<float>{6});
}

TEST_CASE("an index of another definition is not a size") {
  const Tensor x = input("x", f32, {n});
  Expr leak;
  const Tensor a = compute("a", {n}, [&](Expr i) {
    leak = i;
    return x(i);
  });
  CHECK(refusal({x}, {compute("b", {n}, [&](Expr i) { return a(i) + x(leak); })}) ==
        "program p uses index i outside of the definition or reduction that it belongs to");
  const Tensor nested = compute("y", {n}, [&](Expr i) {
    return x(i) + compute("z", {n}, [&](Expr q) { return x(i) * x(q); })(i);
  });
  CHECK(refusal({x}, {nested}) ==
        "program p uses index i outside of the definition or reduction that it belongs to");
  CHECK(x.size(5).is<Invalid>());
  CHECK(Tensor().name().empty());
}

TEST_CASE("a chain of any length is let go of") {
  Tensor last = input("x", f32, {8});
  for (int i = 0; i < 100'000; ++i) {
    last = compute("t", {8}, [&](Expr j) { return last(j) + 1.0f; });
  }
  const Buffer end = last.buffer();
  last = Tensor();
  CHECK(end.definition());
}

}  // namespace
}  // namespace tenon
