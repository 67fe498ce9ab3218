#include "dsl/emit.h"

#include "tenon/base/match.h"
#include "tenon/ir/visit.h"

namespace tenon::dsl {

namespace {

std::vector<Stmt> statements_of(const Recipe& recipe, const Emission& emission) {
  const std::vector<Buffer>& results = emission.graph.results_of(recipe);
  return match(
      recipe.how,  //
      [&](const Nest& how) { return emit_nest(how, results, emission); },
      [&](const Concat& how) { return emit_concat(how, results.front(), emission); },
      [&](const Update& how) { return emit_update(how, results, emission); },
      [&](const Scan&) { return emit_scan(recipe, emission); },
      [&](const Extern& how) { return emit_extern(how, results, emission); },
      [](const Literal&) { return std::vector<Stmt>(); });
}

}  // namespace

// The variables of a definition belong to the definition, which several Programs and several nests
// of one may share. Every loop of a Program has a variable of its own.
std::vector<Stmt> emit(const Recipe& recipe, const Emission& emission) {
  std::vector<Stmt> statements = statements_of(recipe, emission);
  if (recipe.into) statements = with_old_contents(recipe, std::move(statements), emission);
  for (Stmt& s : statements) {
    if (!s.is<Alloc>()) s = with_fresh_names(s);
  }
  return statements;
}

std::string free_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int number = 2; !taken.insert(name).second; ++number) {
    name = wanted + std::to_string(number);
  }
  return name;
}

}  // namespace tenon::dsl
