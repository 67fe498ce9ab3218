// Simpler expressions with the same value, by rules that stand in a table.
//
//   simplify((jo * 32 + j) // 32, facts)      // jo, when 0 <= j < 32 is known
//   simplify(x + 0.0f * y)                    // unchanged: y may be NaN
//
// Integer rules use the facts of the place; float rules are exact for every input, NaN, infinities
// and signed zeros included. The rules are rows of a table (rules.h in lib/analysis), each checked
// exhaustively on small values by the tests.
#pragma once

#include "tenon/analysis/facts.h"
#include "tenon/ir/program.h"

namespace tenon {

Expr simplify(const Expr& e, const Facts& facts = {});

enum class KeepLoops : bool { kNo, kYes };

// Simplifies every expression with the facts of its place and drops guards that always hold and
// statements whose guard never does. While scheduling, every loop is kept (one-iteration loops too:
// a schedule is a function of structure, not of sizes). Lowering removes empty and one-iteration
// loops and what they leave behind: KeepLoops::kNo.
Stmt simplify(const Stmt& s, const Facts& facts, KeepLoops keep);
// A Program that was made from a simple one, `before`, with the same parameters: statements that it
// has in the same place, under the same loops and guards, are not looked at again.
Program simplify(const Program& program, KeepLoops keep = KeepLoops::kYes,
                 const Program& before = {});

}  // namespace tenon
