// Dot products of NEON: four bytes for each i32 or u32, whose sums wrap.
#include "target/meanings.h"
#include "tenon/target/instructions.h"

namespace tenon::instructions {

const std::vector<Instruction>& arm() {
  static const std::vector<Instruction> table = {
      Instruction({.name = "sdot_128",
                   .needs = {"dotprod"},
                   .meaning = dot(4, 4, i32, i8, i8),
                   .operands = {"out", "a", "b"},
                   .intrinsic = "llvm.aarch64.neon.sdot.v4i32.v16i8"}),
      Instruction({.name = "udot_128",
                   .needs = {"dotprod"},
                   .meaning = dot(4, 4, u32, u8, u8),
                   .operands = {"out", "a", "b"},
                   .intrinsic = "llvm.aarch64.neon.udot.v4i32.v16i8"}),
      Instruction({.name = "usdot_128",
                   .needs = {"i8mm"},
                   .meaning = dot(4, 4, i32, u8, i8),
                   .operands = {"out", "a", "b"},
                   .intrinsic = "llvm.aarch64.neon.usdot.v4i32.v16i8"}),
  };
  return table;
}

}  // namespace tenon::instructions
