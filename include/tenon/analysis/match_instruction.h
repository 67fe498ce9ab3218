// Is a nest of loops what a hardware instruction computes?
//
//   absl::StatusOr<InstructionMatch> m = match_instruction(program, loop, instruction);
//   m->registers[0].base;       // where the first parameter of the meaning begins
//   m->registers[0].strides;    // from one index to the next, per dimension of the parameter
//
// The nest and the meaning are unified: the same loops, statements and operators, where each
// parameter of the meaning stands for places in one buffer. The element [d0, d1] of a parameter
// lies at base + d0*strides[0] + d1*strides[1]. The refusal names what differs.
#pragma once

#include <vector>

#include "tenon/analysis/affine.h"
#include "tenon/base/status.h"
#include "tenon/ir/instruction.h"

namespace tenon {

struct InstructionMatch {
  struct Register {
    Buffer buffer;
    Affine base;  // in elements from the start of the buffer
    std::vector<Affine> strides;
  };
  std::vector<Register> registers;  // one per parameter of the meaning
  std::vector<Expr> guards;         // that stand around statements of the nest
};

absl::StatusOr<InstructionMatch> match_instruction(const Program& program, const For& nest,
                                                   const Instruction& instruction);

}  // namespace tenon
