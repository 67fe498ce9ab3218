#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

using test::checked;
using test::parsed;

constexpr char kLinearRelu[] = R"(program linear_relu
  size m, n, k
  input x: f32[m, k]
  weight w: f32[n, k]
  input b: f32[n]
  scalar eps: f32
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
    parallel for j_1 in 0..n {
      if i_1 < 3 {
        out[i_1, j_1] = max(linear[i_1, j_1] + b[j_1], 0.0)
      }
    }
  }
}
)";

// linear_relu, built from nodes.
Program linear_relu() {
  const Var m("m"), n("n"), k("k"), eps("eps", f32), i("i"), j("j"), r("r"), i2("i"), j2("j");
  const Buffer x("x", f32), w("w", f32), b("b", f32), out("out", f32), linear("linear", f32);
  ProgramData p;
  p.name = "linear_relu";
  p.sizes = {m, n, k};
  p.params = {{Role::kInput, x, {}, {m, k}, {}, {}},
              {Role::kWeight, w, {}, {n, k}, {}, {}},
              {Role::kInput, b, {}, {n}, {}, {}},
              {Role::kScalar, {}, eps, {}, {}, {}},
              {Role::kOutput, out, {}, {m, n}, {}, {}}};
  p.requirements = {Expr(n) % 2 == 0};
  const Stmt reduction =
      make_for(r, 0, k, ForKind::kSerial,
               accumulate(linear, {i, j}, Reducer::kSum, load(x, {i, r}) * load(w, {j, r})));
  const Stmt first =
      make_for(i, 0, m, ForKind::kSerial,
               make_for(j, 0, n, ForKind::kSerial, seq({store(linear, {i, j}, -0.0f), reduction})));
  const Stmt write = store(out, {i2, j2}, max(load(linear, {i2, j2}) + load(b, {j2}), 0.0f));
  const Stmt second = make_for(i2, 0, m, ForKind::kSerial,
                               make_for(j2, 0, n, ForKind::kParallel, make_if(i2 < 3, write)));
  p.body = seq({alloc(linear, {m, n}), first, second});
  return Program(std::move(p));
}

TEST_CASE("a program prints as readable loops") {
  CHECK(print(checked(linear_relu())) == kLinearRelu);
}

TEST_CASE("a printed program reads back as the same program") {
  CHECK(structurally_equal(parsed(kLinearRelu), linear_relu()));
}

// --- Expressions.

const Var i("i"), j("j"), p("p", boolean), q("q", boolean), f("f", f32), u("u", u8);

TEST_CASE("operators print with the parentheses that they need and no others") {
  CHECK(print((Expr(i) + j) * 2) == "(i + j) * 2");
  CHECK(print(Expr(i) + Expr(j) * 2) == "i + j * 2");
  CHECK(print(Expr(i) - (Expr(j) - 2)) == "i - (j - 2)");
  CHECK(print(Expr(i) - j - 2) == "i - j - 2");
  CHECK(print(Expr(i) + (Expr(j) + 2)) == "i + (j + 2)");
  CHECK(print((Expr(i) / 4) % 8) == "i // 4 % 8");
  CHECK(print(Expr(i) / (Expr(j) % 8)) == "i // (j % 8)");
  CHECK(print(Expr(f) / 2.0f) == "f / 2.0");
  CHECK(print((Expr(i) + 1) << (Expr(j) + 2)) == "i + 1 << j + 2");
  CHECK(print(Expr(i) + (Expr(j) << 2)) == "i + (j << 2)");
  CHECK(print(i < 3 & (Expr(j) == 4 | Expr(p))) == "i < 3 & (j == 4 | p)");
  CHECK(print((i < 3 & Expr(p)) | Expr(q)) == "i < 3 & p | q");
  CHECK(print(Expr(p) ^ Expr(q) & Expr(p)) == "p ^ q & p");
  CHECK(print((Expr(i) & j) == 0) == "(i & j) == 0");
  CHECK(print((i < j) == Expr(p)) == "i < j == p");
  CHECK(print(i < (Expr(j) & 7)) == "i < (j & 7)");
  CHECK(print(Expr(i) > j) == "j < i");
}

