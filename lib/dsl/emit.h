// Recipes as statements: the declarations of what they compute and keep, and the loop nests.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dsl/definition.h"
#include "tenon/ir/stmt.h"

namespace tenon::dsl {

struct Emission {
  std::set<std::string>& names;      // taken
  const std::set<Buffer>& declared;  // parameters: not to be declared again
};

// `results` are the tensors that are read, in any order. The loops may share variables with other
// Programs that the same definitions stand in.
std::vector<Stmt> emit(const Recipe& recipe, const std::vector<Buffer>& results,
                       const Emission& emission);

std::vector<Stmt> emit_nest(const Nest& nest, const std::vector<Buffer>& results,
                            const Emission& emission);
std::vector<Stmt> emit_concat(const Concat& whole, const std::vector<Buffer>& results,
                              const Emission& emission);

}  // namespace tenon::dsl
