// The way from the root of a Program to one of its statements.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tenon/analysis/facts.h"
#include "tenon/ir/program.h"

namespace tenon {

// A statement, and what stands around it, outermost first: loops, guards, sequences, and the names
// bound before it. The pointers live as long as the Program.
struct Place {
  const Stmt* statement;
  std::vector<const Stmt*> around;

  Facts facts(const Program& program) const;  // what is known where the statement stands
  // The statements after it in its sequence; none when it stands alone.
  std::vector<Stmt> rest() const;
};

// The first statement, in program order, for which `wanted` holds.
std::optional<Place> find_place(const Stmt& body, const std::function<bool(const Stmt&)>& wanted);

// Refuses a parameter or a table. The sentence begins with the subject: the buffer's name, unless
// given.
absl::Status is_local(const Buffer& buffer, const Program& program,
                      const std::function<std::string()>& subject = {});

}  // namespace tenon