TEST_CASE("unary operators bind tighter than all others") {
  CHECK(print(-(Expr(i) + j)) == "-(i + j)");
  CHECK(print(-Expr(i) + j) == "-i + j");
  CHECK(print(~Expr(i)) == "~i");
  CHECK(print(~Expr(p)) == "!p");
  CHECK(print(~(Expr(p) & Expr(q))) == "!(p & q)");
  CHECK(print(~~Expr(p)) == "!!p");
  CHECK(print(-abs(Expr(i))) == "-abs(i)");
}

TEST_CASE("a negative literal is not the negation of a literal") {
  CHECK(print(Expr(-3)) == "-3");
  CHECK(print(unary(UnaryOp::kNeg, Expr(3))) == "-(3)");
  CHECK(print(unary(UnaryOp::kNeg, Expr(-3))) == "-(-3)");
  CHECK(print(unary(UnaryOp::kNeg, unary(UnaryOp::kNeg, i))) == "-(-i)");
  CHECK(print(Expr(i) - -3) == "i - -3");
  CHECK(print(Expr(i) * -3) == "i * -3");
}

TEST_CASE("what is written as a function prints as one") {
  CHECK(print(min(Expr(i) + 1, max(Expr(j), 0))) == "min(i + 1, max(j, 0))");
  CHECK(print(truncdiv(i, 4)) == "truncdiv(i, 4)");
  CHECK(print(truncrem(i, 4)) == "truncrem(i, 4)");
  CHECK(print(binary(BinaryOp::kCheck, i, Expr(4))) == "check(i, 4)");
  CHECK(print(pow(f, 2)) == "pow(f, 2.0)");
  CHECK(print(sigmoid(rsqrt(f))) == "sigmoid(rsqrt(f))");
  CHECK(print(select(p, f, 0)) == "select(p, f, 0.0)");
  CHECK(print(cast(i8, Expr(i) + 1)) == "cast<i8>(i + 1)");
  CHECK(print(saturating_cast(i8, i)) == "saturate<i8>(i)");
  CHECK(print(bitcast(i32, f)) == "bitcast<i32>(f)");
  CHECK(print(cast(f32, ramp(i, 2, 8))) == "cast<f32>(ramp(i, 2, 8))");
  CHECK(print(broadcast_lanes(f, 16)) == "broadcast(f, 16)");
}

TEST_CASE("loads print as indexed buffers, masked ones as a function") {
  const Buffer x("x", f32), s("s", f32);
  CHECK(print(load(x, {i, Expr(j) + 1})) == "x[i, j + 1]");
  CHECK(print(load(s, {})) == "s[]");
  CHECK(print(load(x, {ramp(i, 1, 4)}, ramp(i, 1, 4) < 3)) ==
        "masked(x[ramp(i, 1, 4)], ramp(i, 1, 4) < broadcast(3, 4))");
}

TEST_CASE("what no Program may hold prints all the same") {
  CHECK(print(invalid("no")) == "invalid(\"no\")");
  CHECK(print(Expr()) == "<null>");
  const Buffer x("x", f32);
  const Var r("r");
  CHECK(print(make_reduce(Reducer::kSum, {{r, i}}, {load(x, {r})})) == "reduce(+, r in 0..i, x[r])");
}

// --- Names.

TEST_CASE("a program that could not be built prints the reason as a comment") {
  ProgramData data;
  data.name = "p";
  data.error = "x is read\nwith two indices";
  data.body = seq({});
  CHECK(print(Program(data)) == "program p\n{\n  # not valid: x is read with two indices\n}\n");
}

