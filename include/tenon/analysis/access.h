// The memory accesses of a statement, each with the loops and guards that stand around it.
//
//   for (const Access& a : accesses_of(program.body, facts)) ...
#pragma once

#include <optional>
#include <vector>

#include "tenon/analysis/facts.h"
#include "tenon/ir/stmt.h"

namespace tenon {

struct Access {
  enum class Kind : uint8_t { kRead, kWrite, kAccumulate };
  Kind kind;
  Buffer buffer;
  std::vector<Expr> indices;
  std::optional<Reducer> reducer;  // kAccumulate only
  // The loops around it, outermost first, up to the statement that was asked about.
  std::vector<For> loops;
  // The guards around it (If conditions, masks, and select conditions that decide whether a lazy
  // load happens).
  std::vector<Expr> guards;
  // Position in program order: larger runs later within one iteration of the common loops. The
  // reads of a statement come before its write.
  int order = 0;
  const StmtNode* statement = nullptr;  // the Store, Accumulate, For or If that it belongs to
};

// All accesses in s, in program order. Accesses in loop bounds, guards and indices are reads.
std::vector<Access> accesses_of(const Stmt& s);
std::vector<Access> accesses_of(const Stmt& s, const Buffer& buffer);

}  // namespace tenon
