#include "tenon/target/instructions.h"

#include <algorithm>

#include "target/meanings.h"

namespace tenon {

bool has_instruction(const Target& target, const Instruction& instruction) {
  return std::all_of(instruction->needs.begin(), instruction->needs.end(),
                     [&](const std::string& feature) { return target.has(feature); });
}

namespace instructions {

Program meaning_of(const std::string& text) {
  absl::StatusOr<Program> program = parse(text);
  // A mistake in a table: the Instruction then says that it has no meaning.
  return program.ok() ? *std::move(program) : Program();
}

Program dot(int lanes, int ways, Type sum, Type a, Type b) {
  const std::string shape = "[" + std::to_string(lanes) + ", " + std::to_string(ways) + "]\n";
  const std::string to = "cast<" + to_string(sum) + ">";
  return meaning_of("program dot\n  input a: " + to_string(a) + shape +
                    "  input b: " + to_string(b) + shape + "  output out: " + to_string(sum) + "[" +
                    std::to_string(lanes) + "]\n{\n  for i in 0.." + std::to_string(lanes) +
                    " {\n    for k in 0.." + std::to_string(ways) + " {\n      out[i] += " + to +
                    "(a[i, k]) * " + to + "(b[i, k])\n    }\n  }\n}\n");
}

Instruction find(std::string_view name) {
  for (const std::vector<Instruction>* table : {&x86(), &arm()}) {
    for (const Instruction& instruction : *table) {
      if (instruction->name == name) return instruction;
    }
  }
  return Instruction();
}

}  // namespace instructions
}  // namespace tenon
