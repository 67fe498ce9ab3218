#include "tenon/ir/instruction.h"

#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/ir/visit.h"

namespace tenon::test {
namespace {

constexpr char kDot2[] = R"(
program dot2
  input a: i16[8, 2]
  input b: i16[8, 2]
  output out: i32[8]
{
  for i in 0..8 {
    for k in 0..2 {
      out[i] += cast<i32>(a[i, k]) * cast<i32>(b[i, k])
    }
  }
})";

InstructionData dot2(const std::string& text = kDot2) {
  return {.name = "dot2",
          .needs = {"avx2"},
          .meaning = parsed(text),
          .operands = {"a", "b"},
          .intrinsic = "llvm.x86.avx2.pmadd.wd"};
}

// The instruction dot2 with another body, and with all elements of a and b read otherwise.
InstructionData with_body(const std::string& body, const std::string& shape = "[8]") {
  return {.name = "one",
          .meaning = parsed("program one\n  input a: i32" + shape + "\n  output out: i32" + shape +
                            "\n{\n" + body + "\n}\n"),
          .operands = {"a"},
          .assembly = "nop",
          .constraints = "=x,x"};
}

std::string wrong(InstructionData data) {
  return std::string(Instruction(std::move(data))->status.message());
}

}  // namespace

TEST_CASE("An instruction is well formed, and says what becomes of its output") {
  const Instruction one(dot2());
  CHECK(one->status.ok());
  CHECK(output_of(*one).name() == "out");
  CHECK(combines_output(*one));
  CHECK(one == Instruction(dot2()));
  InstructionData data = dot2();
  data.operands = {"out", "a", "b"};
  CHECK_FALSE(combines_output(*Instruction(data)));
  CHECK_FALSE(one == Instruction(data));
  CHECK_FALSE(combines_output(*Instruction(with_body("for i in 0..8 { out[i] = -a[i] }"))));
  CHECK_FALSE(one == Instruction());
}

TEST_CASE("What is no instruction is refused with the reason") {
  InstructionData data = dot2();
  data.name = "dot 2";
  CHECK(wrong(data) ==
        "an instruction needs a name of letters, digits and underscores, and this is \"dot 2\"");
  data = dot2();
  data.meaning = Program();
  CHECK(wrong(data) == "instruction dot2: it has no meaning (a null Program)");
  data = dot2();
  data.operands = {"a"};
  CHECK(wrong(data) == "instruction dot2: no operand takes input b");
  data.operands = {"a", "b", "c"};
  CHECK(wrong(data) == "instruction dot2: operand c is no parameter of its meaning");
  data.operands = {"a", {"b", i16}};
  CHECK(wrong(data) == "instruction dot2: operand b as i16 is not a wider integer than i16");
  data = dot2();
  data.assembly = "vpmaddwd $2, $1, $0";
  CHECK(wrong(data) == "instruction dot2: it needs either the name of an intrinsic or assembly");
  data.intrinsic = "";
  CHECK(wrong(data) == "instruction dot2: assembly has constraints, and an intrinsic has none");
  data.constraints = "=x,x,x\n";
  CHECK(wrong(data) ==
        "instruction dot2: a quotation mark or the end of a line stands in =x,x,x\n");
}

TEST_CASE("A meaning is loops over registers and nothing else") {
  CHECK(wrong(with_body("for i in 0..8 { out[i] = a[i] }")) == "");
  CHECK(wrong(with_body("for i in 1..8 { out[i] = a[i] }")) ==
        "instruction one: loop i of its meaning must be serial, and run from 0 to a constant of at "
        "least 2");
  CHECK(wrong(with_body("for i in 0..4 { out[i] = a[i] }")) ==
        "instruction one: index i of out in its meaning must be a constant inside, or a loop over "
        "all of the dimension");
  CHECK(wrong(with_body("for i in 0..8 { out[i] = a[7 - i] }")) ==
        "instruction one: index 7 - i of a in its meaning must be a constant inside, or a loop "
        "over all of the dimension");
  CHECK(wrong(with_body("for i in 0..8 { out[i] = a[0] }")) ==
        "instruction one: its meaning does not touch a[1]; every element of a register counts");
  CHECK(wrong(with_body("for i in 0..8 { if i < 4 { out[i] = a[i] } }")) ==
        "instruction one: its meaning has loops, stores and accumulations by operators, and "
        "nothing else");
  CHECK(wrong(with_body("for i in 0..8 { out[i] = cast<i32>(i) + a[i] }")) ==
        "instruction one: its meaning computes with lanes or with the number of an iteration");
  CHECK(wrong(with_body("for i in 0..8 { out[i] = select(a[i] < 0i32, a[i], 0i32) }")) ==
        "instruction one: its meaning reads a[i] only sometimes");
  CHECK(wrong(with_body("for i in 0..8 { out[i] = out[i] + a[i] }")) ==
        "instruction one: its meaning uses what out holds; name it as an operand");
  CHECK(wrong({.name = "one",
               .meaning = parsed("program p\n  size n\n  output out: f32[n]\n{\n}\n")}) ==
        "instruction one: its meaning has sizes or requirements; the shape of a register is "
        "constant");
  CHECK(wrong({.name = "one", .meaning = parsed("program p\n  input a: f32[4]\n{\n}\n")}) ==
        "instruction one: its meaning must have one output");
  CHECK(wrong({.name = "one", .meaning = parsed("program p\n  output a: bool[4]\n{\n}\n")}) ==
        "instruction one: parameter a of its meaning must have 1 to 1024 numbers");
  InstructionData sum{
      .name = "one",
      .meaning = parsed("program p\n  input a: f32[4, 2]\n  output out: f32[4]\n{\n"
                        "for i in 0..4 { for k in 0..2 { out[i] += a[i, k] } }\n}\n"),
      .operands = {"a"},
      .assembly = "nop",
      .constraints = "=x,x"};
  CHECK(wrong(sum) ==
        "instruction one: the sum of floats is added to out as a whole; that is not exact, so say "
        "exact = false");
  sum.exact = false;
  CHECK(wrong(sum) == "");
}

