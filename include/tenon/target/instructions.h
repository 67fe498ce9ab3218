// Hardware instructions that come with Tenon, and which of them a target has.
//
//   s.tensorize(ji, tn::instructions::find("vpmaddwd_256"));
//   for (const Instruction& one : tn::instructions::x86()) std::cout << one->meaning;
//   has_instruction(Target::host(), one);
//
// A name is the mnemonic and the bits of a register. An instruction of one's own is a few lines
// (ir/instruction.h) and is used in the same way. See docs/design/instructions.md.
#pragma once

#include <string_view>
#include <vector>

#include "tenon/ir/instruction.h"
#include "tenon/target/target.h"

namespace tenon {

// Does the target have all that the instruction needs?
bool has_instruction(const Target& target, const Instruction& instruction);

namespace instructions {

// AVX2, AVX-512, VNNI, BF16, FP16. Made once.
const std::vector<Instruction>& x86();
// NEON dot products.
const std::vector<Instruction>& arm();
// Of either table; null when there is none of this name.
Instruction find(std::string_view name);

}  // namespace instructions
}  // namespace tenon
