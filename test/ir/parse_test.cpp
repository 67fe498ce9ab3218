#include <catch2/catch.hpp>
#include <random>

#include "support/check.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

using test::checked;
using test::parsed;

std::string error(std::string_view text) {
  const absl::StatusOr<Program> program = parse(text);
  return program.ok() ? "" : std::string(program.status().message());
}

// A program around one statement, which stands in line 6 at column 1.
std::string with_statement(const std::string& statement) {
  return "program p\nsize n\ninput x: f32[n]\noutput y: f32[n]\n{\n" + statement + "\n}\n";
}

// A program that evaluates one expression of any type, which starts in line 6 at column 9.
std::string with_expression(const std::string& expression) {
  return with_statement("let v = " + expression);
}

Expr parsed_expr(const std::string& expression) {
  const absl::StatusOr<Program> program = parse(with_expression(expression));
  INFO(program.status().message());
  REQUIRE(program.ok());
  const Bind* let = (*program)->body.as<Bind>();
  REQUIRE(let != nullptr);
  return let->value;
}

std::string printed(const std::string& expression) { return print(parsed_expr(expression)); }

// --- What is read.

TEST_CASE("literals are read with their types") {
  CHECK(equal(parsed_expr("3"), constant_int(i64, 3)));
  CHECK(equal(parsed_expr("-3"), constant_int(i64, -3)));
  CHECK(equal(parsed_expr("0x1f"), constant_int(i64, 31)));
  CHECK(equal(parsed_expr("-9223372036854775808"), constant_int(i64, INT64_MIN)));
  CHECK(equal(parsed_expr("255u8"), constant_int(u8, 255)));
  CHECK(equal(parsed_expr("-128i8"), constant_int(i8, -128)));
  CHECK(equal(parsed_expr("1.5"), constant_float(f32, 1.5)));
  CHECK(equal(parsed_expr("1e-05"), constant_float(f32, 1e-5)));
  CHECK(equal(parsed_expr("1e5f64"), constant_float(f64, 1e5)));
  CHECK(equal(parsed_expr("2f16"), constant_float(f16, 2)));
  CHECK(equal(parsed_expr("-0.0bf16"), constant_float(bf16, -0.0)));
  CHECK(equal(parsed_expr("true"), constant_int(boolean, 1)));
  CHECK(equal(parsed_expr("-inf"), identity_of(Reducer::kMax, f32)));
  CHECK(equal(parsed_expr("f64.inf"), identity_of(Reducer::kMin, f64)));
  CHECK(equal(parsed_expr("nan"), constant_bits(f32, 0x7fc00000)));
  CHECK(equal(parsed_expr("f16.nan"), constant_bits(f16, 0x7e00)));
  CHECK(equal(parsed_expr("f32.bits(0x7fc00001)"), constant_bits(f32, 0x7fc00001)));
}

TEST_CASE("a minus before a number is part of it, and before anything else an operator") {
  CHECK(parsed_expr("-3").is<Const>());
  CHECK(parsed_expr("- 3").is<Const>());
  CHECK(parsed_expr("-(3)").is<Unary>());
  CHECK(parsed_expr("-n").is<Unary>());
  CHECK(parsed_expr("n - 3").is<Binary>());
  CHECK(printed("n - -3") == "n - -3");
  CHECK(printed("n -3") == "n - 3");
}

