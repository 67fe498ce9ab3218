// What is said about reducers and instructions that are put together by hand. Each is a few lines
// of a user, and the whole message is a golden file.
#include <catch2/catch.hpp>

#include "messages/spoken.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/reducer.h"

namespace tenon::test {
namespace {

// An instruction "add" of this meaning: what is wrong with it.
const char* const kCopies = "for i in 0..4 { out[i] = a[i] }";
std::string meaning_of(const std::string& body, const std::string& header = "  input a: f32[4]\n") {
  return "program add\n" + header + "  output out: f32[4]\n{\n" + body + "\n}\n";
}
std::string instructed(const std::string& meaning,
                       const std::function<void(InstructionData&)>& change = {}) {
  InstructionData data;
  data.name = "add";
  if (!meaning.empty()) data.meaning = *parse(meaning);
  data.operands = {"a"};
  data.intrinsic = "llvm.none";
  if (change) change(data);
  return std::string(Instruction(std::move(data))->status.message());
}

// As text, with one thing changed.
std::string reduced(const std::function<void(CustomReducer&)>& change) {
  const Var best("best", f32), other("other", f32), v("v", f32);
  CustomReducer most;
  most.name = "most";
  most.identity = {Expr(-1.0f)};
  most.state = {best}, most.element = {v}, most.other = {other};
  most.update = {max(Expr(best), Expr(v))}, most.combine = {max(Expr(best), Expr(other))};
  change(most);
  return std::string(custom_reducer(most).functions()->status.message());
}

std::string meant(std::string text, std::vector<std::string> needs = {}) {
  InstructionData data;
  data.name = "add";
  data.needs = std::move(needs);
  if (const auto meaning = parse(text); meaning.ok()) data.meaning = *meaning;
  data.operands = {"a"};
  data.intrinsic = "llvm.none";
  return std::string(Instruction(std::move(data))->status.message());
}

const std::vector<Spoken>& instructions() {
  static const std::vector<Spoken> all = {
      {"instruction_name",
       [] {
         return instructed(meaning_of(kCopies), [](InstructionData& d) { d.name = "add.4"; });
       }},
      {"instruction_without_meaning", [] { return instructed(""); }},
      {"instruction_with_sizes",
       [] {
         return instructed(
             "program add\n  size n\n  input a: f32[n]\n  output out: f32[n]\n{\n"
             "  for i in 0..n { out[i] = a[i] }\n}\n");
       }},
      {"instruction_elements",
       [] { return instructed(meaning_of(kCopies, "  input a: f32[100000]\n")); }},
      {"instruction_two_outputs",
       [] { return instructed(meaning_of(kCopies, "  input a: f32[4]\n  output b: f32[4]\n")); }},
      {"instruction_loop",
       [] { return instructed(meaning_of("for i in 0..1 { out[i] = a[i] }")); }},
      {"instruction_statement",
       [] { return instructed(meaning_of("for i in 0..4 { if true { out[i] = a[i] } }")); }},
      {"instruction_number",
       [] { return instructed(meaning_of("for i in 0..4 { out[i] = a[i] * cast<f32>(i) }")); }},
      {"instruction_reads_sometimes",
       [] {
         return instructed(meaning_of("for i in 0..4 { out[i] = select(a[i] < 1.0, a[0], 2.0) }"));
       }},
      {"instruction_index",
       [] { return instructed(meaning_of("for i in 0..4 { out[i] = a[i + 1] }")); }},
      {"instruction_not_touched",
       [] { return instructed(meaning_of("for i in 0..4 { out[i] = a[0] }")); }},
      {"instruction_without_emission",
       [] {
         return instructed(meaning_of(kCopies), [](InstructionData& d) { d.intrinsic = ""; });
       }},
      {"instruction_constraints",
       [] {
         return instructed(meaning_of(kCopies), [](InstructionData& d) { d.constraints = "=x,x"; });
       }},
      {"instruction_quotes",
       [] {
         return instructed(meaning_of(kCopies), [](InstructionData& d) { d.intrinsic = "a\"b"; });
       }},
      {"instruction_input_not_taken",
       [] { return instructed(meaning_of(kCopies), [](InstructionData& d) { d.operands = {}; }); }},
      {"instruction_unknown_operand",
       [] {
         return instructed(meaning_of(kCopies),
                           [](InstructionData& d) { d.operands.push_back("b"); });
       }},
      {"instruction_operand_not_wider",
       [] {
         return instructed(
             meaning_of("for i in 0..4 { out[i] = cast<f32>(a[i]) }", "  input a: i16[4]\n"),
             [](InstructionData& d) {
               d.operands = {{"a", i8}};
             });
       }},
      {"instruction_uses_output",
       [] { return instructed(meaning_of("for i in 0..4 { out[i] = out[i] + a[i] }")); }},
      {"instruction_sum_of_floats",
       [] { return instructed(meaning_of("for i in 0..4 { out[i] += a[i] }")); }},
  };
  return all;
}

const std::vector<Spoken>& reducers() {
  static const std::vector<Spoken> all = {
      // --- Reducers.
      {"reducer_no_name", [] { return reduced([](CustomReducer& r) { r.name = ""; }); }},
      {"reducer_second_state", [] { return reduced([](CustomReducer& r) { r.other = {}; }); }},
      {"reducer_variable_null",
       [] { return reduced([](CustomReducer& r) { r.element = {Var()}; }); }},
      {"reducer_states_differ",
       [] { return reduced([](CustomReducer& r) { r.other = {Var("other", f64)}; }); }},
      {"reducer_empty_expression",
       [] { return reduced([](CustomReducer& r) { r.update = {Expr()}; }); }},
      // --- Instructions.
      {"instruction_meaning_not_valid",
       [] {
         ProgramData data;
         data.name = "add";
         InstructionData add;
         add.name = "add", add.meaning = Program(std::move(data)), add.intrinsic = "llvm.none";
         return std::string(Instruction(std::move(add))->status.message());
       }},
      {"instruction_no_dense_tensor",
       [] {
         return meant(
             "program add\n  input a: f32[4] strides [2]\n  output out: f32[4]\n{\n"
             "  for i in 0..4 { out[i] = a[i] }\n}\n");
       }},
      {"instruction_mask",
       [] {
         return meant(
             "program add\n  input a: f32[4]\n  output out: f32[4]\n{\n"
             "  for i in 0..4 { out[i] = a[i] where true }\n}\n");
       }},
      {"instruction_check",
       [] {
         return meant(
             "program add\n  input a: f32[4]\n  output out: f32[4]\n{\n"
             "  for i in 0..4 { out[i] = a[i] + cast<f32>(check(1, 2)) }\n}\n");
       }},
      {"instruction_feature_no_name",
       [] {
         return meant(
             "program add\n  input a: f32[4]\n  output out: f32[4]\n{\n"
             "  for i in 0..4 { out[i] = a[i] }\n}\n",
             {""});
       }},
  };
  return all;
}

TEST_CASE("Reducers and instructions are refused as their golden files say") {
  size_t count = 0;
  for (const auto* cases : {&reducers(), &instructions()}) {
    for (const Spoken& c : *cases) {
      INFO(c.name);
      check_spoken("instructions", c);
      ++count;
    }
  }
  CHECK(count >= 25);
}

}  // namespace
}  // namespace tenon::test
