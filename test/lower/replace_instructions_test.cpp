#include <catch2/catch.hpp>

#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"
#include "tenon/ir/visit.h"
#include "tenon/lower/instruction_call.h"
#include "tenon/target/instructions.h"

using namespace tenon;
using namespace tenon::test;

namespace {

// x, w and c, and the body, whose first loop of 8 iterations is marked.
Program marked(const std::string& body, const std::string& name = "vpmaddwd_u8i8_256") {
  const Program p = parsed(
      "program p\n  size n\n  input x: u8[40, 2]\n  input w: i8[40, 2]\n  output c: i32[40]\n"
      "  require n <= 20\n{\n" +
      body + "\n}\n");
  bool done = false;
  return checked(p.with_body(rewrite_stmts(p->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    if (!loop || !is_constant(loop->hi, 8) || done) return s;
    done = true;
    return make_for(loop->var, loop->lo, loop->hi, LoopKind(instructions::find(name)), loop->body);
  })));
}

constexpr char kSum[] = "c[j] += cast<i32>(x[j, r]) * cast<i32>(w[j, r])";

size_t marks_in(const Program& program) {
  size_t marks = 0;
  walk(program->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    marks += loop && loop->kind == ForKind::kInstruction;
  });
  return marks;
}

Target v3() { return *Target::parse("x86-64-v3"); }

}  // namespace

TEST_CASE("A whole nest keeps its mark where the target has the instruction") {
  const std::string body = std::string("for j in 0..8 { for r in 0..2 { ") + kSum + " } }";
  const Program p = marked(body);
  CHECK(structurally_equal(check_pass(replace_instructions, p, {{"n", 3}}, v3()), p));
  CHECK(marks_in(check_pass(replace_instructions, p, {{"n", 3}}, Target())) == 0);
  CHECK(marks_in(
            check_pass(replace_instructions, marked(body, "vpdpbusd_256"), {{"n", 3}}, v3())) == 0);
}

TEST_CASE("A guard that is the same throughout the nest moves in front of it") {
  const Program p =
      marked(std::string("for j in 0..8 { for r in 0..2 { if n < 7 { ") + kSum + " } } }");
  CHECK(body_of(check_pass(replace_instructions, p, {{"n", 3}}, v3())) ==
        "if n < 7 {\n"
        "  instruction vpmaddwd_u8i8_256 for j in 0..8 {\n"
        "    for r in 0..2 {\n"
        "      c[j] += cast<i32>(x[j, r]) * cast<i32>(w[j, r])\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("What is ragged stays a loop") {
  const Program p =
      marked(std::string("for j in 0..8 { for r in 0..2 { if j < n { ") + kSum + " } } }");
  CHECK(body_of(check_pass(replace_instructions, p, {{"n", 3}}, v3())) ==
        "for j in 0..8 {\n"
        "  for r in 0..2 {\n"
        "    if j < n {\n"
        "      c[j] += cast<i32>(x[j, r]) * cast<i32>(w[j, r])\n"
        "    }\n"
        "  }\n"
        "}\n");
}

TEST_CASE("The mark goes where a step has changed the nest, and inside vector loops") {
  CHECK(
      marks_in(check_pass(replace_instructions,
                          marked("for j in 0..8 { for r in 0..2 { c[j] += cast<i32>(x[j, r]) } }"),
                          {{"n", 3}}, v3())) == 0);
  CHECK(marks_in(check_pass(
            replace_instructions,
            marked("vector for v in 0..4 { for j in 0..8 { for r in 0..2 { c[v * 10 + j] += "
                   "cast<i32>(x[v * 10 + j, r]) * cast<i32>(w[v * 10 + j, r]) } } }"),
            {{"n", 3}}, v3())) == 0);
}

TEST_CASE("Loops around are cut so that whole tiles are instructions") {
  const Program p = marked(R"(
    for t in 0..3 {
      for j in 0..8 {
        for r in 0..2 {
          if t * 8 + j < n {
            c[t * 8 + j] += cast<i32>(x[t * 8 + j, r]) * cast<i32>(w[t * 8 + j, r])
          }
        }
      }
    })");
  for (const int64_t n : {0, 7, 8, 13, 16, 20}) {
    CHECK(marks_in(check_lowering(p, {{"n", n}}, v3())) == 1);
    CHECK(marks_in(check_lowering(p, {{"n", n}}, Target())) == 0);
  }
}

TEST_CASE("Unrolled tiles are instructions of their own, at places known when compiling") {
  const Program p = marked(R"(
    alloc acc: i32[16]
    unroll for t in 0..2 { for l in 0..8 + 0 { acc[t * 8 + l] = 0i32 } }
    for k in 0..4 {
      unroll for t in 0..2 {
        for j in 0..8 {
          for r in 0..2 {
            acc[t * 8 + j] += cast<i32>(x[k, r]) * cast<i32>(w[t * 8 + j, r])
          }
        }
      }
    }
    unroll for t in 0..2 { for l in 0..8 + 0 { c[t * 8 + l] = acc[t * 8 + l] } })");
  const Program lowered = check_lowering(p, {{"n", 3}}, v3());
  REQUIRE(marks_in(lowered) == 2);
  std::vector<std::string> starts;
  walk(lowered->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    if (!loop || loop->kind != ForKind::kInstruction) return;
    const InstructionCall call = *call_of(lowered, *loop);
    REQUIRE(call.registers.size() == 3);
    CHECK(call.registers[0].repeats);
    CHECK(call.registers[0].run == 2);
    CHECK(call.registers[1].run == 16);
    CHECK(print(call.registers[0].starts[0], lowered) == "k * 2");
    starts.push_back(print(call.registers[2].starts[0], lowered));
  });
  CHECK(starts == std::vector<std::string>{"0", "8"});
}

TEST_CASE("A mark that is no call is found by the form") {
  const Program p =
      marked(std::string("for j in 0..8 { for r in 0..2 { if n < 7 { ") + kSum + " } } }");
  CHECK(verify_form(p, static_cast<uint32_t>(Form::kWholeInstructions)).message() ==
        "not in form whole instructions: loop j: the guard n < 7 stands in the nest of "
        "vpmaddwd_u8i8_256");
}
