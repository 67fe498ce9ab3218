// A loop of an instruction in a lowered Program, as the registers that it takes and gives.
//
//   absl::StatusOr<InstructionCall> call = call_of(lowered, loop);    // loop.kind has one
//   call->registers[0].starts       // where runs of neighbours begin in the buffer
//
// replace_instructions leaves the mark of an instruction only on loops that have a call.
#pragma once

#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/instruction.h"

namespace tenon {

struct InstructionCall {
  // The elements of a register in order: runs of `run` neighbours, one at each start; or one run
  // over and over.
  struct Register {
    Buffer buffer;
    int64_t elements = 0;
    int64_t run = 0;
    std::vector<Expr> starts;  // in elements from the start of the buffer
    bool repeats = false;      // then there is one start
  };
  Instruction instruction;
  std::vector<Register> registers;  // one per parameter of the meaning
};

absl::StatusOr<InstructionCall> call_of(const Program& program, const For& loop);

}  // namespace tenon
