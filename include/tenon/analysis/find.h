// Places in a Program: where a loop, a stage or an Alloc stands.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "tenon/analysis/facts.h"
#include "tenon/ir/program.h"

namespace tenon {

struct LoopSite {
  Program program;
  Stmt statement;  // the loop as a statement
  For loop;
  std::vector<For> outer;    // outermost first, without the loop itself
  std::vector<Expr> guards;  // Ifs between
  Facts facts;               // what is known where the loop stands (not inside)
};
// The loop with this variable; empty when the program has none.
std::optional<LoopSite> find_loop(const Program& program, const Var& var);

// The loops around each write of `buffer`, one chain per writing statement.
std::vector<std::vector<For>> writer_loops(const Program& program, const Buffer& buffer);

// The local buffer, parameter or table with this name; null when there is none.
Buffer find_buffer(const Program& program, std::string_view name);

// The declared shape of a local buffer, parameter or table.
std::optional<std::vector<Expr>> shape_of(const Program& program, const Buffer& buffer);
// Where the stage is to live; kAuto for what is no local buffer.
Memory memory_of(const Program& program, const Buffer& stage);

// Does the loop stand in s?
bool has_loop(const Stmt& s, const Var& var);

// Replaces the loop with this variable by `f(loop)`.
Stmt replace_loop(const Stmt& body, const Var& var, const std::function<Stmt(const For&)>& f);

}  // namespace tenon
