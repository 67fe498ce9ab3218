// Hardware instructions: what one computes, as a Program, and how it is emitted.
//
//   Instruction dot2({.name = "dot2", .needs = {"avx2"}, .meaning = *parse(kText),
//                     .operands = {"a", "b"}, .intrinsic = "llvm.x86.avx2.pmadd.wd"});
//   s.tensorize(ji, dot2);      // the nest at ji computes what the meaning computes
//
// The meaning has inputs and one output, each of constant shape: the elements of a register, the
// last dimension fastest. Its body is loops from 0 to constants around stores or accumulations
// whose indices are a loop or a constant:
//
//   program dot2
//     input a: i16[8, 2]
//     input b: i16[8, 2]
//     output out: i32[8]
//   {
//     for i in 0..8 {
//       for k in 0..2 {
//         out[i] += cast<i32>(a[i, k]) * cast<i32>(b[i, k])
//       }
//     }
//   }
//
// The result is what `out` becomes. An output that is accumulated and that is no operand is
// combined behind the instruction: here, one vector addition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenon/ir/program.h"

namespace tenon {

// What the intrinsic or the assembly takes: a parameter of the meaning as a vector register, whose
// integers are widened to `as` first where that is given, or a constant.
struct InstructionOperand {
  InstructionOperand(std::string name, std::optional<Type> wider = {})  // NOLINT: most are a name
      : param(std::move(name)), as(wider) {}
  InstructionOperand(const char* name) : param(name) {}  // NOLINT
  InstructionOperand(int value) : constant(value) {}     // NOLINT

  std::string param;  // empty: the constant
  std::optional<Type> as;
  int constant = 0;
};
std::string to_string(const InstructionOperand& operand);  // "a", "a as i16", "4"

struct InstructionData {
  std::string name;
  // Features of the target, by LLVM's names: all of them, since LLVM ends the process where it is
  // asked for an intrinsic that the processor does not have.
  std::vector<std::string> needs;
  Program meaning;
  std::vector<InstructionOperand> operands;  // in the order of the intrinsic or the constraints
  // The full name of an LLVM intrinsic ...
  std::string intrinsic;
  // ... or inline assembly in LLVM's form: "vpmaddwd $2, $1, $0" and "=x,x,x", the result first.
  std::string assembly;
  std::string constraints;
  // Whether it computes bit for bit what the meaning says. If not, tensorize marks the Program as
  // reassociated.
  bool exact = true;

  // Found out when an Instruction is made: not ok where the above is not well formed. Whatever uses
  // it is then refused with this.
  absl::Status status;
};

// Whether the output, which is no operand, is combined with the result by its reducer.
bool combines_output(const InstructionData& instruction);
// The parameter that is the output. The instruction is well formed.
const Param& output_of(const InstructionData& instruction);

}  // namespace tenon