TEST_CASE("things of the same name are told apart by a suffix") {
  const Var a("i"), b("i"), c("i_1"), d("i");
  CHECK(print(Expr(a) + b + c + d + a) == "i + i_1 + i_1_1 + i_2 + i");
}

TEST_CASE("names that the parser would not read are made safe") {
  const Var spaced("my loop"), digit("2nd"), empty(""), word("true"), type("f32"), call("cast");
  CHECK(print(Expr(spaced) + digit + empty) == "my_loop + _2nd + _");
  CHECK(print(Expr(word) + type + call) == "true_ + f32_ + cast_");
}

TEST_CASE("the words of statements are names like others elsewhere") {
  checked(parsed(R"(
    program words
      size size, input
      input for: f32[size]
      weight max: f32[size]
      input packs: f32[size] strides [input]
      scalar where: f32
      output output: f32[size]
    {
      alloc in: f32[]
      in[] = where
      for if in 0..size {
        let let = max[if]
        in[] max= let
        for parallel in 0..3 {
          output[if] = max(for[if], packs[if]) + in[] where if < 3
          if if < 2 and parallel < 1 {
            output[parallel] = where
          }
        }
      }
    })"));
}

TEST_CASE("a part can be printed with the names of its program") {
  const Program program = linear_relu();
  const Stmt second = program->body.as<Seq>()->stmts[2];
  CHECK(print(second).substr(0, 15) == "for i in 0..m {");
  CHECK(print(second, program).substr(0, 17) == "for i_1 in 0..m {");
  CHECK(print(Expr(second.as<For>()->var), program) == "i_1");
}

// --- Statements.

TEST_CASE("statements print one per line, blocks indented by two") {
  const Buffer t("t", f32), y("y", f32);
  CHECK(print(store(y, {i}, 1.0f, Expr(p))) == "y[i] = 1.0 where p\n");
  CHECK(print(accumulate(y, {i}, Reducer::kSum, 1.0f)) == "y[i] += 1.0\n");
  CHECK(print(accumulate(y, {i}, Reducer::kProd, 1.0f)) == "y[i] *= 1.0\n");
  CHECK(print(accumulate(y, {i}, Reducer::kMax, 1.0f, Expr(p))) == "y[i] max= 1.0 where p\n");
  CHECK(print(accumulate(y, {}, Reducer::kMin, 1.0f)) == "y[] min= 1.0\n");
  CHECK(print(alloc(t, {12, 32}, Memory::kStack)) == "alloc t: f32[12, 32] in stack\n");
  CHECK(print(alloc(t, {}, Memory::kShared, 128)) == "alloc t: f32[] in shared at 128\n");
  CHECK(print(alloc(t, {}, Memory::kWorker, Expr(i) * 4)) == "alloc t: f32[] in worker at i * 4\n");
  CHECK(print(bind(Var("v"), Expr(i) + 1)) == "let v = i + 1\n");
  CHECK(print(make_for(i, 0, 4, ForKind::kVector, store(y, {i}, 1.0f))) ==
        "vector for i in 0..4 {\n  y[i] = 1.0\n}\n");
  CHECK(print(make_for(i, Expr(j) + 1, 4, ForKind::kUnroll, Stmt())) ==
        "unroll for i in j + 1..4 {\n}\n");
}

TEST_CASE("guards that wrap exactly one guard print as one line") {
  const Buffer y("y", f32);
  const Stmt write = store(y, {i}, 1.0f);
  CHECK(print(make_if(i < 3, make_if(j < 4, write))) == "if i < 3 and j < 4 {\n  y[i] = 1.0\n}\n");
  CHECK(print(make_if(i < 3, seq({make_if(j < 4, write), write}))) ==
        "if i < 3 {\n  if j < 4 {\n    y[i] = 1.0\n  }\n  y[i] = 1.0\n}\n");
  CHECK(print(make_if(i < 3 & j < 4, write)) == "if i < 3 & j < 4 {\n  y[i] = 1.0\n}\n");
}

}  // namespace
}  // namespace tenon
