// The memory accesses of a statement, each with the loops and guards that stand around it.
//
//   for (const Access& a : accesses_of(program->body)) ...
//
// Indices, guards and bounds are given over loops and names from outside: names that are bound
// inside the statement are replaced by their values. A vector index (a Ramp) becomes one more loop,
// over the lanes, that belongs to this access alone. So does a range of the part of a buffer that
// an extern function is given.
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
  // The loops around it, outermost first, up to the statement that was asked about.
  std::vector<For> loops;
  // The guards around it (If conditions, masks, and select conditions that decide whether a lazy
  // load happens).
  std::vector<Expr> guards;
  // How many of `loops` stand around the buffer's Alloc: each of their iterations has a buffer of
  // its own. Empty for a buffer from outside of the statement.
  std::optional<size_t> home;
  // Position in program order: larger runs later within one iteration of the common loops. The
  // reads of a statement come before its write.
  int order = 0;
  // The Store, Accumulate, Call, For, If, Bind or Alloc that it belongs to.
  const StmtNode* statement = nullptr;

  // Of kAccumulate.
  const Accumulate& accumulation() const { return std::get<Accumulate>(statement->kind); }
  // The call whose part it is; null for all others. (Indices of parts are accesses as well.)
  const Call* call() const { return std::get_if<Call>(&statement->kind); }
};

// All accesses in s, in program order. Accesses in loop bounds, guards and indices are reads.
std::vector<Access> accesses_of(const Stmt& s);
std::vector<Access> accesses_of(const Stmt& s, const Buffer& buffer);

}  // namespace tenon