TEST_CASE("operators group as they print") {
  for (const char* text : {"n + n * 2",
                           "(n + n) * 2",
                           "n - (n - 2)",
                           "n - n - 2",
                           "n // 4 % 8",
                           "n // (n % 8)",
                           "n < 3 & (n == 4 | n <= 5)",
                           "n + 1 << n + 2",
                           "(n & 7) == 0",
                           "n ^ n & n | n",
                           "-(n + 1)",
                           "!(n < 3)",
                           "~n",
                           "!!(n == 1)",
                           "-(-n)",
                           "(n < 3) == (n < 4)",
                           "x[0] / (x[1] / x[2])",
                           "min(n, max(n, 3))",
                           "select(n < 3, x[n - 1], 0.0)",
                           "cast<i8>(n) + 3i8",
                           "saturate<u8>(n)",
                           "bitcast<i32>(x[0])",
                           "check(n, n)",
                           "truncdiv(n, 2) + truncrem(n, 2)",
                           "exp(log(sqrt(rsqrt(tanh(erf(sigmoid(x[0])))))))",
                           "sin(x[0]) + cos(x[0]) + pow(x[0], 2.0) + abs(x[0])",
                           "floor(x[0]) + ceil(x[0]) + round(x[0]) + trunc(x[0])",
                           "ramp(n, 1, 8) + broadcast(n, 8)",
                           "masked(x[ramp(n, 1, 4)], broadcast(n < 3, 4))",
                           "x[ramp(0, 1, 4)]"}) {
    const std::string expected =
        std::string(text) == "(n < 3) == (n < 4)" ? "n < 3 == n < 4" : text;
    CHECK(printed(text) == expected);
  }
}

TEST_CASE("space, line ends and comments are free between the tokens of an expression") {
  CHECK(printed("n+1*2") == "n + 1 * 2");
  CHECK(printed("(n  # one\n + \t 1)\r\n") == "n + 1");
}

TEST_CASE("statements may share a line with the brace that opens or closes their block") {
  const Program p = parsed(with_statement("for i in 0..n { y[i] = x[i] }"));
  CHECK(print(p->body) == "for i in 0..n {\n  y[i] = x[i]\n}\n");
}

TEST_CASE("conditions with `and` are nested guards") {
  const Program p = parsed(with_statement("if n < 3 and 0 < n and n != 1 { y[0] = 1.0 }"));
  const If* outer = p->body.as<If>();
  REQUIRE(outer != nullptr);
  REQUIRE(outer->body.is<If>());
  REQUIRE(outer->body.as<If>()->body.is<If>());
  CHECK(print(outer->body.as<If>()->condition) == "0 < n");
}

TEST_CASE("a name may be used again where its first use is out of scope") {
  const Program p =
      parsed(with_statement("for i in 0..n { y[i] = 1.0 }\nfor i in 0..n { y[i] = 2.0 }"));
  const Seq* both = p->body.as<Seq>();
  REQUIRE(both != nullptr);
  CHECK(!(both->stmts[0].as<For>()->var == both->stmts[1].as<For>()->var));
}

