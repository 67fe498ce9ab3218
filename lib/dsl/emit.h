// Recipes as statements: the declarations of what they compute and keep, and the loop nests.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dsl/definition.h"
#include "dsl/recipe_graph.h"
#include "tenon/ir/stmt.h"

namespace tenon::dsl {

struct Emission {
  std::set<std::string>& names;      // taken
  const std::set<Buffer>& declared;  // parameters: not to be declared again
  const RecipeGraph& graph;
};

// The tensors of the recipe that are read. The loops may share variables with other Programs that
// the same definitions stand in.
std::vector<Stmt> emit(const Recipe& recipe, const Emission& emission);

std::vector<Stmt> emit_nest(const Nest& nest, const std::vector<Buffer>& results,
                            const Emission& emission);
std::vector<Stmt> emit_concat(const Concat& whole, const Buffer& result, const Emission& emission);
std::vector<Stmt> emit_update(const Update& update, const std::vector<Buffer>& results,
                              const Emission& emission);
std::vector<Stmt> emit_extern(const Extern& call, const std::vector<Buffer>& results,
                              const Emission& emission);
std::vector<Stmt> emit_scan(const Recipe& recipe, const Emission& emission);
// The statements of a recipe that writes in place, after a copy of what was there if they need it.
std::vector<Stmt> with_old_contents(const Recipe& recipe, std::vector<Stmt> stmts,
                                    const Emission& emission);

// Refuses a Program of the DSL where calls might leave an element of a result undefined.
absl::Status calls_store_all(const Program& program);

// Of what is made on the way: the name wanted, or one with a number.
std::string free_name(const std::string& wanted, std::set<std::string>& taken);

}  // namespace tenon::dsl