TEST_CASE("A loop keeps its instruction in the text, in rewrites and in equality") {
  const Program plain = parsed(kDot2);
  const Stmt body = plain->body;
  const For& loop = *body.as<For>();
  const Instruction one(dot2());
  const Program p = plain.with_body(make_for(loop.var, loop.lo, loop.hi, LoopKind(one), loop.body));
  const std::string text = print(p);
  CHECK(text == R"(program dot2
  input a: i16[8, 2]
  input b: i16[8, 2]
  output out: i32[8]
  instruction dot2 needs "avx2"
    intrinsic "llvm.x86.avx2.pmadd.wd" (a, b)
    program dot2
      input a: i16[8, 2]
      input b: i16[8, 2]
      output out: i32[8]
    {
      for i in 0..8 {
        for k in 0..2 {
          out[i] += cast<i32>(a[i, k]) * cast<i32>(b[i, k])
        }
      }
    }
{
  instruction dot2 for i in 0..8 {
    for k in 0..2 {
      out[i] += cast<i32>(a[i, k]) * cast<i32>(b[i, k])
    }
  }
}
)");
  CHECK(structurally_equal(*parse(text), p));
  CHECK(structural_hash(*parse(text)) == structural_hash(p));
  CHECK_FALSE(structurally_equal(plain, p));
  CHECK(structurally_equal(p, p.with_body(with_fresh_names(p->body))));

  // Another emission is another instruction, and a name that is taken is shown with a number.
  InstructionData data = dot2();
  data.intrinsic = "";
  data.assembly = "vpmaddwd $2, $1, $0";
  data.constraints = "=x,x,x";
  data.operands = {"a", "b", 3};
  data.exact = false;
  const Stmt other = make_for(Var("j"), 0, 8, LoopKind(Instruction(data)), seq({}));
  const Program two = p.with_body(seq({p->body, other}));
  CHECK_FALSE(structurally_equal(two, p));
  const std::string both = print(two);
  CHECK(both.find("  instruction dot2_1 needs \"avx2\" inexact\n"
                  "    assembly \"vpmaddwd $2, $1, $0\" \"=x,x,x\" (a, b, 3)\n") !=
        std::string::npos);
  CHECK(both.find("instruction dot2_1 for j in 0..8 {") != std::string::npos);
}

TEST_CASE("Errors in the text of an instruction name their place") {
  const auto error = [](const std::string& header, const std::string& body) {
    return std::string(parse("program p\n  output y: i32[8]\n" + header + "{\n" + body + "\n}\n")
                           .status()
                           .message());
  };
  CHECK(error("", "instruction dot2 for i in 0..8 { }") ==
        "line 4, column 13: there is no instruction 'dot2'");
  CHECK(error("  instruction dot2 intrinsic llvm (a)\n", "") ==
        "line 3, column 30: found 'llvm', expected the name of an intrinsic in quotation marks");
  CHECK(error("  instruction one assembly \"nop\" 3 (a)\n", "") ==
        "line 3, column 34: found '3', expected constraints in quotation marks");
  CHECK(error("  instruction one intrinsic \"x (a)\n", "") ==
        "line 3, column 29: found '\"', expected the name of an intrinsic in quotation marks");
  std::string deep;
  for (int level = 0; level < 600; ++level)
    deep += "instruction one intrinsic \"x\" ()\nprogram p\n";
  CHECK(error(deep, "").find("nested more than 500 levels deep") != std::string::npos);
  CHECK(
      error(
          "  instruction one intrinsic \"x\" (a)\n    program one\n      output a: i32[4]\n{\n}\n",
          "") ==
      "line 3, column 15: instruction one: its meaning does not touch a[0]; every "
      "element of a register counts");
}

}  // namespace tenon::test