TEST_CASE("programs that use every kind of node round-trip") {
  parsed(R"(program every_statement
    reassociated
    size m, n
    size x_s0
    input x: f32[m, n] strides [x_s0, 1]
    weight w: f32[24, 768, 32] packs [768, 768] by (i, j) -> (i // 32, j, i % 32)
    input table: i32[n]
    scalar eps: f16
    output y: f32[m, n]
    output z: u8[]
    require n % 2 == 0
    require m <= 1024 & 0 < m
  {
    alloc a: f32[m + 1, 8] in shared at 128
    alloc b: bf16[] in worker at m * 4
    alloc c: i64[8] in stack
    b[] = 1.5bf16
    z[] = 0u8
    z[] += 1u8
    let half = m // 2
    parallel for i in half..m {
      unroll for j in 0..8 {
        a[i, j] = -inf
        c[j] = check(cast<i64>(table[j]), n)
        vector for k in 0..4 {
          a[i, j] max= w[0, j, k]
        }
        a[i, j] min= x[i, c[j]]
        a[i, j] *= 2.0
      }
      y[i, ramp(0, 1, 8)] = x[i, ramp(0, 2, 8)] + broadcast(1.0, 8) where ramp(0, 1, 8) < broadcast(n, 8)
      y[i, 0] += masked(x[i, ramp(0, 1, 8)], ramp(0, 1, 8) < broadcast(n, 8)) where broadcast(i < 3, 8)
      if i < 7 and !(i == 3) {
        y[i, 1] = cast<f32>(b[]) + cast<f32>(eps)
      }
    }
    for empty in 0..0 {
    }
  }
  )");
}

TEST_CASE("a program without parameters or statements round-trips") {
  CHECK(print(parsed("program nothing {}")) == "program nothing\n{\n}\n");
}

// --- What is refused, with the place, what was found and what was expected.

TEST_CASE("errors in the header name the line and the column") {
  CHECK(error("") == "line 1, column 1: found the end of the text, expected 'program'");
  CHECK(error("module p") == "line 1, column 1: found 'module', expected 'program'");
  CHECK(error("program 3") == "line 1, column 9: found '3', expected a name for the program");
  CHECK(error("program p\n  inputs x: f32[3]\n{}") ==
        "line 2, column 3: found 'inputs', expected size, input, weight, output, inout, scalar, "
        "table, require, extern, reducer, instruction, reassociated or '{'");
  CHECK(error("program p\n  size 3\n{}") ==
        "line 2, column 8: found '3', expected a name for the size");
  CHECK(error("program p\n  input x f32[3]\n{}") == "line 2, column 11: found 'f32', expected ':'");
  CHECK(error("program p\n  input x: float[3]\n{}") ==
        "line 2, column 12: found 'float', expected a type (f32, i64, bool ...)");
  CHECK(error("program p\n  input x: f32x4[3]\n{}") ==
        "line 2, column 12: found 'f32x4', expected a type (f32, i64, bool ...)");
  CHECK(error("program p\n  input x: f32[m]\n{}") == "line 2, column 16: 'm' is not declared");
  CHECK(error("program p\n  size n\n  scalar n: f32\n{}") ==
        "line 3, column 10: 'n' is declared already, in line 2");
  CHECK(error("program p\n  size true\n{}") ==
        "line 2, column 8: 'true' has a meaning of its own and names nothing");
  CHECK(error("program p\n  weight w: f32[4] packs [4] by (i -> (i)\n{}") ==
        "line 2, column 36: found '->', expected ')'");
  CHECK(error("program p\n{}\n}") == "line 3, column 1: found '}', expected the end of the text");
  CHECK(error("program p\n{") ==
        "line 2, column 2: found the end of the text, expected a statement or '}'");
}

TEST_CASE("errors in statements name the line and the column") {
  CHECK(error(with_statement("y[0] = ")) == "line 7, column 1: found '}', expected an expression");
  CHECK(error(with_statement("y = 1.0")) ==
        "line 6, column 3: found '=', expected '[': a statement is a loop, an if, an alloc, a let "
        "or a write to a buffer");
  CHECK(error(with_statement("y[0] := 1.0")) ==
        "line 6, column 6: found ':', expected '=', '+=', '*=', 'max=' or 'min='");
  CHECK(error(with_statement("y[0] = 1.0 y[1] = 2.0")) ==
        "line 6, column 12: found 'y', expected '}' or the end of the line");
  CHECK(error(with_statement("3")) == "line 6, column 1: found '3', expected a statement or '}'");
  CHECK(error(with_statement("for i 0..n {}")) == "line 6, column 7: found '0', expected 'in'");
  CHECK(error(with_statement("for i in 0, n {}")) == "line 6, column 11: found ',', expected '..'");
  CHECK(error(with_statement("parallel loop i in 0..n {}")) ==
        "line 6, column 10: found 'loop', expected 'for'");
  CHECK(error(with_statement("for n in 0..4 {}")) ==
        "line 6, column 5: 'n' is declared already, in line 2");
  CHECK(error(with_statement("alloc t: f32[4] in heap")) ==
        "line 6, column 20: found 'heap', expected registers, workspace, stack, "
        "shared or worker");
  CHECK(error(with_statement("z[0] = 1.0")) == "line 6, column 1: 'z' is not declared");
  CHECK(error(with_statement("n[0] = 1.0")) == "line 6, column 1: 'n' is not a buffer");
  CHECK(error(with_statement("for i in 0..4 { y[i] = 1.0 }\ny[i] = 2.0")) ==
        "line 7, column 3: 'i' is not declared");
}

TEST_CASE("errors in expressions name the line and the column") {
  CHECK(error(with_expression("n +")) == "line 7, column 1: found '}', expected an expression");
  CHECK(error(with_expression("n > 3")) ==
        "line 6, column 11: found '>', expected '}' or the end of the line");
  CHECK(error(with_expression("(n")) == "line 7, column 1: found '}', expected ')'");
  CHECK(error(with_expression("x")) == "line 6, column 9: 'x' is a buffer and needs indices");
  CHECK(error(with_expression("n + 1.0")) ==
        "line 6, column 11: operator + on i64 and f32: both sides must have the same type");
  CHECK(error(with_expression("x[0] % x[1]")) ==
        "line 6, column 14: operator % on f32 and f32: it takes integers");
  CHECK(error(with_expression("!n")) == "line 6, column 9: operator ! on i64: it takes bool");
  CHECK(error(with_expression("exp(n)")) ==
        "line 6, column 9: operator exp on i64: it takes floats");
  CHECK(error(with_expression("foo(n)")) == "line 6, column 9: 'foo' is not a function");
  CHECK(error(with_expression("max(n)")) ==
        "line 6, column 9: 'max' takes 2 arguments, and the number given is 1");
  CHECK(error(with_expression("cast<int>(n)")) ==
        "line 6, column 14: found 'int', expected a type (f32, i64, bool ...)");
  CHECK(error(with_expression("ramp(n, 1, n)")) ==
        "line 6, column 20: found 'n', expected a number of lanes from 2 to 65536");
  CHECK(error(with_expression("ramp(n, 1, 1)")) ==
        "line 6, column 20: found '1', expected a number of lanes from 2 to 65536");
  CHECK(error(with_expression("broadcast(broadcast(n, 2), 2)")) ==
        "line 6, column 9: 'broadcast' takes operands of one lane");
  CHECK(error(with_expression("i64.inf")) == "line 6, column 13: i64 has no 'inf'");
  CHECK(error(with_expression("f64.big")) ==
        "line 6, column 13: found 'big', expected inf, nan or bits");
  CHECK(error(with_expression("f16.bits(0x10000)")) ==
        "line 6, column 18: '0x10000' is not a bit pattern of f16");
}

TEST_CASE("errors in numbers say what does not fit") {
  CHECK(error(with_expression("9223372036854775808")) ==
        "line 6, column 9: '9223372036854775808' does not fit i64");
  CHECK(error(with_expression("-9223372036854775809")) ==
        "line 6, column 10: '-9223372036854775809' does not fit i64");
  CHECK(error(with_expression("256u8")) == "line 6, column 9: '256u8' does not fit u8");
  CHECK(error(with_expression("-1u8")) == "line 6, column 10: '-1u8' does not fit u8");
  CHECK(error(with_expression("1e39")) == "line 6, column 9: '1e39' does not fit f32");
  CHECK(error(with_expression("3abc")) ==
        "line 6, column 9: '3abc' is not a number: 'abc' is no type for it");
  CHECK(error(with_expression("1.5i32")) ==
        "line 6, column 9: '1.5i32' is not a number: 'i32' is no type for it");
}

TEST_CASE("a character that belongs to no token is named") {
  CHECK(error(with_expression("n @ 1")) ==
        "line 6, column 11: found '@', expected '}' or the end of the line");
  CHECK(error(with_expression("\x01")) ==
        "line 6, column 9: found the byte 0x01, expected an expression");
  CHECK(error(with_expression("\xc3\xa4")) ==
        "line 6, column 9: found the byte 0xc3, expected an expression");
  CHECK(error(std::string("program p\n{\0}", 13)) ==
        "line 2, column 2: found the byte 0x00, expected a statement or '}'");
}

TEST_CASE("what reads well but breaks a rule is refused by verify") {
  CHECK(error(with_statement("x[0] = 1.0")) ==
        "in `x[0] = 1.0`: x is an input and cannot be written; write an output, an inout or a "
        "local buffer");
}

// --- Hostile texts.

std::string repeated(std::string_view part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

TEST_CASE("nesting is bounded, whatever nests") {
  const std::string deep = "nested more than 500 levels deep";
  for (const std::string& text :
       {with_expression(repeated("(", 100000)), with_expression(repeated("-", 100000)),
        with_expression(repeated("!", 100000)), with_expression(repeated("x[", 100000)),
        with_expression(repeated("min(n, ", 100000)),
        with_expression(repeated("cast<i8>(", 100000)), with_expression(repeated("n + (", 100000)),
        with_expression(repeated("n | n ^ n & n == n < n << n + n * (", 100000)),
        with_statement(repeated("if n < 3 {\n", 100000)),
        with_statement("if true" + repeated(" and true", 100000) + " {}")}) {
    CHECK(error(text).find(deep) != std::string::npos);
  }
}

TEST_CASE("texts nested up to the bound are read") {
  CHECK(!parsed_expr(repeated("(", 450) + "n" + repeated(")", 450)).is<Invalid>());
  std::string loops;
  for (int i = 0; i < 400; ++i) loops += "for loop" + std::to_string(i) + " in 0..1 {\n";
  parsed(with_statement(loops + "y[0] = 1.0" + repeated("}", 400)));
}

TEST_CASE("a long chain is read, and one that is too long is refused without a crash") {
  const Expr sum = parsed_expr("n" + repeated(" + n", 1990));
  int terms = 0;
  walk(sum, [&](const Expr& e) { terms += e.is<VarRef>(); });
  CHECK(terms == 1991);
  const std::string expected = "the expression is nested more than 2000 operations deep";
  CHECK(error(with_expression("n" + repeated(" + n", 100000))).find(expected) != std::string::npos);
  CHECK(error(with_expression("n" + repeated(" - (n", 400) + repeated(" + n * n)", 400) +
                              repeated(" + n", 1800)))
            .find(expected) != std::string::npos);
}

TEST_CASE("a program with ten thousand statements round-trips") {
  parsed(with_statement(repeated("y[0] = x[0] + 1.0\n", 10000)));
}

TEST_CASE("a text cut off anywhere is refused or read, never a crash") {
  const std::string text = with_statement(
      "alloc t: f32[n] in shared at 128\nparallel for i in 0..n {\n"
      "if i < 3 and !(i == 1) { t[i] = select(i < 2, -1.5e-3, x[check(i, n)]) }\n"
      "y[i] max= masked(x[ramp(i, 1, 4)], broadcast(true, 4)) where broadcast(true, 4)\n}");
  REQUIRE(parse(text).ok());
  int refused = 0;
  for (size_t length = 0; length < text.size(); ++length) {
    refused += !parse(text.substr(0, length)).ok();
  }
  CHECK(refused >= static_cast<int>(text.size()) - 2);
}

TEST_CASE("a text with random changes is refused or round-trips") {
  const std::string text = with_statement(
      "alloc t: f32[n]\nfor i in 0..n {\nif i < 3 { t[i] = select(i < 2, -1.5, x[i]) * 2.0 }\n"
      "y[i] += cast<f32>(i // 2 % 3) where i == 1 | i <= 7\n}");
  std::mt19937 random(7);
  const std::string letters = "(){}[]<>=+-*/%&|^~!.,:# \n0123456789abefinxy_";
  int accepted = 0;
  for (int n = 0; n < 20000; ++n) {
    std::string changed = text;
    for (unsigned k = random() % 3 + 1; k > 0; --k) {
      const size_t at = random() % changed.size();
      switch (random() % 3) {
        case 0: changed[at] = letters[random() % letters.size()]; break;
        case 1: changed.erase(at, random() % 4); break;
        default: changed.insert(at, 1, letters[random() % letters.size()]);
      }
    }
    const absl::StatusOr<Program> program = parse(changed);
    if (!program.ok()) continue;
    ++accepted;
    const absl::StatusOr<Program> again = parse(print(*program));
    INFO(changed);
    REQUIRE(again.ok());
    REQUIRE(structurally_equal(*program, *again));
  }
  CHECK(accepted > 100);
}

}  // namespace
}  // namespace tenon
