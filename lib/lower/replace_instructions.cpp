// replace_instructions: which loops marked with an instruction become one.
//
//   instruction dot2 for j in 0..8 {         if i < n {
//     for k in 0..2 {                          instruction dot2 for j in 0..8 {
//       if i < n { acc[j] += ... }      ->       for k in 0..2 { acc[j] += ... }
//     }                                        }
//   }                                        }
//
// Needs: nothing. Gives: kWholeInstructions: a loop keeps its mark only if the target has the
// instruction and the nest still is its meaning, without guards. A guard that is the same for all
// of the nest moves in front of it; where another one is left, after the loops around were cut into
// parts with and without guards, the mark goes and the loops stay.
#include <algorithm>

#include "lower/guards.h"
#include "lower/passes.h"
#include "tenon/analysis/match_instruction.h"
#include "tenon/ir/visit.h"
#include "tenon/lower/instruction_call.h"
#include "tenon/target/instructions.h"

namespace tenon {
namespace {

// The nest has one leaf, so that its guards guard all of it.
bool has_one_leaf(const Stmt& s) {
  if (const For* loop = s.as<For>()) return has_one_leaf(loop->body);
  if (const If* guard = s.as<If>()) return has_one_leaf(guard->body);
  return !s.is<Seq>();
}

Stmt without_guards(const Stmt& s) {
  if (const If* guard = s.as<If>()) return without_guards(guard->body);
  if (!s.is<For>()) return s;
  return map_children(s, without_guards);
}

bool same_throughout(const Expr& guard, const Stmt& nest) {
  bool same = !touches_memory(guard);
  walk(nest, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    same = same && !(loop && uses(guard, loop->var));
  });
  return same;
}

class Replacer {
 public:
  Replacer(const Program& program, const Target& target) : program_(program), target_(target) {}

  Stmt run(const Stmt& s, bool in_vector) const {
    const For* loop = s.as<For>();
    if (loop && loop->kind.instruction()) {
      if (const Stmt whole = in_vector ? Stmt() : replaced(s, *loop)) return whole;
      return make_for(loop->var, loop->lo, loop->hi, ForKind::kSerial, run(loop->body, in_vector));
    }
    const bool inside = in_vector || (loop && loop->kind == ForKind::kVector);
    return map_children(s, [&](const Stmt& child) { return run(child, inside); });
  }

 private:
  // Null where the loops stay.
  Stmt replaced(const Stmt& s, const For& loop) const {
    const Instruction& instruction = loop.kind.instruction();
    if (!has_instruction(target_, instruction)) return Stmt();
    const absl::StatusOr<InstructionMatch> match = match_instruction(program_, loop, instruction);
    if (!match.ok()) return Stmt();
    if (match->guards.empty()) return s;
    const bool uniform =
        has_one_leaf(s) && std::all_of(match->guards.begin(), match->guards.end(),
                                       [&](const Expr& g) { return same_throughout(g, s); });
    return uniform ? make_if(conjunction_of(match->guards), without_guards(s)) : Stmt();
  }

  const Program& program_;
  const Target& target_;
};

}  // namespace

absl::StatusOr<Program> replace_instructions(const Program& program, const Target& target) {
  return program.with_body(Replacer(program, target).run(program->body, /*in_vector=*/false));
}

}  // namespace tenon
